#pragma once
// The arithmetic contract on NVIDIA GPUs: one launch filters all planes of a picture, rows and columns fused.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/border.h"
#include "kernels/convolution.h"

namespace vfilter {

/// A call of the CUDA runtime that failed: call, meaning, value, file:line.
class CudaError : public std::runtime_error {
public:
    CudaError(cudaError_t code, const std::string& what) : std::runtime_error(what), code_(code) {}
    [[nodiscard]] cudaError_t code() const { return code_; }

private:
    cudaError_t code_;
};

/// Throws CudaError if `result` is an error.
void cuda_check(cudaError_t result, const char* call, const char* file = __builtin_FILE(), int line = __builtin_LINE());

/// Samples of one component, or of interleaved ones, in device memory. The first row begins at a multiple of 16 bytes
/// and so does every other: `pitch` is a multiple of 16, of any sign. Up to 7 bytes behind a row's last sample are
/// written, never read. Samples are laid out as in PlaneView.
struct DevicePlane {
    void* data = nullptr;
    int width = 0;   ///< pixels, >= 1
    int height = 0;  ///< rows, >= 1
    std::ptrdiff_t pitch = 0;
    int step = 1;
    int lsb = 0;
};

/// One plane of a launch. The two planes are of the same size, step and lsb, and do not overlap.
struct PlaneJob {
    DevicePlane src;
    DevicePlane dst;
    int convolution = 0;  ///< index into what the convolver was made with
    int black = 0;        ///< value of the constant border
};

/// One stage of a filter chain, made ready for the GPU: the taps travel as parameters of each launch, so that any
/// number of streams, threads and devices may use it at once. Immutable.
class CudaConvolver {
public:
    static constexpr int max_planes = 8;        ///< of one launch
    static constexpr int max_convolutions = 2;  ///< luma and chroma

    /// All convolutions are of the same depth. Throws std::invalid_argument if they are not, or too many.
    CudaConvolver(const std::vector<Convolution>& convolutions, Border border);
    ~CudaConvolver();
    CudaConvolver(CudaConvolver&&) noexcept;
    CudaConvolver& operator=(CudaConvolver&&) noexcept;

    /// Queues one kernel on a stream of the current device: see convolve_scalar, whose bytes it makes. The memory must
    /// stay until it has run. Throws CudaError if it cannot be launched.
    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const;

    /// How it is run, for people: "fused, radius 7".
    [[nodiscard]] std::string name() const;

    class Implementation;

private:
    std::unique_ptr<Implementation> implementation_;
};

}  // namespace vfilter
