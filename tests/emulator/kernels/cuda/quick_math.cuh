#pragma once
// Stands before the header of that name, whose instructions are those of a GPU.

#include "tests/emulator/cuda_device.h"

namespace vfilter::cuda {

inline std::int32_t dot_low(std::uint32_t taps, std::uint32_t bytes, std::int32_t sum) {
    return static_cast<std::int32_t>(
        cuda_emulator::dot<std::int16_t, std::uint8_t, 2>(taps, bytes, static_cast<std::uint32_t>(sum)));
}
inline std::int32_t dot_high(std::uint32_t taps, std::uint32_t bytes, std::int32_t sum) {
    return dot_low(taps, bytes >> 16, sum);
}
inline std::int32_t dot_four(std::uint32_t taps, std::uint32_t bytes, std::int32_t sum) {
    return static_cast<std::int32_t>(
        cuda_emulator::dot<std::int8_t, std::uint8_t, 4>(taps, bytes, static_cast<std::uint32_t>(sum)));
}

inline std::uint32_t pack_bytes(std::int32_t a, std::int32_t b, std::int32_t c, std::int32_t d) {
    const auto byte = [](std::int32_t number) { return static_cast<std::uint32_t>(min(max(number, 0), 255)); };
    return byte(a) | byte(b) << 8 | byte(c) << 16 | byte(d) << 24;
}

/// As far off as a GPU's may be: one unit in the last place down, up, or not at all, whatever the number's bits say.
inline float near_root(float n) {
    const float root = std::sqrt(n);
    const std::uint32_t mixed = __float_as_uint(n) * 0x9e3779b1U >> 16;
    return n > 0 ? __uint_as_float(__float_as_uint(root) + mixed % 3 - 1) : root;
}

}  // namespace vfilter::cuda
