// Values of ffmpeg's words that mean something else, or are written otherwise, here.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <cstddef>
#include <iterator>
#include <string>
#include <string_view>
#include <system_error>

#include "config/error.h"
#include "config/ffmpeg_translation.h"
#include "config/option_table.h"
#include "config/option_values.h"
#include "filters/names.h"

namespace vfilter::ffmpeg_words_detail {

namespace {

/// Of a number of seconds.
struct TimeUnit {
    std::string_view name;
    double seconds;
};
constexpr TimeUnit time_units[] = {{"ms", 1e-3}, {"us", 1e-6}, {"s", 1}};

/// What is said of colours: ffmpeg's names that are setparams' names, too, and those that are not.
struct ColourNames {
    std::string_view word;
    std::string_view same;
    std::string_view other;  ///< each with setparams' name, "gamma22=bt470m"
};
constexpr ColourNames colour_names[] = {
    {"-color_primaries",
     "bt709 bt470m bt470bg smpte170m smpte240m film bt2020 smpte428 smpte431 smpte432 jedec-p22 ebu3213 unknown",
     "smpte428_1=smpte428 unspecified=unknown"},
    {"-color_trc",
     "bt709 smpte170m smpte240m linear log100 log316 iec61966-2-4 bt1361e iec61966-2-1 bt2020-10 bt2020-12 smpte2084 "
     "smpte428 arib-std-b67 unknown",
     "gamma22=bt470m gamma28=bt470bg unspecified=unknown log=log100 log_sqrt=log316 iec61966_2_4=iec61966-2-4 "
     "bt1361=bt1361e iec61966_2_1=iec61966-2-1 bt2020_10bit=bt2020-10 bt2020_12bit=bt2020-12 smpte428_1=smpte428"},
    {"-colorspace",
     "bt709 fcc bt470bg smpte170m smpte240m ycgco bt2020nc bt2020c smpte2085 chroma-derived-nc chroma-derived-c "
     "ictcp unknown",
     "rgb=gbr unspecified=unknown ycocg=ycgco bt2020_ncl=bt2020nc bt2020_cl=bt2020c"},
    {"-color_range", "tv pc mpeg jpeg unknown", "unspecified=unknown"},
};

// What stands behind "NAME=" in a list of such; "" without it.
std::string_view other_name(std::string_view list, std::string_view name) {
    while (!list.empty()) {
        const std::string_view one = list.substr(0, list.find(' '));
        if (one.size() > name.size() && one.starts_with(name) && one[name.size()] == '=') {
            return one.substr(name.size() + 1);
        }
        list.remove_prefix(std::min(list.size(), one.size() + 1));
    }
    return "";
}

/// ffmpeg's levels by name and number.
struct Level {
    std::string_view name;
    std::string_view number;
    std::string_view ours;
};
constexpr Level levels[] = {{"quiet", "-8", "quiet"},   {"panic", "0", "error"},      {"fatal", "8", "error"},
                            {"error", "16", "error"},   {"warning", "24", "warning"}, {"info", "32", "info"},
                            {"verbose", "40", "debug"}, {"debug", "48", "debug"},     {"trace", "56", "debug"}};

// Whether the filter finds it by itself: it looks for small numbers.
bool is_simple_ratio(std::string_view ratio) {
    constexpr std::size_t digits = 2;  // of each number
    const std::size_t slash = ratio.find('/');
    return slash <= digits && ratio.size() - slash - 1 <= digits &&
           ratio.find_first_not_of("0123456789/") == std::string_view::npos;
}

}  // namespace

std::string time_of(const Word& row, const std::string& value) {
    if (value.starts_with('-')) {
        refuse(row, fmt::format("'{}': times count from the beginning, which is 0", shortened(value)));
    }
    for (const TimeUnit& unit : time_units) {
        double count = 0;
        if (value.ends_with(unit.name) &&
            parse_number(std::string_view(value).substr(0, value.size() - unit.name.size()), count) && count >= 0 &&
            std::isfinite(count)) {
            return fixed_digits(count * unit.seconds);
        }
    }
    try {
        parse_position(row.option, value);
    } catch (const Error&) {  // whose words are of our option
        refuse(row, fmt::format("'{}' is neither seconds nor [hh:]mm:ss.xxx", shortened(value)));
    }
    return value;
}

// In libavcodec's unit, FF_QP2LAMBDA, of which ffmpeg makes it as well.
void take_quantiser(Translation& to, const Word& row, const std::string& value) {
    constexpr double unit = 118;
    double quantiser = 0;
    const auto [rest, error] = std::from_chars(value.data(), value.data() + value.size(), quantiser);
    if (error != std::errc() || rest != value.data() + value.size() || !(quantiser >= 0 && quantiser <= 100)) {
        refuse(row, fmt::format("'{}' is not a number from 0 to 100", shortened(value)));
    }
    to.add("encoder-option", "flags=+qscale");
    to.add("encoder-option", fmt::format("global_quality={}", std::lround(quantiser * unit)));
}

// A colon separates arguments of a filter. ffmpeg looks for numbers up to 255.
void take_aspect(Translation& to, const Word& row, const std::string& value) {
    std::string ratio = value;
    std::ranges::replace(ratio, ':', '/');
    take_last(to, row, is_simple_ratio(ratio) ? ratio : ratio + ":max=255");
}

void take_colour(Translation& to, const Word& row, const std::string& value) {
    const auto* const names =
        std::ranges::find(colour_names, row.words.substr(0, row.words.find(':')), &ColourNames::word);
    const std::string_view other = other_name(names->other, value);
    // The numbers are those of ffmpeg.
    if (other.empty() && !has_word(names->same, value) && value.find_first_not_of("0123456789") != std::string::npos) {
        std::string all(names->same);
        for (std::size_t blank = all.find(' '); blank != std::string::npos; blank = all.find(' ', blank + 2)) {
            all.replace(blank, 1, ", ");
        }
        refuse(row, fmt::format("'{}' is none of {}", shortened(value), all));
    }
    take_last(to, row, other.empty() ? value : std::string(other));
}

void take_decoding(Translation& to, const Word& row, const std::string& value) {
    constexpr std::array<std::string_view, 5> ours{"auto", "cuda", "nvdec", "cuvid", "none"};
    if (std::ranges::find(ours, value) == ours.end()) {
        refuse(row, "GPUs are NVIDIA's here; --decode auto|cpu|gpu");
    }
    if (value == "none") {
        to.add(row.option, "cpu");
    }
}

void take_log(Translation& to, const Word& row, const std::string& value) {
    const std::string level = value.substr(value.rfind('+') + 1);  // repeat+level+info
    const auto* const found =
        std::ranges::find_if(levels, [&](const Level& one) { return one.name == level || one.number == level; });
    if (found == std::end(levels)) {
        refuse(row,
               fmt::format("'{}' is none of ffmpeg's levels: quiet, error, warning, info, debug", shortened(value)));
    }
    to.add(row.option, found->ours);
}

}  // namespace vfilter::ffmpeg_words_detail
