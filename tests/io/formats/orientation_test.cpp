// The display matrix: what it asks for, by libavutil's own functions that make it.

#include "io/formats/orientation.h"

#include <gtest/gtest.h>

extern "C" {
#include <libavutil/display.h>
}

#include <array>
#include <cmath>
#include <string>

namespace vfilter {
namespace {

std::array<std::int32_t, 9> matrix_of(double degrees_clockwise, bool mirrored) {
    std::array<std::int32_t, 9> matrix{};
    av_display_rotation_set(matrix.data(), degrees_clockwise);
    if (mirrored) {
        av_display_matrix_flip(matrix.data(), 1, 0);  // before the rotation
    }
    return matrix;
}

DisplayTurn turn_of(const std::array<std::int32_t, 9>& matrix) {
    std::int32_t plain[9];
    std::copy(matrix.begin(), matrix.end(), plain);
    return display_turn(plain);
}

// Where a point is shown that lies `x` to the right and `y` below the middle, by the definition of the matrix.
std::array<double, 2> shown(const std::array<std::int32_t, 9>& matrix, double x, double y) {
    return {(matrix[0] * x + matrix[3] * y) / 65536.0, (matrix[1] * x + matrix[4] * y) / 65536.0};
}

TEST(Orientation, IsWhatTheMatrixDoesToPoints) {
    for (int turns = 0; turns < 4; ++turns) {
        for (const bool mirrored : {false, true}) {
            for (const double off : {0.0, 0.4, -0.4}) {
                // libavutil counts clockwise here, although it documents the opposite for what it reads.
                const auto matrix = matrix_of(90.0 * turns + off, mirrored);
                const DisplayTurn turn = turn_of(matrix);
                double x = turn.mirrored ? -3 : 3;
                double y = 1;
                for (int i = 0; i < turn.quarter_turns; ++i) {
                    x = std::exchange(y, x) * -1;
                }
                const auto wanted = shown(matrix, 3, 1);
                EXPECT_NEAR(x, wanted[0], 0.1) << turns << mirrored << off;
                EXPECT_NEAR(y, wanted[1], 0.1) << turns << mirrored << off;
                EXPECT_EQ(turn.mirrored, mirrored);
                if (!mirrored) {
                    const double degrees = -av_display_rotation_get(matrix.data());
                    EXPECT_NEAR(std::remainder(90.0 * turn.quarter_turns - degrees, 360), 0, 0.5);
                }
            }
        }
    }
}

TEST(Orientation, IsNoneWhereNothingIsTurnedByQuarters) {
    const DisplayTurn none{};
    for (const double degrees : {0.6, 1.0, 30.0, 45.0, 89.4, 135.0, 200.0}) {
        EXPECT_EQ(turn_of(matrix_of(degrees, false)), none) << degrees;
        EXPECT_EQ(turn_of(matrix_of(degrees, true)), none) << degrees;
    }
    EXPECT_EQ(turn_of({}), none);
    EXPECT_EQ(turn_of({65536, 0, 0, 65536, 0, 0, 0, 0, 1 << 30}), none) << "a line";
    EXPECT_EQ(turn_of({65536, 65536, 0, 0, 65536, 0, 0, 0, 1 << 30}), none) << "sheared";
    EXPECT_EQ(turn_of({INT32_MIN, 0, 0, 0, INT32_MAX, 0, 0, 0, 0}), (DisplayTurn{0, true})) << "of any size";
}

}  // namespace
}  // namespace vfilter
