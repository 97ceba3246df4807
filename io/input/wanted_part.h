#pragma once
// Which part of an input is wanted, by its clock.

#include <cstdint>
#include <optional>
#include <vector>

#include "config/io_options.h"
#include "io/handles.h"
#include "io/input/chapters.h"

namespace vfilter {

/// What a part is reckoned from: where an input begins, and how fast its pictures follow each other.
struct InputClock {
    std::int64_t begin = 0;          ///< when the input begins, microseconds
    std::int64_t first_picture = 0;  ///< when its first picture is shown, microseconds
    AVRational rate{25, 1};          ///< pictures a second, of variable rates the finest
    double average_rate = 25;        ///< the same on the average

    /// Whether pictures follow each other at one rate, by what the container says.
    [[nodiscard]] bool is_regular() const;
};

/// A part of an input, or all of it. Times are microseconds of the input's clock; there is no limit where they are
/// empty.
struct WantedPart {
    std::int64_t input_begin = 0;    ///< --start counts seconds from here
    std::int64_t first_picture = 0;  ///< and frames from here
    /// A little early, so that a rounded time means the picture that has it.
    std::optional<std::int64_t> start;
    /// The same of the end; an estimate where the user gave a number of frames.
    std::optional<std::int64_t> end;
    /// The same of pictures, without what `max_frames` only lets expect.
    std::optional<std::int64_t> picture_end;
    /// Where all but pictures ends: `end`, without the margin that rounded times of pictures need.
    std::optional<std::int64_t> exact_end;
    std::optional<std::int64_t> max_frames;
    /// Whether `exact_end` is known before the pictures are: of a number of frames whose rate varies it is an estimate.
    bool knows_end = false;
    /// When the first picture of the part is shown, as the rate says.
    std::int64_t first_wanted_picture = 0;
    /// What to subtract from every timestamp: with --start, and of a live input, the output begins at 0.
    std::int64_t shift = 0;

    [[nodiscard]] bool takes_part() const { return start || end; }
};

/// The part that the options mean. Of a `live` input time begins with its first picture. Throws Error(usage) where
/// there is no such chapter, or one ends before the part begins.
WantedPart wanted_part(const InputOptions& options, const InputClock& clock, bool live,
                       const std::vector<ChapterPlace>& chapters = {});

}  // namespace vfilter
