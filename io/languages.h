#pragma once
// Names of languages.

#include <span>
#include <string>
#include <string_view>

namespace vfilter {

/// The three letters of a language that BCP 47 names, as Matroska has them: "ger" of "de-CH"; "" of one that has none.
std::string three_letters(const std::string& language);

/// A language that ISO 639-2 has two codes for, or one that FFmpeg spells in mov as nobody else does. Matroska has
/// those of bibliographies, mp4 the others.
struct TwoCodes {
    std::string_view bibliographic;
    std::string_view terminological;
    std::string_view in_mov;  ///< the one of which FFmpeg's muxer of mov knows Apple's number; "" where of none

    [[nodiscard]] bool has(std::string_view code) const {
        return !code.empty() && (code == bibliographic || code == terminological || code == in_mov);
    }
};
std::span<const TwoCodes> languages_with_two_codes();

}  // namespace vfilter
