#include "io/output/tag_values.h"

extern "C" {
#include <libavutil/avstring.h>
#include <libavutil/avutil.h>
#include <libavutil/parseutils.h>
}

#include <algorithm>
#include <array>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <optional>

namespace vfilter {

namespace {

// Latitude and longitude as ISO 6709 writes them, with any number of digits: "+48.1+11.5/".
std::optional<std::array<double, 2>> place_of(const std::string& text) {
    std::array<double, 2> angles{};
    const char* rest = text.c_str();
    for (double& angle : angles) {
        char* end = nullptr;
        angle = *rest == '+' || *rest == '-' ? std::strtod(rest, &end) : 0;
        if (end == nullptr || end == rest) {
            return std::nullopt;
        }
        rest = end;
    }
    return angles;
}

bool same_place(const std::string& a, const std::string& b) {
    constexpr double tolerance = 0.0001;  // degrees: 11 m
    const auto one = place_of(a);
    const auto other = place_of(b);
    return one && other &&
           std::ranges::equal(*one, *other, [](double x, double y) { return std::abs(x - y) <= tolerance; });
}

// And its translations: location-eng.
bool is_location(std::string_view key) {
    constexpr std::string_view location = "location";
    return same_name(key.substr(0, location.size()), location);
}

// As muxers read it: without a zone the time is a local one, and between date and time may be a blank.
bool same_second(std::string a, std::string b) {
    constexpr std::size_t date = std::string_view("2026-01-31").size();
    constexpr std::size_t to_seconds = std::string_view("2026-01-31T12:00:00").size();
    constexpr std::int64_t second = AV_TIME_BASE;
    if (a.size() < to_seconds || b.size() < to_seconds) {
        return false;
    }
    a[date] = b[date] = 'T';
    std::int64_t one = 0;
    std::int64_t other = 0;
    return a.compare(0, to_seconds, b, 0, to_seconds) == 0 ||
           (av_parse_time(&one, a.c_str(), 0) >= 0 && av_parse_time(&other, b.c_str(), 0) >= 0 &&
            one / second == other / second);
}

}  // namespace

bool same_name(std::string_view a, std::string_view b) {
    return a.size() == b.size() && av_strncasecmp(a.data(), b.data(), a.size()) == 0;
}

std::string_view without_language(std::string_view key) {
    constexpr std::size_t suffix = std::string_view("-eng").size();
    const bool has_one = key.size() > suffix && key[key.size() - suffix] == '-';
    return has_one ? key.substr(0, key.size() - suffix) : key;
}

bool is_creation_time(std::string_view key) {
    return same_name(without_language(key), "creation_time");
}

bool same_value(const std::string& key, const std::string& wanted, const std::string& found) {
    return wanted == found || (is_creation_time(key) && same_second(wanted, found)) ||
           (is_location(key) && same_place(wanted, found));
}

}  // namespace vfilter
