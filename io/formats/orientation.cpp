#include "io/formats/orientation.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <optional>

#include "io/compat.h"

namespace vfilter {

namespace {

constexpr std::size_t matrix_bytes = 9 * sizeof(std::int32_t);

// What an axis becomes: 1 and 0 or the like, as x and y, or nothing if it does not lie along one.
struct Axis {
    int x;
    int y;
};

std::optional<Axis> along_an_axis(double x, double y) {
    const double tolerance = std::tan(0.5 * 3.14159265358979323846 / 180);
    const double longer = std::max(std::abs(x), std::abs(y));
    if (longer == 0 || std::min(std::abs(x), std::abs(y)) > tolerance * longer) {
        return std::nullopt;
    }
    const bool flat = std::abs(x) == longer;
    return Axis{flat ? (x > 0 ? 1 : -1) : 0, flat ? 0 : (y > 0 ? 1 : -1)};
}

DisplayTurn turn_of(const std::uint8_t* bytes, std::size_t size) {
    std::int32_t matrix[9] = {};
    if (size < matrix_bytes) {
        return {};
    }
    std::memcpy(matrix, bytes, matrix_bytes);
    return display_turn(matrix);
}

}  // namespace

DisplayTurn display_turn(const std::int32_t (&matrix)[9]) {
    // A point x, y is shown at a x + c y, b x + d y, with y downwards: the columns are what becomes of the axes.
    const std::optional<Axis> across = along_an_axis(matrix[0], matrix[1]);
    const std::optional<Axis> down = along_an_axis(matrix[3], matrix[4]);
    if (!across || !down || (across->x == 0) == (down->x == 0)) {
        return {};
    }
    // Mirroring left to right leaves the second axis where it is, which so tells the turn.
    const int turns = down->y > 0 ? 0 : down->x < 0 ? 1 : down->y < 0 ? 2 : 3;
    return {turns, across->x * down->y - across->y * down->x < 0};
}

DisplayTurn display_turn(const AVStream& stream) {
    DisplayTurn turn;
    for_each_side_data(stream, [&](const AVPacketSideData& data) {
        if (data.type == AV_PKT_DATA_DISPLAYMATRIX) {
            turn = turn_of(data.data, data.size);
        }
    });
    return turn;
}

DisplayTurn display_turn(const AVFrame& picture, const AVStream& stream) {
    const AVFrameSideData* const own = av_frame_get_side_data(&picture, AV_FRAME_DATA_DISPLAYMATRIX);
    return own != nullptr ? turn_of(own->data, own->size) : display_turn(stream);
}

}  // namespace vfilter
