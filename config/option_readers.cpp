#include "config/option_readers.h"

#include <fmt/format.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdint>
#include <set>
#include <string_view>
#include <utility>

#include "config/encoder_facts.h"
#include "config/option_values.h"

namespace vfilter {

namespace {

constexpr std::string_view chapter_word = "chapter:";

}  // namespace

Position parse_place(std::string_view option, const std::string& text) {
    if (!text.starts_with(chapter_word)) {
        return parse_position(option, text);
    }
    constexpr int most_chapters = 1'000'000;
    int number = 0;
    if (!parse_number(std::string_view(text).substr(chapter_word.size()), number) || number < 1 ||
        number > most_chapters) {
        refuse(option, fmt::format("'{}' is not a chapter by its number, from 1, such as chapter:2; several are "
                                   "--start chapter:2 --end chapter:4",
                                   shortened(text)));
    }
    return {.value = static_cast<double>(number), .chapter = true};
}

std::string show_position(const std::optional<Position>& position) {
    return !position           ? ""
           : position->chapter ? fmt::format("{}{:.0f}", chapter_word, position->value)
           : position->frames  ? fmt::format("{:.0f}f", position->value)
                               : fmt::format("{}", position->value);
}

void parse_device(Command& command, const std::string& text) {
    constexpr std::string_view gpu = "cuda";
    constexpr int max_gpus = 64;
    std::set<int> numbers;
    const auto is_gpu = [&](std::string_view name) {
        int number = 0;
        const bool known = name == gpu || (name.starts_with("cuda:") &&
                                           parse_number(name.substr(gpu.size() + 1), number) && number >= 0);
        if (known && (!numbers.insert(number).second || numbers.size() > max_gpus)) {
            refuse("device", fmt::format("cuda:{} is named twice, or more than {} GPUs are", number, max_gpus));
        }
        return known;
    };
    bool gpus = true;
    for (std::size_t begin = 0, end = 0; gpus && end != std::string::npos; begin = end + 1) {
        end = text.find(',', begin);
        gpus = is_gpu(std::string_view(text).substr(begin, end == std::string::npos ? end : end - begin));
    }
    if (text != "auto" && text != "cpu" && text != "all" && !gpus) {
        refuse("device", fmt::format("'{}' is none of auto, cpu, cuda, cuda:N, cuda:N,cuda:M, all", shortened(text)));
    }
    command.options.device = text;
}

std::string parse_size(std::string_view option, const std::string& text) {
    constexpr int max_side = 32768;
    const std::size_t cross = text.find('x');
    int width = 0;
    int height = 0;
    if (cross == std::string::npos || !parse_number(std::string_view(text).substr(0, cross), width) ||
        !parse_number(std::string_view(text).substr(cross + 1), height) || width < 1 || width > max_side ||
        height < 1 || height > max_side) {
        refuse(option,
               fmt::format("'{}' is not a size such as 1280x720, each from 1 to {}", shortened(text), max_side));
    }
    return fmt::format("{}x{}", width, height);
}

std::string parse_framerate(std::string_view option, const std::string& text) {
    constexpr double max_rate = 1000;
    constexpr int ntsc = 1001;
    const std::size_t slash = text.find('/');
    std::int64_t over = 0;
    std::int64_t under = 1;
    if (slash != std::string::npos && parse_number(std::string_view(text).substr(0, slash), over) &&
        parse_number(std::string_view(text).substr(slash + 1), under) && over >= 1 && over <= INT_MAX && under >= 1 &&
        under <= INT_MAX && static_cast<double>(over) <= max_rate * static_cast<double>(under)) {
        return text;
    }
    double rate = 0;
    if (slash != std::string::npos || !parse_number(text, rate) || !(rate >= 0.001 && rate <= max_rate)) {
        refuse(option, fmt::format("'{}' is not a rate such as 25, 23.976 or 30000/1001", shortened(text)));
    }
    const double whole = std::round(rate * ntsc / 1000);
    if (std::abs(whole * 1000 / ntsc - rate) < 0.0006 && rate != std::round(rate)) {
        return fmt::format("{:.0f}/{}", whole * 1000, ntsc);
    }
    return fmt::format("{:.0f}/1000", std::round(rate * 1000));
}

std::int64_t parse_pixels(std::string_view option, const std::string& text) {
    constexpr double max_pixels = INT_MAX;  // FFmpeg counts them in an int
    const bool millions = text.ends_with('M');
    double value = 0;
    const std::string_view digits = std::string_view(text).substr(0, text.size() - (millions ? 1 : 0));
    const bool number = parse_number(digits, value);
    value *= millions ? 1e6 : 1;
    if (!number || !(value >= 1 && value <= max_pixels)) {
        refuse(option,
               fmt::format("'{}' is not a number of pixels such as 160M, up to {:.0f}", shortened(text), max_pixels));
    }
    return static_cast<std::int64_t>(value);
}

void parse_encoders(Command& command, const std::string& text) {
    OutputOptions& output = command.options.output;
    constexpr int most_encoders = 64;
    constexpr int fewest_pictures = 8;
    constexpr int most_pictures = 10'000;
    const std::size_t colon = text.find(':');
    output.encoders = ranged<int>("encoders", text.substr(0, colon), 1, most_encoders);
    output.part_pictures = colon == std::string::npos
                               ? 0
                               : ranged<int>("encoders", text.substr(colon + 1), fewest_pictures, most_pictures);
}

std::string show_encoders(const Options& options) {
    const OutputOptions& output = options.output;
    if (output.encoders == 1 && output.part_pictures == 0) {
        return "";
    }
    return output.part_pictures == 0 ? fmt::format("{}", output.encoders)
                                     : fmt::format("{}:{}", output.encoders, output.part_pictures);
}

void parse_crop(Command& command, const std::string& text) {
    if (text != "auto") {
        refuse("crop", fmt::format("'{}' is not auto, which finds black bars; numbers mean something else in each "
                                   "program, and are --vf crop=W:H:X:Y here: width, height, what lies left and above",
                                   shortened(text)));
    }
    command.options.auto_crop = true;
}

void choose_codec(Command& command, const std::string& codec) {
    OutputOptions& output = command.options.output;
    output.codec = codec;
    const FileEncoder other = std::exchange(command.file_encoder, {});
    if (usual_encoder(other.codec) == usual_encoder(codec)) {
        command.file_encoder = other;
        return;
    }
    if (output.preset == other.preset) {
        output.preset.clear();
    }
    for (const auto& option : other.options) {
        const auto said = std::ranges::find(output.encoder_options, option);
        if (said != output.encoder_options.end()) {
            output.encoder_options.erase(said);
        }
    }
}

}  // namespace vfilter
