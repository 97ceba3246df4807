#pragma once
// When a filter works: places in the video, as values and as text.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vfilter {

inline constexpr std::size_t max_spans = 1000;  ///< of one filter

/// Where a picture is in the input. Both are meant as --start means them.
struct PictureTime {
    std::int64_t number = 0;  ///< of the input's pictures, from 0
    double seconds = 0;       ///< from the input's beginning
};

/// A number of seconds, or of a picture.
struct Moment {
    double value = 0;  ///< >= 0; whole if it is a picture's number
    bool frames = false;
    bool operator==(const Moment&) const = default;

    /// Whether the picture comes before it. Seconds lie a millisecond early, so that rounded ones mean the picture that
    /// has them.
    [[nodiscard]] bool is_after(const PictureTime& picture) const;
};

/// Pictures from the first moment on, and before the second: [from, to).
struct Span {
    Moment from{};
    std::optional<Moment> to{};  ///< none: up to the end
    bool operator==(const Span&) const = default;

    [[nodiscard]] bool holds(const PictureTime& picture) const {
        return !from.is_after(picture) && (!to || to->is_after(picture));
    }
};

/// "5-10", "90f-200f+300f-", "-2.5". Throws std::invalid_argument with a sentence.
std::vector<Span> parse_spans(std::string_view text);
/// What parse_spans reads back.
std::string to_string(const std::vector<Span>& spans);

}  // namespace vfilter
