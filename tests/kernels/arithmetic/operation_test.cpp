// What part of a line its results are made of.

#include "kernels/arithmetic/operation.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

TEST(PartOfLine, ReachesToBothSidesAndEndsWithTheLine) {
    const LinePart inside = part_of_line({4, 1}, Border::reflect_101, 20, 30, 100);
    EXPECT_EQ(inside.first, 16);
    EXPECT_EQ(inside.last, 34);
    EXPECT_EQ(inside.length(), 18);
    const LinePart at_edges = part_of_line({40, 1}, Border::constant, 20, 70, 100);
    EXPECT_EQ(at_edges.first, 0);
    EXPECT_EQ(at_edges.last, 100);
    const LinePart in_units = part_of_line({5, 8}, Border::replicate, 30, 40, 50);
    EXPECT_EQ(in_units.first, 24);
    EXPECT_EQ(in_units.last, 48);
}

// What lies beyond one end is the other end's.
TEST(PartOfLine, IsAllOfALineThatWrapsAround) {
    EXPECT_EQ(part_of_line({4, 1}, Border::wrap, 20, 30, 100).length(), 18);
    EXPECT_EQ(part_of_line({4, 1}, Border::wrap, 3, 30, 100).length(), 100);
    EXPECT_EQ(part_of_line({4, 1}, Border::wrap, 20, 97, 100).length(), 100);
}

}  // namespace
}  // namespace vfilter
