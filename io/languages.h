#pragma once
// Names of languages.

#include <span>
#include <string>
#include <string_view>

namespace vfilter {

/// The three-letter code, in Matroska's form, for a language named by BCP 47: "ger" for "de-CH"; "" if there is none.
std::string three_letters(const std::string& language);

/// A language with two codes in ISO 639-2, or one that FFmpeg spells in its own way in mov. Matroska uses the
/// bibliographic codes, mp4 the others.
struct TwoCodes {
    std::string_view bibliographic;
    std::string_view terminological;
    std::string_view in_mov;  ///< the code for which FFmpeg's mov muxer knows Apple's number; "" if none

    [[nodiscard]] bool has(std::string_view code) const {
        return !code.empty() && (code == bibliographic || code == terminological || code == in_mov);
    }
};
std::span<const TwoCodes> languages_with_two_codes();

}  // namespace vfilter
