#pragma once
// Pictures in a GPU's memory and contestants that copy or filter them: what all that measures our kernels there shares.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "bench/gpu.h"
#include "bench/gpu_libraries.h"
#include "bench/kernels.h"
#include "kernels/cuda/filter.h"

namespace vfilter::bench {

/// Of all filters that are measured on a GPU.
inline constexpr auto gpu_border = Border::reflect_101;

/// Of a launch.
inline constexpr int measured_planes = 8;

struct PictureKind {
    int width = 0;
    int height = 0;
    int depth = 8;
    bool chroma = false;           ///< a 4:2:0 picture; else planes of luma
    int planes = measured_planes;  ///< of luma: of one launch
};

/// What a launch takes is one picture here, be it planes of luma alone: planes one after the other, rows at multiples
/// of 64 bytes as in a decoded frame.
struct Pictures {
    struct Plane {
        int width;
        int height;
        int filter;  ///< 0 or 1: luma's or chroma's
        std::ptrdiff_t pitch;
        std::size_t offset;
    };
    PictureKind kind;
    std::vector<Plane> planes;
    std::size_t bytes = 0;         ///< of one picture
    std::size_t sample_bytes = 0;  ///< without padding
    int count = 0;
    DeviceMemory src;
    DeviceMemory ours;
    DeviceMemory theirs;

    /// Random ones, at least two, that take `together` bytes or more.
    Pictures(const PictureKind& wanted, std::size_t together);

    /// Picture number n of a rotation.
    [[nodiscard]] unsigned char* at(const DeviceMemory& memory, int n) const {
        return memory.get() + bytes * static_cast<std::size_t>(n % count);
    }
    /// What times are told for: planes, or a 4:2:0 picture.
    [[nodiscard]] int parts() const { return kind.chroma ? 1 : static_cast<int>(planes.size()); }
};

enum class Compared {
    all,    ///< every row of every plane
    sample  ///< rows at both ends and in the middle of the last plane
};
/// Whether a picture of our results is what the SIMD code makes of its source, byte for byte.
bool right(const Pictures& pictures, int n, const std::vector<Operation>& filters, Compared compared);

/// Contestants. What they are given must stay as long as they do; a convolver writes pictures.ours, all others
/// pictures.theirs.
Contestant copy_of(const Pictures& pictures);
Contestant filtered(const Pictures& pictures, const std::vector<Operation>& filters, const CudaFilter& convolver,
                    std::string name);
/// A blur with these taps along both axes in the faster one of NPP's two ways; empty where there is none.
std::optional<Contestant> npp_blur(const Pictures& pictures, const std::vector<double>& taps);

/// How long to go on with a row.
struct Patience {
    int rounds;
    double round_us;  ///< of each contestant
};

/// What the contestants take: the first is the copy, the second ours, the others are rivals. Each gets as many works as
/// fill a round. Of the result, `kernel` and `right` are the caller's.
KernelTimes contest(std::vector<Contestant>& contestants, const Pictures& pictures, const Patience& patience);

/// Works until a GPU that has idled, and so has a lower clock at first, is awake.
void wake_gpu();

}  // namespace vfilter::bench
