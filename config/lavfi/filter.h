#pragma once
// What there is to know of a filter of libavfilter's: a row of filters_of_pictures.h or filters_of_sound.h.

#include <cstdint>
#include <string_view>

namespace vfilter::lavfi {

using Facts = std::uint32_t;

// What becomes of numbers and times of pictures. Where neither is said one comes out for each, at its time.
inline constexpr Facts numbers = 1U << 0;  ///< more come out, or fewer, and the times stay what they are
inline constexpr Facts times = 1U << 1;    ///< a moment of the input becomes another one

// Of which pictures one is made, whatever its time or number has to do with it. Where nothing is said it may be any.
inline constexpr Facts of_one = 1U << 2;      ///< of the one at its time alone, of each input
inline constexpr Facts of_earlier = 1U << 3;  ///< and of those before it
/// And of the next one: without it the last picture is made as that at the end of a video is.
inline constexpr Facts of_next = 1U << 4;
inline constexpr Facts timed = 1U << 5;  ///< made for a time or a number, or it brings pictures with times of their own

inline constexpr Facts moves_sound = 1U << 6;  ///< a moment of the input is heard at another one
inline constexpr Facts follows = 1U << 7;      ///< of sound, without delay: its results end with what it is given
inline constexpr Facts resamples = 1U << 8;    ///< who asks for it wants another sample rate
inline constexpr Facts endless = 1U << 9;  ///< a source of sound without end, but where its option "duration" says one

// Fields, and memory.
inline constexpr Facts reads_scan = 1U << 10;   ///< whether pictures say that they are interlaced decides what it does
inline constexpr Facts says_scan = 1U << 11;    ///< it makes whole pictures, or says by itself what its own are
inline constexpr Facts undoes_film = 1U << 12;  ///< its pictures are whole ones, and say that they are interlaced
inline constexpr Facts keeps_given = 1U << 13;  ///< it writes later into a picture that it was given
inline constexpr Facts rewrites_made = 1U << 14;  ///< it writes the next picture over one that it has given

// Colours.
inline constexpr Facts converts = 1U << 15;     ///< what was said of the range before it may be true no more
inline constexpr Facts sets_matrix = 1U << 16;  ///< it says the matrix of its pictures, or makes others of them
inline constexpr Facts makes_alpha = 1U << 17;
inline constexpr Facts opaque = 1U << 18;  ///< it takes pictures with alpha alone, and leaves it opaque

inline constexpr Facts draws = 1U << 19;         ///< other pictures than it is given, with what it has seen
inline constexpr Facts settles = 1U << 20;       ///< it comes to what it does by and by
inline constexpr Facts keeps_places = 1U << 21;  ///< it leaves all of a picture where it is, perhaps in another size
inline constexpr Facts shows_words = 1U << 22;   ///< of a file, at their times
inline constexpr Facts measures = 1U << 23;  ///< it looks at pictures or sound, and says in the log what it has seen

// What it reaches besides what goes through it.
inline constexpr Facts device = 1U << 24;      ///< its pictures lie in the memory of a device: see is_of_device()
inline constexpr Facts names_file = 1U << 25;  ///< the first of its options is a name or a text, no expression
inline constexpr Facts files = 1U << 26;       ///< reads or writes files of the user's
inline constexpr Facts network = 1U << 27;     ///< opens addresses
inline constexpr Facts libraries = 1U << 28;   ///< loads code
inline constexpr Facts outward = files | network | libraries;

/// It says something of its pictures, and takes any samples. (Those that change times do so, too, but what is made of
/// their pictures for an encoder is ffmpeg's.)
inline constexpr Facts leaves_samples = 1U << 30;

inline constexpr Facts sought = 1U << 29;  ///< many people use it, and none of vfilter's filters is like it

struct Filter {
    std::string_view name;
    Facts facts = 0;
    /// Of one that reaches outward: the options, separated by '|', without which it does not; "" where it may do so
    /// whatever it is given.
    std::string_view reaches_by{};
    /// Words of its options, separated by blanks, with which its pictures are made of later ones.
    std::string_view later_with{};
};

}  // namespace vfilter::lavfi
