#include "io/graph/filter_graph.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/opt.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <new>
#include <span>

#include "io/compat.h"
#include "io/formats/formats.h"
#include "io/graph/fine_times.h"
#include "io/graph/graph_ends.h"

namespace vfilter {

namespace {

// The filters that turn a picture as its display matrix asks, by DisplayTurn: mirrored first, then turned clockwise.
constexpr const char* turning_filters[2][4] = {{"", "transpose=clock", "hflip,vflip", "transpose=cclock"},
                                               {"hflip", "transpose=clock_flip", "vflip", "transpose=cclock_flip"}};

// What the rate tells of a picture's duration, in ticks; at least one.
std::int64_t duration_in(const GraphPictures& of) {
    const bool rated = of.frame_rate.num > 0 && of.frame_rate.den > 0;
    return rated ? std::max<std::int64_t>(1, av_rescale_q(1, av_inv_q(of.frame_rate), of.time_base)) : 1;
}

// Appends filters without options or with one, "hflip,vflip", to a context, and returns the last one.
AVFilterContext* append_turn(GraphEnds& ends, AVFilterContext* last, std::string_view filters) {
    int number = 0;
    while (!filters.empty()) {
        const std::string one(filters.substr(0, filters.find(',')));
        filters.remove_prefix(std::min(filters.size(), one.size() + 1));
        const std::size_t equals = one.find('=');
        AVFilterContext* const next = ends.add(one.substr(0, equals).c_str(), fmt::format("turn{}", number++).c_str(),
                                               equals == std::string::npos ? "" : one.substr(equals + 1));
        ends.link(last, 0, next, 0);
        last = next;
    }
    return last;
}

std::string format_arguments(const std::vector<AVPixelFormat>& formats) {
    std::string names = "pix_fmts=";
    for (const AVPixelFormat format : formats) {
        names += fmt::format("{}{}", names.ends_with('=') ? "" : "|", name_of(format));
    }
    return names;
}

}  // namespace

std::string source_arguments(const GraphPictures& of) {
    std::string text = fmt::format("video_size={}x{}:pix_fmt={}:time_base={}/{}:pixel_aspect={}/{}", of.width,
                                   of.height, static_cast<int>(of.format), of.time_base.num, of.time_base.den,
                                   of.sample_aspect.num, of.sample_aspect.den > 0 ? of.sample_aspect.den : 1);
    if (of.frame_rate.num > 0 && of.frame_rate.den > 0) {
        text += fmt::format(":frame_rate={}/{}", of.frame_rate.num, of.frame_rate.den);
    }
    return text + source_colours(of.matrix, of.range);
}

namespace {

/// A graph of which every filter is joined to others.
struct SetUp {
    FilterGraphPtr graph;
    AVFilterContext* source = nullptr;
    AVFilterContext* sink = nullptr;
};

// Mistakes are told of the text that the user has written.
SetUp set_up(const std::string& graph, const std::string& written, const GraphPlace& place) {
    ParsedGraph parsed = parse_graph(graph, GraphKind::pictures, place.threads);
    GraphEnds ends(*parsed.graph, GraphKind::pictures, written);
    AVFilterContext* const source = ends.add("buffer", "in", source_arguments(place.pictures));
    AVFilterContext* const turned = append_turn(
        ends, source, turning_filters[place.turn.mirrored ? 1 : 0][static_cast<std::size_t>(place.turn.quarter_turns)]);
    ends.link(turned, 0, parsed.input->filter_ctx, static_cast<unsigned>(parsed.input->pad_idx));
    AVFilterContext* last = parsed.output->filter_ctx;
    auto last_pad = static_cast<unsigned>(parsed.output->pad_idx);
    if (!place.taken.empty()) {
        AVFilterContext* const formats = ends.add("format", "formats", format_arguments(place.taken));
        ends.link(last, last_pad, formats, 0);
        last = formats;
        last_pad = 0;
    }
    AVFilterContext* const sink = ends.add("buffersink", "out", "");
    ends.link(last, last_pad, sink, 0);
    ends.add_scans();
    ends.add_copies();
    ends.configure();
    if (source_colours(place.pictures.matrix, place.pictures.range).empty()) {
        keep_gray_ranges(*sink, place.pictures.range);  // later versions agree on ranges when graphs are set up
    }
    return {std::move(parsed.graph), source, sink};
}

// In the order of the text, in which libavfilter makes them.
std::vector<AVRational> clocks_of_setpts(const AVFilterGraph& graph) {
    std::vector<AVRational> clocks;
    for (const AVFilterContext* const filter : std::span(graph.filters, graph.nb_filters)) {
        if (std::string_view(filter->filter->name) == "setpts") {
            clocks.push_back(filter->inputs[0]->time_base);
        }
    }
    return clocks;
}

}  // namespace

FilterGraph::FilterGraph(const std::string& text, const GraphPlace& place)
    : usual_duration_(duration_in(place.pictures)) {
    SetUp made = set_up(text, text, place);
    if (const std::string fine = with_fine_times(text, clocks_of_setpts(*made.graph)); fine != text) {
        const FilterResults quiet(false);
        made.graph.reset();  // before the second one, as some filters open files
        made = set_up(fine, text, place);
    }
    flow_.emplace(std::move(made.graph), *made.source, *made.sink, GraphKind::pictures, text);
    const FilterLibrary& library = filter_library();
    made_ = {.format = static_cast<AVPixelFormat>(library.sink_format(made.sink)),
             .width = library.sink_width(made.sink),
             .height = library.sink_height(made.sink),
             .time_base = library.sink_time_base(made.sink),
             .frame_rate = library.sink_frame_rate(made.sink),
             .sample_aspect = library.sink_sample_aspect(made.sink)};
}

// Words that come twice are as good as lost, too: a picture that is made of one that another one was made of before has
// none.
void FilterGraph::look_for_captions(AVFrame& made) {
    constexpr std::size_t most = 10'000;
    ++pictures_made_;
    if (av_frame_get_side_data(&made, AV_FRAME_DATA_A53_CC) == nullptr) {
        return;
    }
    const auto tag = reinterpret_cast<std::intptr_t>(made.opaque);
    if (tag != 0 && !latest_parts_.insert(tag).second) {
        av_frame_remove_side_data(&made, AV_FRAME_DATA_A53_CC);
        return;
    }
    if (latest_parts_.size() > most) {
        latest_parts_.erase(latest_parts_.begin());
    }
    ++parts_made_;
}

// Pictures at the ends that nobody wants may have had some.
bool FilterGraph::cuts() const {
    const std::span filters(flow_->graph().filters, flow_->graph().nb_filters);
    return std::ranges::any_of(
        filters, [](const AVFilterContext* filter) { return std::string_view(filter->filter->name) == "trim"; });
}

bool FilterGraph::is_endless() const {
    const auto loops = [](const AVFilterContext* filter) {
        std::int64_t times = 0;
        return std::string_view(filter->filter->name) == "loop" &&
               av_opt_get_int(filter->priv, "loop", 0, &times) >= 0 && times < 0;
    };
    const std::span filters(flow_->graph().filters, flow_->graph().nb_filters);
    return std::ranges::any_of(filters, loops) && !cuts();
}

void FilterGraph::tell_captions() const {
    if (quiet_ || parts_made_ >= parts_given_ || pictures_made_ == 0 || cuts()) {
        return;
    }
    spdlog::warn("--vf {}: the captions within the pictures (ATSC A/53) are {}", text(),
                 parts_made_ == 0 ? std::string("left out: its filters do not hand them on")
                                  : fmt::format("damaged: each picture has a part of them, and of {} {} came out",
                                                parts_given_, parts_made_));
}

void FilterGraph::send(FramePtr picture) {
    if (picture) {
        // Filters of rates want to know how long the last picture is.
        end_ = picture->pts + (frame_duration(*picture) > 0 ? frame_duration(*picture) : usual_duration_);
        const bool captions = av_frame_get_side_data(picture.get(), AV_FRAME_DATA_A53_CC) != nullptr;
        parts_given_ += captions && !ended() ? 1 : 0;
    }
    flow_->send(picture, end_);
}

FramePtr FilterGraph::receive() {
    const bool ended_before = ended();
    FramePtr picture = flow_->receive();
    if (ended() && !ended_before) {
        tell_captions();
    }
    if (!picture) {
        return nullptr;
    }
    if (picture->format != made_.format || picture->width != made_.width || picture->height != made_.height) {
        throw Error(ExitCode::usage,
                    fmt::format("--vf {}: its pictures change on the way from {}x{} {} to {}x{} {}, and those of an "
                                "output are all alike",
                                text(), made_.width, made_.height, name_of(made_.format), picture->width,
                                picture->height, name_of(static_cast<AVPixelFormat>(picture->format))));
    }
    look_for_captions(*picture);
    return picture;
}

FramePtr try_graph(const std::string& text, const GraphPlace& place, const AVFrame& first) {
    constexpr int pictures = 3;
    FilterGraph graph(text, place);
    graph.keep_quiet();
    FramePtr result;
    const std::int64_t step = duration_in(place.pictures);
    for (int i = 0; i <= pictures && !result; ++i) {
        FramePtr picture;
        if (i < pictures) {
            picture = make_frame();
            picture->format = place.pictures.format;
            picture->width = place.pictures.width;
            picture->height = place.pictures.height;
            av_check(av_frame_get_buffer(picture.get(), 0), "av_frame_get_buffer");
            const std::ptrdiff_t strides[4] = {picture->linesize[0], picture->linesize[1], picture->linesize[2],
                                               picture->linesize[3]};
            av_image_fill_black(picture->data, strides, place.pictures.format, first.color_range, picture->width,
                                picture->height);
            av_check(av_frame_copy_props(picture.get(), &first), "av_frame_copy_props");
            picture->pts = i * step;
            picture->sample_aspect_ratio = place.pictures.sample_aspect;
        }
        graph.send(std::move(picture));
        result = graph.receive();
    }
    FramePtr facts = make_frame();
    facts->format = graph.made().format;
    facts->width = graph.made().width;
    facts->height = graph.made().height;
    av_check(av_frame_copy_props(facts.get(), result ? result.get() : &first), "av_frame_copy_props");
    facts->sample_aspect_ratio = graph.made().sample_aspect;
    if (place.turn != DisplayTurn{}) {
        av_frame_remove_side_data(facts.get(), AV_FRAME_DATA_DISPLAYMATRIX);
    }
    return facts;
}

}  // namespace vfilter
