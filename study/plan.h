#pragma once
// What the two ladders are climbed with, what is promised of them, and what is known of their rungs.

#include <string_view>

#include "study/ladder.h"

namespace vfilter::study {

struct Picture {
    std::string_view name;
    int width;
    int height;
    bool quick;
};
inline constexpr Picture pictures[] = {
    {"400x400", 400, 400, true},
    {"1080p", 1920, 1080, true},
    {"2000x2000", 2000, 2000, false},
    {"2160p", 3840, 2160, false},
};

struct Radius {
    int radius;
    bool quick;
};
inline constexpr Radius radii[] = {{1, true}, {2, false}, {4, false}, {8, true}, {15, false}, {31, false}};

struct LayerRow {
    Layer layer;
    bool quick = false;
};
inline constexpr LayerRow layer_rows[] = {
    {{"3x32x32 -> 64, 3x3", 1, 3, 32, 32, 64, 3, 1, 1}, true},
    {{"3x224x224 -> 64, 3x3", 1, 3, 224, 224, 64, 3, 1, 1}, true},
    {{"3x224x224 -> 64, 7x7 stride 2", 1, 3, 224, 224, 64, 7, 2, 3}, false},
    {{"bottleneck 256x14x14 -> 64, 1x1", 1, 256, 14, 14, 64, 1, 1, 0}, false},
    {{"bottleneck 64x14x14 -> 64, 3x3", 1, 64, 14, 14, 64, 3, 1, 1}, false},
    {{"bottleneck 64x14x14 -> 256, 1x1", 1, 64, 14, 14, 256, 1, 1, 0}, false},
};

/// Where vfilter promises to be that many times as fast as the best library.
struct Margin {
    std::string_view picture;
    int radius;
    double times;
};
inline constexpr Margin margins[] = {{"2160p", 2, 4}, {"2160p", 15, 20}};

/// Why a rung can be slower than one that history puts below it: told where it is.
struct Reason {
    std::string_view rung;
    std::string_view than;
    std::string_view why;
};
inline constexpr Reason reasons[] = {
    {"constant memory", "naive", "the caches of today's GPUs serve taps from global memory as well"},
    {"tile, full halo", "constant memory", "of 32 x 32 threads only (32 - 2 x radius) squared compute"},
    {"tile, halo from the cache", "constant memory",
     "the first cache is as near as shared memory, and asking at each tap where its sample lies costs more than it "
     "saves"},
    {"separable, plain", "coarsened", "a second trip through memory, in fp32, costs more than the taps that it saves"},
    {"separable, texture", "separable, aligned", "a texture fetch for each tap, where a tile is filled once"},
    {"FFT (cuFFT)", "separable, aligned", "some ten trips through memory in fp32, whatever the radius"},
    {"im2col + cuBLAS", "naive", "each sample is written and read again k x k times, four bytes each"},
    {"cuDNN, k x k", "separable, aligned", "its algorithms are made for many channels, and this has one"},
    {"cuDNN, rows + columns", "separable, aligned", "its algorithms are made for many channels, and this has one"},
    {"NPP Gauss", "separable, aligned", "it takes one picture at a time, and any radius with the same code"},
    {"NPP rows + columns", "separable, aligned", "it takes one picture at a time, and any radius with the same code"},
    {"tensor cores, textbook", "separable, aligned",
     "the way into fp16 tiles and back takes longer than the arithmetic"},
    {"shared-memory tile", "direct", "with three channels, or filters of one sample, there is little to share"},
    {"im2col + cuBLAS", "direct", "the matrix has to be written first, and a small layer is two launches"},
    {"register tile", "shared-memory tile", "too few blocks for all multiprocessors"},
    {"tensor cores (implicit GEMM)", "register tile", "gathering the columns takes longer than multiplying them"},
    {"cuDNN", "register tile", "it takes more than one launch, which a small layer is not worth"},
    {"cuDNN, fp16 tensor cores", "cuDNN", "it changes the layout of what is a small layer"},
};

/// A figure that others published, to be shown next to ours.
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

}  // namespace vfilter::study
