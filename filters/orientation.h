#pragma once
// How a stored picture is turned to be shown.

namespace vfilter {

/// Mirrored left to right, if at all, and then turned clockwise.
struct Orientation {
    int quarter_turns = 0;  ///< 0 to 3
    bool mirrored = false;

    [[nodiscard]] bool as_stored() const { return quarter_turns == 0 && !mirrored; }
    /// Whether the stored width is the shown height.
    [[nodiscard]] bool swaps_sides() const { return quarter_turns % 2 != 0; }
    bool operator==(const Orientation&) const = default;
};

}  // namespace vfilter
