#pragma once
// What the filter ladder's rungs on a GPU share: pictures in its memory, and how kernels are launched over them.

#include <cuda_runtime.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <vector>

#include "bench/gpu.h"
#include "study/reference.h"

namespace vfilter::study {

using Byte = unsigned char;

constexpr int group = CudaFilter::max_planes;  // pictures of one launch
constexpr int max_radius = 31;

__device__ inline int clamped(int index, int size) {
    return min(max(index, 0), size - 1);
}

__device__ inline Byte rounded(float value) {
    return static_cast<Byte>(value + 0.5f);
}

__device__ inline int column_of_thread() {
    return static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
}

__device__ inline int row_of_thread() {
    return static_cast<int>(blockIdx.y * blockDim.y + threadIdx.y);
}

// Pictures one after the other; blockIdx.z is the number of one. Outside of it its border is replicated.
template <class Sample>
struct Pictures {
    Sample* data;
    int width;
    int height;
    std::size_t pitch;  // samples from a row to the next
    std::size_t plane;  // and from a picture

    __device__ Sample* row(int y) const { return data + plane * blockIdx.z + pitch * static_cast<unsigned>(y); }
    __device__ bool holds(int x, int y) const { return x < width && y < height; }
    __device__ float at(int x, int y) const { return static_cast<float>(row(clamped(y, height))[clamped(x, width)]); }
    __device__ void put(int x, int y, float value) const {
        if constexpr (sizeof(Sample) == 1) {
            row(y)[x] = rounded(value);
        } else {
            row(y)[x] = value;
        }
    }
};
using Bytes = Pictures<Byte>;
using Floats = Pictures<float>;

inline std::size_t up(std::size_t value, std::size_t multiple) {
    return (value + multiple - 1) / multiple * multiple;
}

// How a rung filters pictures. `run` takes those from number `first` on and does not wait.
struct Way {
    std::function<void(int first, int pictures, cudaStream_t stream)> run;
    bool whole = true;    ///< makes bytes, where the sources are bytes; otherwise fp32 planes from fp32 planes
    bool always = false;  ///< only a group of pictures at once
    int margin = 0;       ///< samples and rows at the border that do not count: it has another one
};

// The pictures of a case, as bytes and, from when they are first wanted, as fp32 planes: so many that no cache holds
// them. Rows begin at multiples of 64 bytes as in a decoded frame, pictures at multiples of 512 as textures want it.
class Bench {
public:
    explicit Bench(const FilterCase& which);

    [[nodiscard]] int count(const Way& way) const { return static_cast<int>(way.whole ? count_ : float_count_); }
    [[nodiscard]] std::size_t plane_bytes() const { return plane_; }
    [[nodiscard]] const std::vector<float>& line_of_taps() const { return line_; }
    [[nodiscard]] const std::vector<float>& square_of_taps() const { return square_; }

    // Pictures from number `first` on, and their results.
    [[nodiscard]] Bytes from(int first) const { return bytes(from_, first); }
    [[nodiscard]] Bytes to(int first) const { return bytes(to_, first); }
    [[nodiscard]] Floats float_from(int first) const { return floats(float_from_, first); }
    [[nodiscard]] Floats float_to(int first) const { return floats(float_to_, first); }

    void want_floats();
    // A row of a picture that a way has made.
    [[nodiscard]] std::vector<float> result(const Way& way, int picture, int y) const;
    // So that what one rung has made is not taken for the next one's.
    void forget(const Way& way) const;
    [[nodiscard]] Reference reference(int picture) const;

    const FilterCase& filter;

private:
    // A multiple of a launch's pictures that no cache holds.
    static std::size_t groups(std::size_t bytes) { return up(parts(rotated_bytes(), bytes), group); }

    [[nodiscard]] Bytes bytes(const DeviceMemory& memory, int first) const {
        return {memory.get() + plane_ * static_cast<std::size_t>(first), filter.width, filter.height, pitch_, plane_};
    }
    // Dense, as libraries take them.
    [[nodiscard]] Floats floats(const DeviceMemory& memory, int first) const {
        const auto width = static_cast<std::size_t>(filter.width);
        const std::size_t plane = width * static_cast<std::size_t>(filter.height);
        float* const data = reinterpret_cast<float*>(memory.get());
        return {data == nullptr ? data : data + plane * static_cast<std::size_t>(first), filter.width, filter.height,
                width, plane};
    }

    std::size_t pitch_;
    std::size_t plane_;
    std::size_t count_;
    std::size_t float_count_ = 0;
    std::vector<float> line_;    // taps
    std::vector<float> square_;  // and their products
    DeviceMemory from_;
    DeviceMemory to_;
    DeviceMemory float_from_;
    DeviceMemory float_to_;
};

// What a block of threads does of a picture.
struct Blocks {
    int columns;
    int rows;
    dim3 threads;
    std::size_t shared_bytes = 0;

    [[nodiscard]] dim3 of(const FilterCase& filter, int pictures) const {
        return {parts(static_cast<std::size_t>(filter.width), static_cast<std::size_t>(columns)),
                parts(static_cast<std::size_t>(filter.height), static_cast<std::size_t>(rows)),
                static_cast<unsigned>(pictures)};
    }
};

template <class... Parameters, class... Arguments>
void launch(const Bench& bench, const Blocks& blocks, int pictures, cudaStream_t stream, void (*kernel)(Parameters...),
            const Arguments&... arguments) {
    kernel<<<blocks.of(bench.filter, pictures), blocks.threads, blocks.shared_bytes, stream>>>(arguments...);
    cuda_check(cudaGetLastError(), "launch of a kernel");
}

inline const Blocks strips{32, 8, dim3(32, 8)};

// Rungs that are somebody's finished work.
Way make_fourier(Bench& bench);
Way make_matrix(Bench& bench);
Way make_cudnn_square(Bench& bench);
Way make_cudnn_lines(Bench& bench);
Way make_npp_gauss(Bench& bench);
Way make_npp_lines(Bench& bench);
Way make_ours(Bench& bench);
Way make_copy(Bench& bench);

// There and back again, by the convention for transforms of real numbers, and six for each product of the half
// spectrum.
double fourier_flops(const FilterCase& filter);

}  // namespace vfilter::study
