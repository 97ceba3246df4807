#pragma once
// Which part of an input is wanted, in its clock.

#include <cstdint>
#include <optional>
#include <vector>

#include "config/io_options.h"
#include "io/handles.h"
#include "io/input/chapters.h"

namespace vfilter {

/// What is needed to compute a part: where an input begins, and the rate of its pictures.
struct InputClock {
    std::int64_t begin = 0;          ///< when the input begins, microseconds
    std::int64_t first_picture = 0;  ///< when its first picture is displayed, microseconds
    AVRational rate{25, 1};          ///< pictures per second, the finest of variable rates
    double average_rate = 25;        ///< their average

    /// Whether pictures follow each other at one rate, according to the container.
    [[nodiscard]] bool is_regular() const;
};

/// A part of an input, or all of it. Times are microseconds of the input's clock; empty means no limit.
struct WantedPart {
    std::int64_t input_begin = 0;    ///< --start counts seconds from here
    std::int64_t first_picture = 0;  ///< and frames from here
    /// Slightly early, so that a rounded time refers to the picture that has it.
    std::optional<std::int64_t> start;
    /// The same for the end; an estimate if the user gave a number of frames.
    std::optional<std::int64_t> end;
    /// The same for pictures, without the estimate for `max_frames`.
    std::optional<std::int64_t> picture_end;
    /// Where everything except pictures ends: `end`, without the margin that rounded times of pictures need.
    std::optional<std::int64_t> exact_end;
    std::optional<std::int64_t> max_frames;
    /// Whether `exact_end` is known before the pictures are: for a number of frames at a variable rate it is an
    /// estimate.
    bool knows_end = false;
    /// When the first picture of the part is displayed, according to the rate.
    std::int64_t first_wanted_picture = 0;
    /// What to subtract from every timestamp: with --start, and for a live input, the output begins at 0.
    std::int64_t shift = 0;

    [[nodiscard]] bool takes_part() const { return start || end; }
};

/// The part that the options specify. For a `live` input time begins with its first picture. Throws Error(usage) if the
/// chapter does not exist, or if it ends before the part begins.
WantedPart wanted_part(const InputOptions& options, const InputClock& clock, bool live,
                       const std::vector<ChapterPlace>& chapters = {});

}  // namespace vfilter
