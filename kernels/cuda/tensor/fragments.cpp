#include "kernels/cuda/tensor/fragments.h"

#include <cstdlib>
#include <stdexcept>

namespace vfilter::cuda::tensor {

namespace {

constexpr int lanes = 32;

}  // namespace

int place_of(Order order, int slot) {
    const int half = slot / 16;
    const int lane = slot % 16 / 4;  // of the four that share a column
    const int i = slot % 4;
    switch (order) {
        case Order::natural:
            return slot;
        case Order::eights:
            return 8 * lane + 4 * half + i;
        case Order::halves:
            return 16 * half + (i < 2 ? 2 * lane + i : 8 + 2 * lane + i - 2);
    }
    throw std::logic_error("place_of: not an order");
}

int result_of(int m) {
    return m < 8 ? 4 * (m / 2) + m % 2 : 4 * ((m - 8) / 2) + 2 + m % 2;
}

std::vector<std::uint32_t> band_fragments(std::span<const std::int32_t> taps, int byte, const Band& band) {
    const int radius = static_cast<int>(taps.size() / 2);
    const int steps = (band.places + 31) / 32;
    std::vector<std::uint32_t> words(static_cast<std::size_t>(steps) * lanes * 4);
    const auto element = [&](int m, int step, int slot) -> std::uint32_t {
        const int place = 32 * step + place_of(band.order, slot);
        const int distance = place - band.halo - (band.results_permuted ? result_of(m) : m);
        if (place >= band.places || distance % band.spacing != 0 || std::abs(distance / band.spacing) > radius) {
            return 0;
        }
        const std::int32_t tap = taps[static_cast<std::size_t>(radius + distance / band.spacing)];
        return static_cast<std::uint32_t>(byte == 1 ? tap >> 8 : tap) & 0xff;
    };
    for (std::size_t i = 0; i < words.size(); ++i) {
        const int step = static_cast<int>(i) / (lanes * 4);
        const int lane = static_cast<int>(i) / 4 % lanes;
        const int number = static_cast<int>(i) % 4;
        for (int k = 0; k < 4; ++k) {
            words[i] |= element(lane / 4 + 8 * (number % 2), step, 16 * (number / 2) + 4 * (lane % 4) + k) << (8 * k);
        }
    }
    return words;
}

}  // namespace vfilter::cuda::tensor
