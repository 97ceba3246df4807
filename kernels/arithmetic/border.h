#pragma once
// What a convolution sees outside the picture: OpenCV's names and meanings.

namespace vfilter {

enum class Border { reflect_101, reflect, replicate, constant, wrap };

/// The sample that stands for position `index` of a line of `length` samples, or -1 where the constant does. Any index
/// is valid, however far outside. length >= 1. Thread-safe; runs on GPUs, too.
constexpr int border_index(int index, int length, Border border) {
    if (index >= 0 && index < length) {
        return index;
    }
    if (border == Border::constant) {
        return -1;
    }
    if (border == Border::replicate) {
        return index < 0 ? 0 : length - 1;
    }
    // The other three repeat: the line alone, with its mirror, or with its mirror less the two ends.
    const int ends = border == Border::reflect ? 2 : 0;  // of the mirror that are kept
    const int mirrored = length == 1 && ends == 0 ? 1 : 2 * length - 2 + ends;
    const int period = border == Border::wrap ? length : mirrored;
    const int rest = index % period;
    const int folded = rest < 0 ? rest + period : rest;
    return folded < length ? folded : mirrored - ends / 2 - folded;
}

}  // namespace vfilter
