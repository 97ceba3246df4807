#include "pipeline/live/region_drag.h"

#include <gtest/gtest.h>

#include <string>

namespace vfilter {
namespace {

Region region_of(const std::string& text) {
    Region region;
    region.rectangles = parse_rectangles(text);
    return region;
}

// In a picture of 100 x 80, with edges three pixels wide; "" where the mouse has hardly moved.
std::string dragged(const std::string& region, RegionDrag::Point from, RegionDrag::Point to, bool add = false) {
    RegionDrag drag(region.empty() ? Region{} : region_of(region), 100, 80, from, {3, 3}, add);
    drag.to(to);
    return drag.meant() ? to_string(drag.rectangles()) : "";
}

TEST(RegionDrag, DrawsANewRectangle) {
    EXPECT_EQ(dragged("", {10, 20}, {30, 60}), "10,20,20,40");
    EXPECT_EQ(dragged("", {30, 60}, {10, 20}), "10,20,20,40") << "whichever corner is the first";
    EXPECT_EQ(dragged("", {90, 70}, {500, -500}), "90,0,10,70") << "within the picture";
    EXPECT_EQ(dragged("", {100, 80}, {100, 60}), "99,60,1,20") << "a pixel at least";
    EXPECT_EQ(dragged("60,60,10,10+80,0,5,5", {10, 20}, {30, 60}), "10,20,20,40") << "in place of the others";
    EXPECT_EQ(dragged("60,60,10,10", {62, 62}, {90, 70}, true), "60,60,10,10+62,62,28,8") << "or besides them";
}

TEST(RegionDrag, MovesOne) {
    EXPECT_EQ(dragged("40,40,20,20", {50, 50}, {60, 45}), "50,35,20,20");
    EXPECT_EQ(dragged("40,40,20,20", {50, 50}, {99, 79}), "80,60,20,20") << "no further than the picture goes";
    EXPECT_EQ(dragged("0,0,10,10+25%,25%,10%,10%", {30, 24}, {40, 24}), "0,0,10,10+35,20,10,8")
        << "percent become pixels, and what was not touched stays";
}

TEST(RegionDrag, MovesAnEdgeOrACorner) {
    EXPECT_EQ(dragged("40,40,20,20", {41, 50}, {31, 70}), "30,40,30,20");
    EXPECT_EQ(dragged("40,40,20,20", {62, 58}, {72, 68}), "40,40,30,30");
    EXPECT_EQ(dragged("40,40,20,20", {40, 50}, {80, 50}), "60,40,20,20") << "past the other one";
    EXPECT_EQ(dragged("40,40,4,4", {42, 42}, {52, 42}), "50,40,4,4") << "a small one can be moved, too";
}

TEST(RegionDrag, IsNothingWhereTheMouseHasHardlyMoved) {
    EXPECT_EQ(dragged("", {10, 20}, {12, 22}), "");
    RegionDrag drag(region_of("40,40,20,20"), 100, 80, {50, 50}, {3, 3}, false);
    drag.to({60, 50});
    drag.to({50, 50});
    EXPECT_TRUE(drag.meant()) << "there and back again";
    EXPECT_EQ(to_string(drag.rectangles()), "40,40,20,20");
}

}  // namespace
}  // namespace vfilter
