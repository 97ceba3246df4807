#pragma once
// Medians, on CUDA cores of any device.

#include <span>

#include "kernels/arithmetic/rank.h"
#include "kernels/cuda/launcher.h"
#include "kernels/cuda/median/parameters.h"

namespace vfilter::cuda::median {

/// A kernel for windows of these radii.
struct NetworkInstance {
    int radius_x;
    int radius_y;
    int components;  ///< interleaved, of each of which 256 results are in a row of a block; 1: any one or two
    int shared_bytes;
    void (*kernel)(Launch);
};
/// Of samples of 8 bits (networks_8.cu) and of more (networks_16.cu), and of three and four of them (pixels_8.cu,
/// pixels_16.cu).
std::span<const NetworkInstance> networks_8();
std::span<const NetworkInstance> networks_16();
std::span<const NetworkInstance> pixels_8();
std::span<const NetworkInstance> pixels_16();

/// Small square windows: whether there is a network for it in planes of that step at most, or of that one if it is 3
/// or 4, and that.
bool has_network(const MedianFilter& filter, int step);
MadeLauncher make_network(const MedianFilter& filter, Border border, int step);
/// Square windows of bytes: whether their histograms fit that much shared memory, for planes of that step at most.
bool has_columns(const MedianFilter& filter, int step, int shared_bytes);
MadeLauncher make_columns(const MedianFilter& filter, Border border, int step);
/// Any window.
MadeLauncher make_counting(const MedianFilter& filter, Border border);

}  // namespace vfilter::cuda::median
