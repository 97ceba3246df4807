#pragma once
// The arithmetic contracts on NVIDIA GPUs: one launch filters all planes of a picture, rows and columns fused.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <memory>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

#include "kernels/arithmetic/arithmetic.h"
#include "kernels/arithmetic/operation.h"

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
/// and so does every other: `pitch` is a multiple of 16, of any sign, that fits 31 bits. Up to 7 bytes behind a row's
/// last sample are written, never read. Samples are laid out as in PlaneView.
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
    int filter = 0;  ///< index into what the convolver was made with
    int black = 0;   ///< value of the constant border
};

/// Which kernels may run a filter. All make the same bytes.
enum class KernelChoice {
    automatic,     ///< the faster one: see docs/kernels.md
    cuda_cores,    ///< no tensor cores
    tensor_cores,  ///< tensor cores wherever they can do it
};

/// One stage of a filter chain, made ready for the device that is current when it is made; any number of streams may
/// use it at once. Immutable.
class CudaConvolver {
public:
    static constexpr int max_planes = 8;   ///< of one launch
    static constexpr int max_filters = 2;  ///< luma, which transparency shares, and chroma

    /// All filters are of the same depth. Throws std::invalid_argument if they are not, or too many; CudaError.
    CudaConvolver(const std::vector<PlaneFilter>& filters, Border border,
                  KernelChoice choice = KernelChoice::automatic);
    ~CudaConvolver();
    CudaConvolver(CudaConvolver&&) noexcept;
    CudaConvolver& operator=(CudaConvolver&&) noexcept;

    /// Queues kernels on a stream of that device, one for the planes that are filtered in the same way, or three on a
    /// coarse grid: see filter_scalar, whose bytes they make. Returns how many. The latter take memory in the order of
    /// the stream, from a pool that grows with the streams at work and not with pictures. The memory must stay until
    /// they have run. Throws CudaError if one cannot be launched.
    int launch(std::span<const PlaneJob> planes, cudaStream_t stream) const;

    /// Memory on the device that launches have borrowed so far, at most at the same time; taps are not counted.
    [[nodiscard]] std::size_t device_bytes() const;

    /// How it is run, for people: "fused, radius 7".
    [[nodiscard]] std::string name() const;

    class Implementation;

private:
    /// Filters that one kernel runs.
    struct Part {
        std::unique_ptr<Implementation> implementation;
        std::vector<int> indices;  ///< of each filter; -1 for those of another part
    };
    void add_coarse(const std::vector<PlaneFilter>& filters, int grid_bits, Border border, KernelChoice choice);

    std::vector<Part> parts_;
};

}  // namespace vfilter
