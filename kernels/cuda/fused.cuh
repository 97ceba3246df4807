#pragma once
// Rows and columns in one kernel, for one radius: a block makes a tile's intermediate rows in shared memory, then its
// results from there.
//
// Against the contract's text nothing changes but the form, and every step is exact:
// - The intermediate is not centred: what centring takes away comes back as the same number, and an unsigned 16-bit
// word
//   holds the intermediate; sums stay below 2^32 as unsigned numbers.
// - With taps >= 0 that sum to 2^scale, or miss it by less than half of a least significant bit at the largest sample,
//   no result is above that sample: nothing is left to clamp.
// - Taps are multiplied by a power of two, half and shift with them, where that puts the result at the upper end of a
//   word.
// - Taps are symmetric: two samples are added before they are multiplied. A multiplication takes one of the two integer
//   pipes of an SM, an addition the other. Rows of bytes are multiplied two by two (dp2a) instead, and four by four
//   (dp4a) where the taps are whole multiples of the intermediate's unit that fit a byte, as those of OpenCV's
//   Gaussians 3, 5 and 7 are.

#include <algorithm>

#include "kernels/cuda/fused_columns.cuh"
#include "kernels/cuda/fused_rows.cuh"

namespace vfilter::cuda {

template <class T, int R>
struct Launch {
    Picture picture;
    Taps<T, R> taps[CudaConvolver::max_filters];
};

template <class T, int R>
__global__ void __launch_bounds__(threads, Shape<T, R>::blocks)
    filter_tiles(const __grid_constant__ Launch<T, R> launch) {
    using S = Shape<T, R>;
    extern __shared__ __align__(16) std::uint16_t mid[];
    const Picture& picture = launch.picture;
    const PlaneParams& plane = own_plane(picture);
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int left = tile % plane.tiles_x * tile_columns;
    const int top = tile / plane.tiles_x * picture.tile_rows;
    const int wanted = min(picture.tile_rows, plane.height - top);

    const Taps<T, R>& taps = launch.taps[plane.filter];
    const int rows = wanted + 2 * R;
    const auto make_rows = [&]<bool quads>() {
        if (plane.step == 1) {
            row_pass<T, R, 1, quads>(mid, taps, plane, picture, left, top - R, rows);
        } else {
            row_pass<T, R, 2, quads>(mid, taps, plane, picture, left, top - R, rows);
        }
    };
    if constexpr (byte_shifted<T, R>) {
        taps.use_quads ? make_rows.template operator()<true>() : make_rows.template operator()<false>();
    } else {
        make_rows.template operator()<false>();
    }
    __syncthreads();

    constexpr int groups = tile_columns / S::columns;
    const int column = static_cast<int>(threadIdx.x) % groups * S::columns;
    if (left + column >= plane.samples) {
        return;
    }
    for (int row = static_cast<int>(threadIdx.x) / groups * S::rows; row < wanted; row += S::rows_at_once) {
        unsigned char* const to =
            plane.dst + plane.dst_pitch * (top + row) + (left + column) * static_cast<int>(sizeof(T));
        const std::uint16_t* const from = mid + row * tile_columns + column;
        if constexpr (has_words<T, R>) {
            if (taps.use_words) {
                filter_column_words<R>(from, to, wanted - row, taps, plane);
                continue;
            }
        }
        filter_columns<T, R>(from, to, wanted - row, taps, plane, picture);
    }
}

template <class T, int R>
class Fused final : public CudaConvolver::Implementation {
public:
    Fused(const Convolutions& convolutions, Border border)
        : multiprocessors_(attribute(cudaDevAttrMultiProcessorCount)),
          most_shared_(attribute(cudaDevAttrMaxSharedMemoryPerBlockOptin)) {
        launch_.picture.border = border;
        launch_.picture.max_value = static_cast<unsigned>(convolutions.front().max_value());
        launch_.picture.result_shift = static_cast<unsigned>(32 - convolutions.front().depth);
        for (std::size_t i = 0; i < convolutions.size(); ++i) {
            fill(launch_.taps[i], convolutions[i]);
        }
        cuda_check(cudaFuncSetAttribute(filter_tiles<T, R>, cudaFuncAttributeMaxDynamicSharedMemorySize,
                                        std::min(most_shared_, shared_bytes(most_rows))),
                   "cudaFuncSetAttribute");
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        Launch<T, R> launch = launch_;
        const int rows = tile_rows(planes);
        const unsigned blocks = describe(launch.picture, planes, tile_columns, rows);
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(filter_tiles<T, R>, dim3(blocks), dim3(threads), arguments,
                                    static_cast<std::size_t>(shared_bytes(rows)), stream),
                   "cudaLaunchKernel");
    }

    [[nodiscard]] std::string name() const override { return "fused, radius " + std::to_string(R); }

private:
    static constexpr int unit = Shape<T, R>::rows_at_once;
    static constexpr int most_rows = 128;

    static int shared_bytes(int rows) {
        return (rows + 2 * R) * tile_columns * static_cast<int>(sizeof(std::uint16_t));
    }

    // High tiles repeat fewer rows of the row pass, low ones keep more multiprocessors busy and wait less for each
    // other: the lowest for which the busiest multiprocessor has little more to do than it could have.
    [[nodiscard]] int tile_rows(std::span<const PlaneJob> planes) const {
        int best = unit;
        std::int64_t least = 0;
        for (int rows = unit; rows <= most_rows && shared_bytes(rows) <= most_shared_; rows += unit) {
            std::int64_t blocks = 0;
            for (const PlaneJob& job : planes) {
                blocks += std::int64_t{(job.src.width * job.src.step + tile_columns - 1) / tile_columns} *
                          ((job.src.height + rows - 1) / rows);
            }
            const std::int64_t work = (blocks + multiprocessors_ - 1) / multiprocessors_ * (2 * rows + 2 * R);
            if (rows == unit || 10 * work < 9 * least) {
                best = rows;
                least = work;
            }
        }
        return best;
    }

    int multiprocessors_;
    int most_shared_;  // bytes of one block
    Launch<T, R> launch_{};
};

template <class T, int R>
std::unique_ptr<CudaConvolver::Implementation> make_fused(const Convolutions& convolutions, Border border) {
    return std::make_unique<Fused<T, R>>(convolutions, border);
}

/// Radii with a kernel of their own; a convolution takes the next larger one.
template <class T, int R>
inline constexpr FusedKernel fused_kernel{R, takes<T, R>, make_fused<T, R>};
template <class T>
inline constexpr FusedKernel fused_kernels[] = {
    fused_kernel<T, 1>, fused_kernel<T, 2>,  fused_kernel<T, 3>,
    fused_kernel<T, 7>, fused_kernel<T, 15>, fused_kernel<T, 31>,
};

}  // namespace vfilter::cuda
