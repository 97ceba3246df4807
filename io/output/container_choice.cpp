#include "io/output/container_choice.h"

#include <fmt/format.h>

#include <string>
#include <string_view>

#include "io/containers.h"
#include "io/output/sink.h"
#include "io/stills.h"

namespace vfilter {

namespace {

// A muxer that opens files by itself would name them itself, and replace what it finds there: playlists with their
// segments, series of pictures, tees.
void check_container(const AVOutputFormat& format, const OutputOptions& options) {
    const std::string_view name = format.name;
    if (name == "image2" || name == "ico") {
        throw Error(ExitCode::usage, fmt::format("{}: pictures of the format {} are not written",
                                                 options.path.empty() ? options.format : options.path, name));
    }
    if ((format.flags & AVFMT_NOFILE) != 0 && !container_of(format).has(fact::nowhere) &&
        sink_of(options.path) == nullptr) {
        throw Error(
            ExitCode::usage,
            fmt::format("the format {} would write files that you did not name, which vfilter does not allow; write "
                        "one file, of which ffmpeg -i OUTPUT -c copy makes others",
                        name));
    }
}

}  // namespace

const AVOutputFormat& choose_container(const OutputOptions& options) {
    if (const std::optional<Stills> stills = stills_of(options)) {
        return *stills->container;
    }
    const char* const name = !options.format.empty()            ? options.format.c_str()
                             : options.path == "-"              ? "matroska"
                             : sink_of(options.path) != nullptr ? sink_of(options.path)->muxer.data()
                                                                : nullptr;
    // Of .vob FFmpeg knows two muxers, and takes the one of Super Video CDs.
    const bool vob = name == nullptr && options.path.ends_with(".vob");
    const std::string known = options.format == "y4m"   ? "yuv4mpegpipe"
                              : options.format == "mkv" ? "matroska"
                              : vob                     ? "vob"
                                                        : "";
    const AVOutputFormat* const format = av_guess_format(
        known.empty() ? name : known.c_str(), name != nullptr || vob ? nullptr : options.path.c_str(), nullptr);
    if (format == nullptr) {
        throw Error(ExitCode::usage,
                    name != nullptr
                        ? fmt::format("--format: FFmpeg cannot write '{}'", name)
                        : fmt::format("{}: the name does not tell the format; give --format", options.path));
    }
    check_container(*format, options);
    return *format;
}

std::string container_list() {
    std::string text;
    void* state = nullptr;
    while (const AVOutputFormat* const format = av_muxer_iterate(&state)) {
        try {
            check_container(*format, {});
        } catch (const Error&) {
            continue;
        }
        if (format->video_codec != AV_CODEC_ID_NONE) {
            text += fmt::format("{:<20}{}\n", format->name, format->long_name != nullptr ? format->long_name : "");
        }
    }
    return text;
}

}  // namespace vfilter
