#include "io/graph/sound_graph.h"

#include <fmt/format.h>

#include <array>
#include <new>
#include <utility>

#include "io/graph/graph_ends.h"

namespace vfilter {

namespace {

// As libavfilter reads a layout.
std::string layout_argument(const AVChannelLayout& channels) {
    std::array<char, 256> text{};
    av_check(av_channel_layout_describe(&channels, text.data(), text.size()), "av_channel_layout_describe");
    return text.data();
}

}  // namespace

SoundGraph::SoundGraph(const std::string& text, const SoundFormat& given, const std::optional<SoundFormat>& taken)
    : text_(text) {
    constexpr int threads = 1;
    ParsedGraph parsed = parse_graph(text, GraphKind::sound, threads);
    GraphEnds ends(*parsed.graph, GraphKind::sound, text_);
    source_ = ends.add("abuffer", "in",
                       fmt::format("time_base=1/{0}:sample_rate={0}:sample_fmt={1}:channel_layout={2}", given.rate,
                                   av_get_sample_fmt_name(given.samples), layout_argument(given.channels)));
    ends.link(source_, 0, parsed.input->filter_ctx, static_cast<unsigned>(parsed.input->pad_idx));
    AVFilterContext* last = parsed.output->filter_ctx;
    auto last_pad = static_cast<unsigned>(parsed.output->pad_idx);
    if (taken) {
        AVFilterContext* const format = ends.add(
            "aformat", "format",
            fmt::format("sample_fmts={}:sample_rates={}:channel_layouts={}", av_get_sample_fmt_name(taken->samples),
                        taken->rate, layout_argument(taken->channels)));
        ends.link(last, last_pad, format, 0);
        last = format;
        last_pad = 0;
    }
    sink_ = ends.add("abuffersink", "out", "");
    ends.link(last, last_pad, sink_, 0);
    ends.configure();
    graph_ = std::move(parsed.graph);
    const FilterLibrary& library = filter_library();
    made_.samples = static_cast<AVSampleFormat>(library.sink_format(sink_));
    made_.rate = library.sink_sample_rate(sink_);
    av_check(library.sink_channels(sink_, &made_.channels), "av_buffersink_get_ch_layout");
    time_base_ = library.sink_time_base(sink_);
}

void SoundGraph::send(FramePtr sound) {
    if (ended_) {
        return;
    }
    const ThreadComplaints complaints;
    const FilterLibrary& library = filter_library();
    if (sound) {
        end_ = sound->pts + sound->nb_samples;
    }
    const int sent = sound ? library.add_frame(source_, sound.get(), AV_BUFFERSRC_FLAG_PUSH)
                           : library.close_source(source_, end_, AV_BUFFERSRC_FLAG_PUSH);
    if (sent < 0 && sent != AVERROR_EOF) {
        fail_graph(GraphKind::sound, text_, sent, complaints);
    }
}

FramePtr SoundGraph::receive() {
    if (ended_) {
        return nullptr;
    }
    const ThreadComplaints complaints;
    FramePtr sound = make_frame();
    const int got = filter_library().get_frame(sink_, sound.get(), 0);
    ended_ = got == AVERROR_EOF;
    if (ended_ || got == AVERROR(EAGAIN)) {
        return nullptr;
    }
    if (got < 0) {
        fail_graph(GraphKind::sound, text_, got, complaints);
    }
    return sound;
}

}  // namespace vfilter
