#include <algorithm>

#include "kernels/cuda/median/columns.cuh"
#include "kernels/cuda/median/counting.cuh"
#include "kernels/cuda/median/host.cuh"
#include "kernels/cuda/median/host.h"

namespace vfilter::cuda::median {

namespace {

int histogram_bytes(const MedianFilter& filter, int step) {
    return 4 * ColumnPlaces(column_strip + 2 * filter.radius_x * step).words();
}

std::span<const NetworkInstance> networks_for(int depth, int step) {
    if (step > 2) {
        return depth > 8 ? pixels_16() : pixels_8();
    }
    return depth > 8 ? networks_16() : networks_8();
}

const NetworkInstance* find_network(const MedianFilter& filter, int step) {
    const std::span<const NetworkInstance> all = networks_for(filter.depth, step);
    const auto found = std::ranges::find_if(all, [&](const NetworkInstance& one) {
        return one.radius_x == filter.radius_x && one.radius_y == filter.radius_y &&
               one.components == (step <= 2 ? 1 : step);
    });
    return filter.shape == WindowShape::square && found != all.end() ? &*found : nullptr;
}

int band_bytes(const MedianFilter& filter, int step) {
    return find_network(filter, step)->shared_bytes;
}

}  // namespace

bool has_network(const MedianFilter& filter, int step) {
    return find_network(filter, step) != nullptr;
}

MadeLauncher make_network(const MedianFilter& filter, Border border, int step) {
    const NetworkInstance& made = *find_network(filter, step);
    const Kernel kernel{made.kernel,  network_threads,  network_columns * made.components,
                        network_rows, network_max_rows, band_bytes,
                        true};
    return std::make_unique<Median>(filter, border, step, kernel, "median, network");
}

bool has_columns(const MedianFilter& filter, int step, int shared_bytes) {
    return filter.depth == 8 && filter.shape == WindowShape::square && filter.radius_x > 0 &&
           histogram_bytes(filter, step) <= shared_bytes;
}

MadeLauncher make_columns(const MedianFilter& filter, Border border, int step) {
    static_assert(column_passes(max_median_size / 2, 2) == 3);
    const Kernel kernel{
        column_kernel(filter, step), column_threads, column_strip, column_rows, column_max_rows, histogram_bytes};
    return std::make_unique<Median>(filter, border, step, kernel, "median, histograms");
}

MadeLauncher make_counting(const MedianFilter& filter, Border border) {
    const Kernel kernel{filter.depth == 8 ? count_bits<std::uint8_t> : count_bits<std::uint16_t>, threads,
                        counted_columns, counted_rows};
    return std::make_unique<Median>(filter, border, 2, kernel, "median, counted");
}

}  // namespace vfilter::cuda::median
