#pragma once
// Rows of one component's samples, in words of 16 bits, whatever format they lie in.

#include <cstdint>
#include <vector>

#include "io/formats/sample_layout.h"
#include "io/handles.h"

namespace vfilter {

/// `row` gets `width` samples.
void read_row(const Layout& layout, const AVFrame& frame, int component, int y, std::uint16_t* row, int width);

/// Leaves other components' bits of the words as they are. `layout` can be written.
void write_row(const Layout& layout, AVFrame& frame, int component, int y, const std::uint16_t* row, int width);

/// For all of the picture, before rows are written: bits that no component owns become what FFmpeg itself writes there.
void clear_unowned_bits(const Layout& layout, AVFrame& frame);

/// What each value becomes at another depth. At a greater one the bits are repeated downward in the full range, where
/// the largest value is all ones, and zeros follow in the limited one, where black and white are multiples of a power
/// of two; at a lower one it is the nearest value of the same brightness, halves up.
std::vector<std::uint16_t> depth_table(int from, int to, bool full_range);

}  // namespace vfilter
