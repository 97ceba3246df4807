// Any radius and wide taps: the contract as it is written, but for the centring, in loops. Wide taps take 64-bit sums.

#include <algorithm>
#include <vector>

#include "kernels/arithmetic/filter_kernel.h"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/memory.h"

namespace vfilter::cuda {

namespace {

constexpr int threads = 256;
constexpr int tile_rows = 96;  // the row pass is repeated for 2 * radius more

/// Taps by distance from the middle, as parameters of the launch.
struct NearTaps {
    static constexpr int most_radius = 127;
    static constexpr int tile_columns = 64;
    std::int32_t row[most_radius + 1];
    std::int32_t column[most_radius + 1];
};
/// In device memory: parameters of a launch have 4 KB.
struct FarTaps {
    static constexpr int most_radius = max_kernel_size / 2;
    static constexpr int tile_columns = 32;
    const std::int32_t* row;
    const std::int32_t* column;
};
template <class Lines>
inline constexpr int most_shared_bytes = (tile_rows + 2 * Lines::most_radius) * Lines::tile_columns * 2;
static_assert(std::max(most_shared_bytes<NearTaps>, most_shared_bytes<FarTaps>) <= 48 * 1024,
              "more has to be asked for");

template <class Lines>
struct Taps : Lines {
    int row_radius;
    int column_radius;
    std::uint32_t row_sum;
    int row_shift;
    int column_shift;
};

template <class Lines>
struct Launch {
    Picture picture;
    Taps<Lines> taps[CudaConvolver::max_filters];
};

template <class Sum>
__device__ Sum half_of(int shift) {
    return shift > 0 ? Sum{1} << (shift - 1) : Sum{0};
}

template <class T>
__device__ unsigned sample_at(const T* row, int pixel, int component, const PlaneParams& plane,
                              const Picture& picture) {
    const int from = border_index(pixel, plane.width, picture.border);
    return from < 0 ? static_cast<unsigned>(plane.black)
                    : (static_cast<unsigned>(row[from * plane.step + component]) >> plane.lsb) & picture.max_value;
}

template <class T, class Sum, class Lines>
__global__ void __launch_bounds__(threads) filter_tiles(const __grid_constant__ Launch<Lines> launch) {
    constexpr int tile_columns = Lines::tile_columns;
    extern __shared__ std::uint16_t mid[];
    const Picture& picture = launch.picture;
    const PlaneParams& plane = own_plane(picture);
    const Taps<Lines>& taps = launch.taps[plane.filter];
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int x = tile % plane.tiles_x * tile_columns + static_cast<int>(threadIdx.x) % tile_columns;
    const int top = tile / plane.tiles_x * picture.tile_rows;
    const int wanted = min(picture.tile_rows, plane.height - top);
    const int column = static_cast<int>(threadIdx.x) % tile_columns;
    const int first = static_cast<int>(threadIdx.x) / tile_columns;
    const bool inside = x < plane.samples;
    const int pixel = x / plane.step;
    const int component = x - pixel * plane.step;

    for (int row = first; inside && row < wanted + 2 * taps.column_radius; row += threads / tile_columns) {
        const int from_row = border_index(top + row - taps.column_radius, plane.height, picture.border);
        Sum sum = half_of<Sum>(taps.row_shift);
        if (from_row < 0) {
            sum += static_cast<Sum>(plane.black) * taps.row_sum;
        } else if (pixel >= taps.row_radius && pixel + taps.row_radius < plane.width) {
            const T* const middle = reinterpret_cast<const T*>(plane.src + plane.src_pitch * from_row) + x;
            const auto at = [&](int offset) {
                return (static_cast<unsigned>(middle[offset]) >> plane.lsb) & picture.max_value;
            };
            sum += static_cast<Sum>(taps.row[0]) * at(0);
#pragma unroll 4
            for (int j = 1; j <= taps.row_radius; ++j) {
                sum += static_cast<Sum>(taps.row[j]) * (at(-j * plane.step) + at(j * plane.step));
            }
        } else {
            const T* const line = reinterpret_cast<const T*>(plane.src + plane.src_pitch * from_row);
            sum += static_cast<Sum>(taps.row[0]) * sample_at(line, pixel, component, plane, picture);
            for (int j = 1; j <= taps.row_radius; ++j) {
                sum += static_cast<Sum>(taps.row[j]) * (sample_at(line, pixel - j, component, plane, picture) +
                                                        sample_at(line, pixel + j, component, plane, picture));
            }
        }
        mid[row * tile_columns + column] = static_cast<std::uint16_t>(sum >> taps.row_shift);
    }
    __syncthreads();
    for (int row = first; inside && row < wanted; row += threads / tile_columns) {
        const std::uint16_t* const middle = mid + (row + taps.column_radius) * tile_columns + column;
        Sum sum = half_of<Sum>(taps.column_shift) + static_cast<Sum>(taps.column[0]) * middle[0];
#pragma unroll 4
        for (int j = 1; j <= taps.column_radius; ++j) {
            sum += static_cast<Sum>(taps.column[j]) *
                   (static_cast<unsigned>(middle[-j * tile_columns]) + middle[j * tile_columns]);
        }
        reinterpret_cast<T*>(plane.dst + plane.dst_pitch * (top + row))[x] =
            static_cast<T>((sum >> taps.column_shift) << plane.lsb);
    }
}

/// From the middle outwards.
std::vector<std::int32_t> half_of_taps(const Pass& pass) {
    return {pass.taps.begin() + pass.radius(), pass.taps.end()};
}

template <class T, class Sum, class Lines>
class General final : public CudaConvolver::Implementation {
public:
    General(const Convolutions& convolutions, Border border) {
        launch_.picture.border = border;
        launch_.picture.max_value = static_cast<unsigned>(convolutions.front().max_value());
        for (std::size_t i = 0; i < convolutions.size(); ++i) {
            const Convolution& convolution = convolutions[i];
            Taps<Lines>& taps = launch_.taps[i];
            place(half_of_taps(convolution.rows), taps.row);
            place(half_of_taps(convolution.columns), taps.column);
            taps.row_radius = convolution.rows.radius();
            taps.column_radius = convolution.columns.radius();
            taps.row_sum = static_cast<std::uint32_t>(convolution.rows.sum());
            taps.row_shift = convolution.rows.shift;
            taps.column_shift = convolution.columns.shift;
            radius_ = std::max(radius_, taps.column_radius);
        }
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        Launch<Lines> launch = launch_;
        const unsigned blocks = describe(launch.picture, planes, Lines::tile_columns, tile_rows);
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(filter_tiles<T, Sum, Lines>, dim3(blocks), dim3(threads), arguments, shared_bytes(),
                                    stream),
                   "cudaLaunchKernel");
    }

    [[nodiscard]] std::string name() const override { return "general, radius " + std::to_string(radius_); }

private:
    template <std::size_t size>
    void place(const std::vector<std::int32_t>& taps, std::int32_t (&to)[size]) {
        std::ranges::copy(taps, to);
    }
    void place(const std::vector<std::int32_t>& taps, const std::int32_t*& to) {
        far_.emplace_back(taps);
        to = far_.back().data();
    }

    [[nodiscard]] std::size_t shared_bytes() const {
        return static_cast<std::size_t>(tile_rows + 2 * radius_) * Lines::tile_columns * sizeof(std::uint16_t);
    }

    int radius_ = 0;
    Launch<Lines> launch_{};
    std::vector<DeviceArray<std::int32_t>> far_;
};

template <class T, class Sum>
std::unique_ptr<CudaConvolver::Implementation> make(const Convolutions& convolutions, Border border) {
    const auto near = [](const Convolution& c) {
        return std::max(c.rows.radius(), c.columns.radius()) <= NearTaps::most_radius;
    };
    if (std::ranges::all_of(convolutions, near)) {
        return std::make_unique<General<T, Sum, NearTaps>>(convolutions, border);
    }
    return std::make_unique<General<T, Sum, FarTaps>>(convolutions, border);
}

}  // namespace

std::unique_ptr<CudaConvolver::Implementation> make_general(const Convolutions& convolutions, Border border) {
    const bool bytes = convolutions.front().depth == 8;
    if (std::ranges::any_of(convolutions, [](const Convolution& c) { return c.rows.wide || c.columns.wide; })) {
        return bytes ? make<std::uint8_t, std::uint64_t>(convolutions, border)
                     : make<std::uint16_t, std::uint64_t>(convolutions, border);
    }
    return bytes ? make<std::uint8_t, std::uint32_t>(convolutions, border)
                 : make<std::uint16_t, std::uint32_t>(convolutions, border);
}

}  // namespace vfilter::cuda
