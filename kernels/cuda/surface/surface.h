#pragma once
// A decoder's surfaces to planes: NV12, P010, P016 and planar ones with samples in the upper bits, on NVIDIA GPUs.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <cstdint>
#include <span>

namespace vfilter::cuda {

inline constexpr int max_surface_planes = 4;

/// One plane of a picture, and where a surface has its samples. No alignment is asked of `src`; `dst` and its pitch are
/// multiples of 8. Up to 7 bytes after a row's last sample are written. The two do not overlap.
struct SurfacePlane {
    const std::uint8_t* src = nullptr;  ///< the first sample
    std::ptrdiff_t src_pitch = 0;       ///< bytes from one row to the next
    int src_step = 1;                   ///< samples from one to the next: 2 of interleaved chroma
    std::uint8_t* dst = nullptr;
    std::ptrdiff_t dst_pitch = 0;
    int width = 0;   ///< samples
    int height = 0;  ///< rows
};

/// Queues one kernel that copies the planes of a picture: sample >> shift, of one byte each or of two. Exact. Throws
/// CudaError.
void unpack_surface(std::span<const SurfacePlane> planes, int sample_bytes, int shift, cudaStream_t stream);

}  // namespace vfilter::cuda
