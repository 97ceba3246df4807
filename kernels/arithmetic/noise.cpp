#include "kernels/arithmetic/noise.h"

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdlib>

namespace vfilter {

namespace {

constexpr int block_side = 32;
constexpr int steps_above_black = 2;

struct Block {
    int left;
    int top;
    int width;
    int height;
};

// Blocks along a line, which begin at 1.
int blocks_in(int length) {
    return std::max((length - 2) / block_side, length > 2 ? 1 : 0);
}
int side_in(int length) {
    return std::min(block_side, length - 2);
}

}  // namespace

template <class T>
void NoiseMeter::add(PlaneView<const T> plane, int component, int black) {
    const int most = (1 << depth_) - 1;
    const int darkest = black + (steps_above_black << (depth_ - 8));
    const int step = plane.step;
    const auto measure = [&](const Block& block) {
        std::int64_t sum = 0;
        std::array<int, block_side> brightest{};  // of each column
        bool bar = false;
        int cut_off = 0;
        for (int y = block.top; y < block.top + block.height; ++y) {
            const auto row = [&](int at) { return plane.row(at) + std::ptrdiff_t{block.left} * step + component; };
            const T* const above = row(y - 1);
            const T* const own = row(y);
            const T* const below = row(y + 1);
            int brightest_here = 0;
            for (int i = 0; i < block.width; ++i) {
                const auto sample = [&](const T* from, int away) {
                    return (from[std::ptrdiff_t{i + away} * step] >> plane.lsb) & most;
                };
                const auto second = [&](const T* from) {
                    return sample(from, -1) - 2 * sample(from, 0) + sample(from, 1);
                };
                sum += std::abs(second(above) - 2 * second(own) + second(below));
                const int here = sample(own, 0);
                brightest_here = std::max(brightest_here, here);
                int& of_column = brightest[static_cast<std::size_t>(i)];
                of_column = std::max(of_column, here);
                cut_off += here == 0 || here == most ? 1 : 0;
            }
            bar = bar || brightest_here <= darkest;
        }
        constexpr int most_cut_off = 10;  // one of so many
        bar = bar || std::any_of(brightest.begin(), brightest.begin() + block.width,
                                 [&](int of_column) { return of_column <= darkest; });
        if (!bar && cut_off * most_cut_off < block.width * block.height) {
            sums_.push_back(sum);
        }
    };
    const int width = side_in(plane.width);
    const int height = side_in(plane.height);
    for (int row = 0; row < blocks_in(plane.height); ++row) {
        for (int column = 0; column < blocks_in(plane.width); ++column) {
            measure({1 + column * width, 1 + row * height, width, height});
        }
    }
    block_ = std::int64_t{width} * height;
}

int NoiseMeter::hundredths() const {
    if (sums_.empty()) {
        return 0;
    }
    std::vector<std::int64_t> sums = sums_;
    constexpr std::size_t quietest = 10;  // one of so many is more quiet
    const auto found = sums.begin() + static_cast<std::ptrdiff_t>(sums.size() / quietest);
    std::nth_element(sums.begin(), found, sums.end());
    constexpr std::int64_t factor = 22104;  // 10^5 sqrt(pi / 2) / 6 / 0.945
    constexpr std::int64_t unit = 1000;
    const std::int64_t divisor = unit * block_ << (depth_ - 8);
    return static_cast<int>((factor * *found + divisor / 2) / divisor);
}

template void NoiseMeter::add(PlaneView<const std::uint8_t>, int, int);
template void NoiseMeter::add(PlaneView<const std::uint16_t>, int, int);

}  // namespace vfilter
