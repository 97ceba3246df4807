// What stands before -i, and -i itself.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/concat_list.h"
#include "config/error.h"
#include "config/ffmpeg_translation.h"
#include "config/file_names.h"
#include "config/option_table.h"
#include "config/option_values.h"
#include "filters/names.h"

namespace vfilter::ffmpeg_words_detail {

namespace {

/// Input formats of ffmpeg's that are the beginning of a name here.
struct InputPrefix {
    std::string_view format;
    std::string_view prefix;
};
constexpr InputPrefix input_prefixes[] = {
    {"lavfi", "lavfi:"}, {"x11grab", "x11grab:"}, {"v4l2", ""}, {"video4linux2", ""}};

/// Devices of ffmpeg's that there are not here.
struct ForeignDevice {
    std::string_view formats;  ///< separated by blanks
    std::string_view instead;
};
constexpr ForeignDevice foreign_devices[] = {
    {"dshow vfwcap avfoundation qtkit", "cameras are /dev/video0 (--list cameras), of Linux alone"},
    {"gdigrab ddagrab kmsgrab fbdev", "a screen is x11grab::0, of X11 alone"},
    {"alsa pulse oss sndio jack openal", "sound is taken beside a camera or a screen: --audio-device default"}};

constexpr std::string_view raw_word =
    "before -i it is only for raw pictures (-f rawvideo), as other files state it themselves";

// Pictures without a word about them: ffmpeg takes some names for such.
bool is_raw(const Translation& to, std::string_view name) {
    constexpr std::array<std::string_view, 4> endings{".yuv", ".rgb", ".cif", ".qcif"};
    const bool named = std::ranges::any_of(endings, [&](std::string_view ending) { return name.ends_with(ending); });
    return to.inputs.format == "rawvideo" || (to.inputs.format.empty() && named);
}

// What is said of pictures before the input.
void add_pictures(Translation& to, const std::string& name) {
    const bool raw = is_raw(to, name);
    const bool camera = name.starts_with("/dev/") || name.starts_with("x11grab:") || name == "webcam";
    const auto add = [&](std::string_view option, std::string_view key, const std::string& value) {
        if (!value.empty()) {
            to.add(raw ? "input-option" : option, raw ? fmt::format("{}={}", key, value) : value);
        }
    };
    add(camera ? "camera-fps" : "framerate", "framerate", to.pictures.rate);
    if (!raw && !camera && to.pictures.size_word) {
        refuse(*to.pictures.size_word,
               "before -i it is the size of a camera's, screen's or raw pictures, and behind it -s scales");
    }
    add("camera-size", "video_size", to.pictures.size);
    if (!raw && !to.pictures.sample_format.empty()) {
        refuse(*find_ffmpeg_word("-pix_fmt"), raw_word);
    }
    if (!raw && to.pictures.raw_codec) {
        refuse(*to.pictures.raw_codec, decoder_word);
    }
    add("", "pixel_format", to.pictures.sample_format);
}

}  // namespace

void refuse_foreign_device(const Word& row, std::string_view format) {
    const auto* const found = std::ranges::find_if(
        foreign_devices, [format](const ForeignDevice& device) { return has_word(device.formats, format); });
    if (found != std::end(foreign_devices)) {
        refuse(row, fmt::format("'{}' is no input here; {}", format, found->instead));
    }
}

// Files that ffmpeg reads as one, byte by byte.
static void refuse_joined(const Word& row, std::string_view name) {
    constexpr std::string_view joined = "concat:";
    if (!name.starts_with(joined)) {
        return;
    }
    name.remove_prefix(joined.size());
    std::string files;
    while (!name.empty()) {
        const std::string_view one = name.substr(0, name.find('|'));
        files += fmt::format("{}{}", files.empty() ? "-i " : " --append ", one);
        name.remove_prefix(std::min(name.size(), one.size() + 1));
    }
    refuse(row, fmt::format("files that follow each other are --append: {}", files));
}

void take_input(Translation& to, const Word& row, const std::string& typed) {
    refuse_joined(row, typed);
    const std::string value = input_name(typed);
    if (to.inputs.count++ > 0) {
        const std::string offset = std::exchange(to.inputs.later, "");
        to.add("add", offset.empty() && value.find('=') == std::string::npos
                          ? value
                          : fmt::format("{}={}", offset.empty() ? "0" : offset, value));
        return;
    }
    if (!to.inputs.later.empty()) {
        refuse(*find_ffmpeg_word("-itsoffset"), "it is for a file that is added, and stands before a second -i");
    }
    if (to.inputs.format == "concat") {
        if (to.inputs.loops > 0) {
            refuse(*find_ffmpeg_word("-stream_loop"), "it is for one file, and not for a list");
        }
        const std::vector<std::string> files = read_concat_list(value);
        to.add(row.option, files.front());
        for (auto file = files.begin() + 1; file != files.end(); ++file) {
            to.add("append", *file);
        }
        return;
    }
    const auto* const named = std::ranges::find(input_prefixes, to.inputs.format, &InputPrefix::format);
    const bool prefixed = named != std::end(input_prefixes);
    if (!prefixed && !to.inputs.format.empty()) {
        to.add("input-format", to.inputs.format);
    }
    const std::string name = fmt::format("{}{}", prefixed ? named->prefix : "", value);
    add_pictures(to, name);
    to.add(row.option, name);
    for (int i = 0; i < to.inputs.loops; ++i) {
        to.add("append", name);
    }
}

void take_loops(Translation& to, const Word& row, const std::string& value) {
    constexpr int most = max_appended;
    if (!to.before_input || to.inputs.count > 0) {
        refuse(row, "it is for the input, and stands before its -i");
    }
    if (!parse_number(value, to.inputs.loops) || to.inputs.loops < 0 || to.inputs.loops > most) {
        refuse(row,
               fmt::format("'{}' is not a number of repeats from 0 to {}: endless repetition is not possible, so give "
                           "enough of them and cut the rest with -t",
                           shortened(value), most));
    }
}

void take_offset(Translation& to, const Word& row, const std::string& value) {
    const bool earlier = value.starts_with('-');
    const std::string text = value.substr(earlier || value.starts_with('+') ? 1 : 0);
    Position time{.frames = true};
    try {
        time = parse_position("add", text);
    } catch (const Error&) {  // whose words are of --add
    }
    if (time.frames) {
        refuse(row, fmt::format("'{}' is neither seconds nor [hh:]mm:ss.xxx", shortened(value)));
    }
    to.inputs.later = fmt::format("{}{}", earlier ? "-" : "", fixed_digits(time.value));
}

}  // namespace vfilter::ffmpeg_words_detail
