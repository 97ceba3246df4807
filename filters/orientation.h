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

/// Where in the stored picture the top left of the shown one is.
struct PictureCorner {
    bool right = false;
    bool bottom = false;
};
constexpr PictureCorner shown_corner(Orientation orientation) {
    // Turned clockwise, the top left of the shown picture was at the bottom left, then the bottom right.
    const bool right = orientation.quarter_turns == 2 || orientation.quarter_turns == 3;
    const bool bottom = orientation.quarter_turns == 1 || orientation.quarter_turns == 2;
    return {right != orientation.mirrored, bottom};
}

}  // namespace vfilter
