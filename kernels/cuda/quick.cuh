#pragma once
// Composites of one or two terms and of small radius, in registers alone: every thread walks down a strip of its own
// columns and adds each row's intermediate samples to the sums of all results that they are part of.

#include <algorithm>

#include "kernels/cuda/quick_results.cuh"

namespace vfilter::cuda {

constexpr int quick_warps = 4;  // of a block: strips one below the other
constexpr int quick_lanes = 32;
constexpr int quick_blocks = 8;  // of a multiprocessor at once, which bounds the registers
/// So many rows are asked for before the first one is worked on.
template <int step>
inline constexpr int rows_ahead = step == 1 ? 4 : 2;

template <Form form, int R, int terms>
struct QuickLaunch {
    Picture picture;
    QuickTaps<form, R, terms> taps[CudaConvolver::max_filters];
};

/// The words of `count` rows from y on that a thread's columns need.
template <class S, int R, int step, int count, int words>
__device__ __forceinline__ void load_rows(std::uint32_t (&lines)[count][words], const PlaneParams& plane,
                                          const Picture& picture, int x, int y) {
    using T = typename S::T;
    using L = QuickLine<S, R, step>;
    constexpr int bytes = static_cast<int>(sizeof(T));
    const int left = x - L::before * S::per_word;
    const bool inside = left >= 0 && left + words * S::per_word <= plane.samples;
    if (inside && y >= 0 && y + count <= plane.height) {
        const unsigned char* from = plane.src + plane.src_pitch * y + left * bytes;
#pragma unroll
        for (int i = 0; i < count; ++i) {
            load_words<L::before, S::own * bytes>(lines[i], from);
            from += plane.src_pitch;
        }
        return;
    }
#pragma unroll
    for (int i = 0; i < count; ++i) {
        const unsigned char* const row = row_at(plane, picture, y + i);
        if (row == nullptr) {
#pragma unroll
            for (std::uint32_t& word : lines[i]) {
                word = black_word<T>(plane);
            }
        } else if (inside) {
            load_words<L::before, S::own * bytes>(lines[i], row + left * bytes);
        } else {
#pragma unroll
            for (int word = 0; word < words; ++word) {
                lines[i][word] = border_word<T, step>(row, plane, picture, left + word * S::per_word);
            }
        }
    }
}

/// Adds a row to all sums it is part of, and moves them on by one: those of the result that it completes are
/// `complete`.
template <class S, int R, int step, int terms, int words, class Taps>
__device__ __forceinline__ void add_row(std::uint32_t (&sums)[S::sums][2 * R][S::own],
                                        std::uint32_t (&complete)[S::sums][S::own], const std::uint32_t (&line)[words],
                                        const Taps& taps, const PlaneParams& plane, const Picture& picture) {
    using L = QuickLine<S, R, step>;
    std::int32_t mid[terms][S::own];
#pragma unroll
    for (int t = 0; t < terms; ++t) {
        filter_line<S, R, step>(line, mid[t], taps.rows[t], plane, picture);
    }
    const auto add = [&](std::uint32_t sum, int own, int tap, int c) {
#pragma unroll
        for (int t = 0; t < terms; ++t) {
            if (S::sums == 1 || t == own) {
                sum += taps.columns[t][tap] * static_cast<std::uint32_t>(mid[t][c]);
            }
        }
        return sum;
    };
#pragma unroll
    for (int own = 0; own < S::sums; ++own) {
#pragma unroll
        for (int c = 0; c < S::own; ++c) {
            complete[own][c] = add(sums[own][0][c], own, 2 * R, c);
#pragma unroll
            for (int k = 0; k < 2 * R; ++k) {
                sums[own][k][c] = add(k + 1 < 2 * R ? sums[own][k + 1][c] : taps.start, own, 2 * R - 1 - k, c);
            }
        }
    }
    if (S::sums == 1 && taps.gain != 0) {
#pragma unroll
        for (int c = 0; c < S::own; ++c) {
            sums[0][R - 1][c] += taps.gain * sample_of<S::form>(line[L::before + c / S::per_word], c, plane, picture);
        }
    }
}

template <class S, int R, int step, int terms, bool magnitude, class Taps>
__device__ __forceinline__ void walk(const Taps& taps, const PlaneParams& plane, const Picture& picture, int x, int top,
                                     int wanted) {
    using T = typename S::T;
    constexpr int ahead = rows_ahead<step>;
    std::uint32_t sums[S::sums][2 * R][S::own] = {};
    unsigned char* to = plane.dst + plane.dst_pitch * top + x * static_cast<int>(sizeof(T));
    for (int row = 0; row < wanted + 2 * R; row += ahead) {
        std::uint32_t lines[ahead][QuickLine<S, R, step>::words];
        load_rows<S, R, step>(lines, plane, picture, x, top - R + row);
#pragma unroll
        for (int i = 0; i < ahead; ++i) {
            if (row + i >= wanted + 2 * R) {
                break;
            }
            std::uint32_t complete[S::sums][S::own];
            add_row<S, R, step, terms>(sums, complete, lines[i], taps, plane, picture);
            if (row + i < 2 * R) {
                continue;  // results of the strip above
            }
            const unsigned char* const from = plane.src + plane.src_pitch * (top + row + i - 2 * R);
            std::int32_t results[S::own];
            finish<S, magnitude>(complete, results, taps, [&](int c) {
                const std::uint32_t word =
                    border_word<T, step>(from, plane, picture, x + c / S::per_word * S::per_word);
                return sample_of<S::form>(word, c, plane, picture);
            });
            store<S>(to, results, plane, picture);
            to += plane.dst_pitch;
        }
    }
}

template <Form form, int R, int terms, bool magnitude>
__global__ void __launch_bounds__(quick_warps* quick_lanes, quick_blocks)
    filter_strips(const __grid_constant__ QuickLaunch<form, R, terms> launch) {
    using S = QuickShape<form, R, terms, magnitude>;
    const Picture& picture = launch.picture;
    const PlaneParams& plane = own_plane(picture);
    const auto& taps = launch.taps[plane.filter];
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int lane = static_cast<int>(threadIdx.x) % quick_lanes;
    const int strip = static_cast<int>(threadIdx.x) / quick_lanes;
    const int strip_rows = picture.tile_rows / quick_warps;
    const int x = (tile % plane.tiles_x * quick_lanes + lane) * S::own;
    const int top = tile / plane.tiles_x * picture.tile_rows + strip * strip_rows;
    const int wanted = min(strip_rows, plane.height - top);
    if (x >= plane.samples || wanted <= 0) {
        return;
    }
    if (taps.ending == Ending::constant) {
        std::int32_t results[S::own];
#pragma unroll
        for (std::int32_t& result : results) {
            result = taps.constant;
        }
        for (int row = top; row < top + wanted; ++row) {
            store<S>(plane.dst + plane.dst_pitch * row + x * static_cast<int>(sizeof(typename S::T)), results, plane,
                     picture);
        }
    } else if (plane.step == 1) {
        walk<S, R, 1, terms, magnitude>(taps, plane, picture, x, top, wanted);
    } else {
        walk<S, R, 2, terms, magnitude>(taps, plane, picture, x, top, wanted);
    }
}

template <Form form, int R, int terms, bool magnitude>
class Quick final : public CudaConvolver::Implementation {
public:
    Quick(const Composites& composites, Border border) : multiprocessors_(attribute(cudaDevAttrMultiProcessorCount)) {
        launch_.picture.border = border;
        launch_.picture.max_value = static_cast<unsigned>(composites.front().max_value());
        for (std::size_t i = 0; i < composites.size(); ++i) {
            fill(launch_.taps[i], composites[i]);
        }
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        auto launch = launch_;
        const unsigned blocks = describe(launch.picture, planes, tile_columns, tile_rows(planes));
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(filter_strips<form, R, terms, magnitude>, dim3(blocks),
                                    dim3(quick_warps * quick_lanes), arguments, 0, stream),
                   "cudaLaunchKernel");
    }

    [[nodiscard]] std::string name() const override {
        return "quick, radius " + std::to_string(R) + ", " + std::to_string(terms) + (terms == 1 ? " term" : " terms") +
               (magnitude ? ", magnitude" : "") + (form == Form::quads ? ", 8-bit taps" : "");
    }

private:
    static constexpr int tile_columns = quick_lanes * QuickShape<form, R, terms, magnitude>::own;

    // High strips repeat fewer rows of the row pass, low ones keep more multiprocessors busy: see Fused.
    [[nodiscard]] int tile_rows(std::span<const PlaneJob> planes) const {
        constexpr int most_walked = 64;
        int best = 0;
        std::int64_t least = 0;
        for (int walked = 2 * rows_ahead<1>; walked <= most_walked; walked += rows_ahead<1>) {
            const int rows = quick_warps * (walked - 2 * R);
            std::int64_t blocks = 0;
            for (const PlaneJob& job : planes) {
                blocks += std::int64_t{(job.src.width * job.src.step + tile_columns - 1) / tile_columns} *
                          ((job.src.height + rows - 1) / rows);
            }
            const std::int64_t work = (blocks + multiprocessors_ - 1) / multiprocessors_ * walked;
            if (best == 0 || 20 * work < 19 * least) {
                best = rows;
                least = work;
            }
        }
        return best;
    }

    int multiprocessors_;
    QuickLaunch<form, R, terms> launch_{};
};

template <Form form, int R, int terms, bool magnitude>
std::unique_ptr<CudaConvolver::Implementation> make_quick(const Composites& composites, Border border) {
    return std::make_unique<Quick<form, R, terms, magnitude>>(composites, border);
}

template <Form form, int R, int terms, bool magnitude>
inline constexpr QuickKernel quick_kernel{quick_takes<form, R, terms, magnitude>,
                                          make_quick<form, R, terms, magnitude>};

}  // namespace vfilter::cuda
