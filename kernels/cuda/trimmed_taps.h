#pragma once
// Taps without the zeros at their ends: a user's matrix of full rank has terms of one row each.

#include <algorithm>
#include <cstdint>
#include <vector>

namespace vfilter::cuda {

struct TrimmedTaps {
    int first = 0;  ///< offset of the first tap's sample from the middle
    std::vector<std::int32_t> taps{0};
};

/// At least one tap is left, and be it 0.
inline TrimmedTaps trim(const std::vector<std::int32_t>& taps) {
    const auto is_tap = [](std::int32_t tap) { return tap != 0; };
    const auto begin = std::ranges::find_if(taps, is_tap);
    if (begin == taps.end()) {
        return {};
    }
    const auto end = std::ranges::find_if(taps.rbegin(), taps.rend(), is_tap).base();
    return {static_cast<int>(begin - taps.begin()) - static_cast<int>(taps.size() / 2), {begin, end}};
}

}  // namespace vfilter::cuda
