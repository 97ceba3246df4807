#pragma once
// What help tells of the qualities that encoders have without --crf, made of the table of encoders. While the program
// is compiled: the tables of help hold views.

#include <algorithm>
#include <array>
#include <cstddef>
#include <iterator>
#include <string_view>

#include "config/encoder_facts.h"

namespace vfilter {

class FixedText {
public:
    constexpr void add(std::string_view more) {
        std::ranges::copy(more, letters_.begin() + static_cast<std::ptrdiff_t>(size_));
        size_ += more.size();
    }
    /// From 0 to 99.
    constexpr void add_number(int number) {
        constexpr int ten = 10;
        const char digits[] = {static_cast<char>('0' + number / ten), static_cast<char>('0' + number % ten)};
        add(std::string_view(digits, std::size(digits)).substr(number < ten ? 1 : 0));
    }
    [[nodiscard]] constexpr std::string_view view() const { return {letters_.data(), size_}; }

private:
    std::array<char, 2048> letters_{};
    std::size_t size_ = 0;
};

/// A codec of which help says it, by the encoder that is taken first.
struct ToldQuality {
    std::string_view common;  ///< of CommonEncoder
    std::string_view codec;
    std::string_view program;  ///< "" where nobody would ask which
};
inline constexpr ToldQuality told_qualities[] = {{"h264", "H.264", "x264"},
                                                 {"hevc", "HEVC", "x265"},
                                                 {"vp9", "VP9", ""},
                                                 {"vp8", "VP8", ""},
                                                 {"av1", "AV1", "SVT-AV1"}};

constexpr int usual_quality(std::string_view encoder) {
    return static_cast<int>(encoder_facts(encoder).quality.usual);
}

/// "23 for H.264 (x264), 28 for HEVC (x265) and ...".
constexpr FixedText with_qualities(std::string_view before, bool programs, std::string_view behind) {
    FixedText text;
    text.add(before);
    for (const ToldQuality& row : told_qualities) {
        const bool last = &row == std::end(told_qualities) - 1;
        text.add(&row == std::begin(told_qualities) ? "" : last ? " and " : ", ");
        text.add_number(usual_quality(usual_encoder(row.common)));
        text.add(" for ");
        text.add(row.codec);
        if (programs && !row.program.empty()) {
            text.add(" (");
            text.add(row.program);
            text.add(")");
        }
    }
    text.add(behind);
    return text;
}

inline constexpr FixedText crf_help = with_qualities("constant quality; default ", false, "");

}  // namespace vfilter
