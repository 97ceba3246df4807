// Composites of any number of terms and any radius, wide or not: the contract as it is written, but for the centring,
// in loops. A block makes a tile term by term: intermediate rows in shared memory, then every thread its sums.
//
// sum C (mid - centre) + centre * sum C is sum C mid, whatever the centre: it is there for 16-bit registers alone. Here
// the intermediate is not centred. A narrow one has 17 bits then, and a wide one 32, as its span, which holds 0, is
// below 2^31. Narrow sums are exact up to multiples of 2^32, which is enough for what the contract says fits 32 bits.

#include <algorithm>

#include "kernels/arithmetic/filter_kernel.h"
#include "kernels/cuda/load.cuh"
#include "kernels/cuda/memory.h"

namespace vfilter::cuda {

namespace {

constexpr int threads = 256;
/// What a block makes, with terms of up to so many taps.
struct NearTile {
    static constexpr int columns = 32;
    static constexpr int rows = 96;  // the row pass is repeated for as many more as a term has column taps
    static constexpr int most_taps = 255;
};
struct FarTile {
    static constexpr int columns = 16;
    static constexpr int rows = 80;
    static constexpr int most_taps = max_kernel_size;
};
template <class Tile>
inline constexpr int rows_at_once = threads / Tile::columns;
template <class Tile>
inline constexpr int most_shared_words = (Tile::rows + Tile::most_taps - 1) * Tile::columns + 2 * Tile::most_taps;
static_assert(4 * std::max(most_shared_words<NearTile>, most_shared_words<FarTile>) <= 48 * 1024,
              "more has to be asked for");
static_assert(NearTile::rows % rows_at_once<NearTile> == 0 && FarTile::rows % rows_at_once<FarTile> == 0);

/// A run of taps without the zeros at its ends: a user's matrix of full rank has terms of one row each.
struct Line {
    int first;  ///< offset of the first tap's sample
    int count;
    int taps;  ///< where they begin
};

struct Term {
    Line rows;
    Line columns;
    int row_shift;
};

struct Filter {
    Combine combine;
    int first_term;
    int terms;
    int scale;
    std::int64_t gain;
    std::int64_t bias;  ///< with the half that rounds
    std::int64_t threshold;
    std::int64_t magnitude_limit;
};

struct Launch {
    Picture picture;
    Filter filters[CudaConvolver::max_filters];
    const Term* terms;
    const std::int32_t* taps;
};

template <class Integer>
__host__ __device__ Integer half_of(int shift) {
    return shift > 0 ? Integer{1} << (shift - 1) : Integer{0};
}

/// The intermediate sample of one position. `sample(i)` is that under tap i.
template <class Sum>
__device__ std::int32_t row_sum(const std::int32_t* taps, int count, int shift, const auto& sample) {
    using Signed = std::make_signed_t<Sum>;
    Sum sum = half_of<Sum>(shift);
#pragma unroll 4
    for (int i = 0; i < count; ++i) {
        sum += static_cast<Sum>(static_cast<Signed>(taps[i])) * static_cast<Sum>(sample(i));
    }
    return static_cast<std::int32_t>(static_cast<Signed>(sum) >> shift);
}

/// Intermediate rows of one term, the first at mid[0], for the tile's rows from `top` on and the column of samples x.
template <class T, class Sum, class Tile>
__device__ void row_pass(std::int32_t* mid, const std::int32_t* taps, const Term& term, const PlaneParams& plane,
                         const Picture& picture, int x, int top, int wanted) {
    const int pixel = x / plane.step;
    const int component = x - pixel * plane.step;
    const int left = pixel + term.rows.first;
    const bool inside = left >= 0 && left + term.rows.count <= plane.width;
    for (int row = static_cast<int>(threadIdx.x) / Tile::columns; row < wanted + term.columns.count - 1;
         row += rows_at_once<Tile>) {
        const int from_row = border_index(top + row + term.columns.first, plane.height, picture.border);
        const T* const line = reinterpret_cast<const T*>(plane.src + plane.src_pitch * max(from_row, 0));
        const auto stored = [&](int index) {
            return (static_cast<unsigned>(line[index * plane.step + component]) >> plane.lsb) & picture.max_value;
        };
        const auto bordered = [&](int i) {
            const int from = from_row < 0 ? -1 : border_index(left + i, plane.width, picture.border);
            return from < 0 ? static_cast<unsigned>(plane.black) : stored(from);
        };
        mid[row * Tile::columns] =
            inside && from_row >= 0
                ? row_sum<Sum>(taps, term.rows.count, term.row_shift, [&](int i) { return stored(left + i); })
                : row_sum<Sum>(taps, term.rows.count, term.row_shift, bordered);
    }
}

__device__ std::int64_t root_of(std::int64_t n) {
    auto root = static_cast<std::int64_t>(__dsqrt_rn(static_cast<double>(n)));
    // n is below 2^53, so that the root's rounding alone can put it off.
    root -= root * root > n ? 1 : 0;
    root += (root + 1) * (root + 1) <= n ? 1 : 0;
    return root;
}

/// From the sum over all terms, of squares for a magnitude, to the result.
__device__ std::int64_t combine(const Filter& filter, std::int64_t v, std::int64_t sample) {
    switch (filter.combine) {
        case Combine::sum:
            v += filter.gain * sample;
            return llabs(v - (sample << filter.scale)) < filter.threshold ? sample : (v + filter.bias) >> filter.scale;
        case Combine::absolute:
            v += filter.gain * sample;
            return (llabs(v) + filter.bias) >> filter.scale;
        case Combine::magnitude:
            return ((root_of(v) + 1) >> 1) + (filter.bias >> filter.scale);
    }
    __trap();
    return 0;
}

template <class T, class Sum, class Tile>
__global__ void __launch_bounds__(threads) filter_tiles(const __grid_constant__ Launch launch) {
    using Signed = std::make_signed_t<Sum>;
    constexpr int tile_columns = Tile::columns;
    constexpr int most_taps = Tile::most_taps;
    constexpr int rows_of_thread = Tile::rows / rows_at_once<Tile>;
    extern __shared__ std::int32_t shared[];
    std::int32_t* const row_taps = shared;
    std::int32_t* const column_taps = shared + most_taps;
    std::int32_t* const mid = shared + 2 * most_taps;

    const Picture& picture = launch.picture;
    const PlaneParams& plane = own_plane(picture);
    const Filter& filter = launch.filters[plane.filter];
    const int tile = static_cast<int>(blockIdx.x) - plane.first_block;
    const int column = static_cast<int>(threadIdx.x) % tile_columns;
    const int first = static_cast<int>(threadIdx.x) / tile_columns;
    const int x = tile % plane.tiles_x * tile_columns + column;
    const int top = tile / plane.tiles_x * picture.tile_rows;
    const int wanted = min(picture.tile_rows, plane.height - top);
    const bool inside = x < plane.samples;
    const bool magnitude = filter.combine == Combine::magnitude;

    std::int64_t squares[rows_of_thread] = {};
    Sum sums[rows_of_thread] = {};
    for (int t = 0; t < filter.terms; ++t) {
        const Term term = launch.terms[filter.first_term + t];
        __syncthreads();  // the last term's sums are made
        for (int i = static_cast<int>(threadIdx.x); i < most_taps; i += threads) {
            row_taps[i] = i < term.rows.count ? launch.taps[term.rows.taps + i] : 0;
            column_taps[i] = i < term.columns.count ? launch.taps[term.columns.taps + i] : 0;
        }
        __syncthreads();
        if (inside) {
            row_pass<T, Sum, Tile>(mid + column, row_taps, term, plane, picture, x, top, wanted);
        }
        __syncthreads();
        if (!inside) {
            continue;
        }
        for (int j = 0; j < term.columns.count; ++j) {
            const auto tap = static_cast<Sum>(static_cast<Signed>(column_taps[j]));
#pragma unroll
            for (int i = 0; i < rows_of_thread; ++i) {
                const int row = first + i * rows_at_once<Tile>;
                if (row < wanted) {
                    sums[i] += tap * static_cast<Sum>(static_cast<Signed>(mid[(row + j) * tile_columns + column]));
                }
            }
        }
        if (magnitude) {
            const int shift = filter.scale - 1;
#pragma unroll
            for (int i = 0; i < rows_of_thread; ++i) {
                const std::int64_t halves =
                    (std::int64_t{static_cast<Signed>(sums[i])} + half_of<std::int64_t>(shift)) >> shift;
                const std::int64_t limited = min(max(halves, -filter.magnitude_limit), filter.magnitude_limit);
                squares[i] += limited * limited;
                sums[i] = 0;
            }
        }
    }
    if (!inside) {
        return;
    }
#pragma unroll
    for (int i = 0; i < rows_of_thread; ++i) {
        const int row = first + i * rows_at_once<Tile>;
        if (row < wanted) {
            const T* const from = reinterpret_cast<const T*>(plane.src + plane.src_pitch * (top + row));
            const unsigned sample = (static_cast<unsigned>(from[x]) >> plane.lsb) & picture.max_value;
            const std::int64_t v = magnitude ? squares[i] : std::int64_t{static_cast<Signed>(sums[i])};
            const std::int64_t out =
                min(max(combine(filter, v, sample), std::int64_t{0}), std::int64_t{picture.max_value});
            reinterpret_cast<T*>(plane.dst + plane.dst_pitch * (top + row))[x] = static_cast<T>(out << plane.lsb);
        }
    }
}

/// What all composites' terms become on the device.
struct Uploads {
    std::vector<Term> terms;
    std::vector<std::int32_t> taps;

    Line add(const std::vector<std::int32_t>& line) {
        const auto is_tap = [](std::int32_t tap) { return tap != 0; };
        const auto begin = std::ranges::find_if(line, is_tap);
        const auto end = std::ranges::find_if(line.rbegin(), std::make_reverse_iterator(begin), is_tap).base();
        const Line made{static_cast<int>(begin - line.begin()) - static_cast<int>(line.size() / 2),
                        static_cast<int>(end - begin), static_cast<int>(taps.size())};
        taps.insert(taps.end(), begin, end);
        return made;
    }
};

template <class T, class Sum, class Tile>
class General final : public CudaConvolver::Implementation {
public:
    General(const Composites& composites, Border border, const Launch& launch, const Uploads& uploads)
        : launch_(launch), terms_(uploads.terms), taps_(uploads.taps) {
        launch_.picture.border = border;
        launch_.picture.max_value = static_cast<unsigned>(composites.front().max_value());
        launch_.terms = terms_.data();
        launch_.taps = taps_.data();
        for (const Term& term : uploads.terms) {
            column_taps_ = std::max(column_taps_, term.columns.count);
        }
    }

    void launch(std::span<const PlaneJob> planes, cudaStream_t stream) const override {
        Launch launch = launch_;
        const unsigned blocks = describe(launch.picture, planes, Tile::columns, Tile::rows);
        void* arguments[] = {&launch};
        cuda_check(cudaLaunchKernel(filter_tiles<T, Sum, Tile>, dim3(blocks), dim3(threads), arguments, shared_bytes(),
                                    stream),
                   "cudaLaunchKernel");
    }

    [[nodiscard]] std::string name() const override {
        int terms = 0;
        for (const Filter& filter : launch_.filters) {
            terms = std::max(terms, filter.terms);
        }
        return "general, " + std::to_string(terms) + (terms == 1 ? " term" : " terms") +
               (sizeof(Sum) == 8 ? ", wide" : "");
    }

private:
    [[nodiscard]] std::size_t shared_bytes() const {
        return static_cast<std::size_t>((Tile::rows + column_taps_ - 1) * Tile::columns + 2 * Tile::most_taps) *
               sizeof(std::int32_t);
    }

    Launch launch_;
    DeviceArray<Term> terms_;
    DeviceArray<std::int32_t> taps_;
    int column_taps_ = 1;
};

}  // namespace

std::unique_ptr<CudaConvolver::Implementation> make_general(const Composites& composites, Border border) {
    Launch launch{};
    Uploads uploads;
    for (std::size_t i = 0; i < composites.size(); ++i) {
        const Composite& composite = composites[i];
        launch.filters[i] = {composite.combine,
                             static_cast<int>(uploads.terms.size()),
                             static_cast<int>(composite.terms.size()),
                             composite.scale,
                             composite.gain,
                             composite.bias + half_of<std::int64_t>(composite.scale),
                             composite.threshold,
                             composite.magnitude_limit()};
        for (const CompositeTerm& term : composite.terms) {
            const Line rows = uploads.add(term.rows);
            uploads.terms.push_back({rows, uploads.add(term.columns), term.row_shift});
        }
    }
    const auto make = [&]<class T, class Sum>() -> std::unique_ptr<CudaConvolver::Implementation> {
        const auto near = [](const Term& term) {
            return std::max(term.rows.count, term.columns.count) <= NearTile::most_taps;
        };
        if (std::ranges::all_of(uploads.terms, near)) {
            return std::make_unique<General<T, Sum, NearTile>>(composites, border, launch, uploads);
        }
        return std::make_unique<General<T, Sum, FarTile>>(composites, border, launch, uploads);
    };
    const bool bytes = composites.front().depth == 8;
    if (std::ranges::any_of(composites, &Composite::wide)) {
        return bytes ? make.template operator()<std::uint8_t, std::uint64_t>()
                     : make.template operator()<std::uint16_t, std::uint64_t>();
    }
    return bytes ? make.template operator()<std::uint8_t, std::uint32_t>()
                 : make.template operator()<std::uint16_t, std::uint32_t>();
}

}  // namespace vfilter::cuda
