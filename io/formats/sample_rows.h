#pragma once
// Rows of one component's samples, as 16-bit words, whatever their format.

#include <cstdint>
#include <vector>

#include "io/formats/sample_layout.h"
#include "io/handles.h"

namespace vfilter {

/// Writes `width` samples to `row`.
void read_row(const Layout& layout, const AVFrame& frame, int component, int y, std::uint16_t* row, int width);

/// Leaves other components' bits of the words unchanged. `layout` must be writable.
void write_row(const Layout& layout, AVFrame& frame, int component, int y, const std::uint16_t* row, int width);

/// For the whole picture, before rows are written: sets bits that belong to no component to what FFmpeg itself writes
/// there.
void clear_unowned_bits(const Layout& layout, AVFrame& frame);

/// What each value becomes at another depth. At a greater depth the bits are repeated downward in full range, where the
/// largest value is all ones, and zeros follow in limited range, where black and white are multiples of a power of two.
/// At a lower depth it is the nearest value of the same brightness, halves up.
std::vector<std::uint16_t> depth_table(int from, int to, bool full_range);

}  // namespace vfilter
