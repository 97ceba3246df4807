#include "io/demuxers.h"

extern "C" {
#include <libavutil/opt.h>
}

#include <algorithm>
#include <iterator>
#include <memory>
#include <new>

namespace vfilter {

namespace {

// By name, as some are asked for with each packet.
constexpr DemuxerFacts demuxers[] = {
    {"aac", input_fact::bare},
    {"ac3", input_fact::bare},
    {"adf", input_fact::text_art},
    {"apng", input_fact::no_gaps | input_fact::png},
    {"asf", input_fact::loose_times},
    {"asf_o", input_fact::loose_times},
    {"avi", input_fact::indexed | input_fact::no_gaps},
    {"avisynth", input_fact::playlist | input_fact::script},
    {"bin", input_fact::text_art},
    {"cavsvideo", input_fact::bare},
    {"concat", input_fact::playlist},
    {"dash", input_fact::playlist | input_fact::first_end, "cenc_decryption_key"},
    {"dirac", input_fact::from_front | input_fact::numbers},
    {"dts", input_fact::bare},
    {"eac3", input_fact::bare},
    {"filmstrip", input_fact::from_front | input_fact::trailer},
    {"gif", input_fact::no_gaps | input_fact::goes_back},
    {"h263", input_fact::bare},
    {"h264", input_fact::bare},
    {"hevc", input_fact::bare},
    {"hls", input_fact::playlist | input_fact::same_reader},
    {"ico", input_fact::icons},
    {"idf", input_fact::text_art},
    {"image2", input_fact::pictures | input_fact::no_gaps},
    {"imf", input_fact::playlist},
    {"ivf", input_fact::no_gaps},
    {"loas", input_fact::bare},
    {"m4v", input_fact::bare},
    {"matroska", input_fact::matroska},
    {"mjpeg", input_fact::bare},
    {"mlv", input_fact::playlist},
    {"mov", input_fact::movie | input_fact::indexed | input_fact::no_gaps, "decryption_key"},
    {"mp3", input_fact::bare},
    {"mpegts", input_fact::transport},
    {"mpegvideo", input_fact::bare},
    {"mxf", input_fact::elsewhere},
    {"nut", input_fact::tells_end},
    {"obu", input_fact::bare},
    {"png_pipe", input_fact::pictures | input_fact::no_gaps | input_fact::png},
    {"rawvideo", input_fact::raw},
    {"roq", input_fact::failing_end},
    {"rtp", input_fact::playlist},
    {"rtsp", input_fact::playlist},
    {"sdp", input_fact::playlist},
    {"svg_pipe", input_fact::pictures | input_fact::no_gaps | input_fact::goes_back},
    {"tty", input_fact::text_art},
    {"vapoursynth", input_fact::playlist | input_fact::script},
    {"vc1", input_fact::bare},
    {"vobsub", input_fact::playlist},
    {"vvc", input_fact::bare},
    {"wav", input_fact::short_packet},
    {"webm_dash_manifest", input_fact::playlist},
    {"webp", input_fact::no_gaps},
    {"xbin", input_fact::text_art},
    {"yuv4mpegpipe", input_fact::no_gaps | input_fact::y4m},
};
static_assert(std::ranges::is_sorted(demuxers, {}, &DemuxerFacts::name));

// Of each format of pictures, by what is in the file; that of PNG has a row.
constexpr DemuxerFacts picture_pipe{"_pipe", input_fact::pictures | input_fact::no_gaps};
constexpr DemuxerFacts nothing_known{};

}  // namespace

const DemuxerFacts& demuxer_facts(const AVInputFormat& format) {
    const std::string_view names = format.name;
    const std::string_view name = names.substr(0, names.find(','));
    const auto* const row = std::ranges::lower_bound(demuxers, name, {}, &DemuxerFacts::name);
    if (row != std::end(demuxers) && row->name == name) {
        return *row;
    }
    return name.ends_with(picture_pipe.name) ? picture_pipe : nothing_known;
}

bool is_playlist(const AVInputFormat& format) {
    return demuxer_facts(format).has(input_fact::playlist);
}

bool is_script(const AVInputFormat& format) {
    return demuxer_facts(format).has(input_fact::script);
}

bool is_device(const AVInputFormat& format) {
    return format.priv_class != nullptr && AV_IS_INPUT_DEVICE(format.priv_class->category);
}

bool is_transport_stream(const AVInputFormat& format) {
    return demuxer_facts(format).has(input_fact::transport);
}

bool takes_wall_clock(const OptionPairs& options) {
    constexpr const char* name = "use_wallclock_as_timestamps";
    const std::string* const value = find_option(options, name);
    if (value == nullptr) {
        return false;
    }
    const std::unique_ptr<AVFormatContext, decltype(&avformat_free_context)> taker(avformat_alloc_context(),
                                                                                   &avformat_free_context);
    if (!taker) {
        throw std::bad_alloc();
    }
    return av_opt_set(taker.get(), name, value->c_str(), 0) >= 0 && taker->use_wallclock_as_timestamps != 0;
}

bool has_no_times(const AVInputFormat& format, const OptionPairs& options) {
    const bool counted = (format.flags & AVFMT_NOTIMESTAMPS) != 0 ||
                         demuxer_facts(format).has(input_fact::bare | input_fact::pictures | input_fact::raw) ||
                         std::string_view(format.name) == "image2pipe";
    return counted && !takes_wall_clock(options);
}

std::string allowed_formats(bool named) {
    std::string names;
    void* state = nullptr;
    while (const AVInputFormat* format = av_demuxer_iterate(&state)) {
        const DemuxerFacts& facts = demuxer_facts(*format);
        if (!facts.has(input_fact::playlist) && !is_device(*format) && (named || !facts.has(input_fact::text_art))) {
            names += (names.empty() ? "" : ",") + std::string(format->name);
        }
    }
    return names;
}

}  // namespace vfilter
