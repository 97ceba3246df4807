#pragma once
// Figures that others published for rungs of the two ladders: they stand beside ours.

#include <string_view>

namespace vfilter::bench {

struct Published {
    std::string_view ladder;         ///< "filter" or "layer"
    std::string_view configuration;  ///< as the ladder calls it
    std::string_view rung;           ///< as the ladder calls it
    double value;
    std::string_view unit;
    std::string_view machine;
};

inline constexpr std::string_view gpu_of_2011 = "a GPU of 2011";
inline constexpr std::string_view cpu_of_2011 = "a CPU of 2011";

inline constexpr Published published[] = {
    {"filter", "2000x2000, radius 8", "CPU loop", 2330, "ms", cpu_of_2011},
    {"filter", "2000x2000, radius 8", "naive", 693, "ms", gpu_of_2011},
    {"filter", "2000x2000, radius 8", "tile, full halo", 663, "ms", gpu_of_2011},
    {"filter", "2000x2000, radius 8", "separable, plain", 72, "ms", gpu_of_2011},
    {"filter", "2000x2000, radius 8", "separable, aligned", 38, "ms", gpu_of_2011},
    {"filter", "400x400, radius 8", "CPU loop", 91, "ms", cpu_of_2011},
    {"filter", "400x400, radius 8", "naive", 27, "ms", gpu_of_2011},
    {"filter", "400x400, radius 8", "tile, full halo", 26.9, "ms", gpu_of_2011},
    {"filter", "400x400, radius 8", "separable, plain", 3, "ms", gpu_of_2011},
    {"filter", "400x400, radius 8", "separable, aligned", 1.6, "ms", gpu_of_2011},
    {"layer", "3x224x224 -> 64, 3x3", "direct", 20, "GFLOP/s", "RTX 3090"},
    {"layer", "3x224x224 -> 64, 3x3", "direct", 500, "GFLOP/s", "A100, 2.5 % of its peak"},
    {"layer", "3x224x224 -> 64, 3x3", "shared-memory tile", 800, "GFLOP/s", "RTX 3090"},
    {"layer", "3x224x224 -> 64, 3x3", "register tile", 2500, "GFLOP/s", "RTX 3090"},
    {"layer", "3x224x224 -> 64, 3x3", "cuDNN", 20000, "GFLOP/s", "RTX 3090"},
    {"layer", "3x224x224 -> 64, 7x7 stride 2", "direct", 2.41, "ms", "A100"},
    {"layer", "3x224x224 -> 64, 7x7 stride 2", "im2col + cuBLAS", 0.82, "ms", "A100"},
    {"layer", "3x224x224 -> 64, 7x7 stride 2", "cuDNN", 0.30, "ms", "A100"},
};

}  // namespace vfilter::bench
