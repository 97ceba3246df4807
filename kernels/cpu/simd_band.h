#pragma once
// What the SIMD code of every instruction set shares: the memory it works in, and how it gets its work. Not for others.

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <new>
#include <variant>
#include <vector>

#include "kernels/cpu/scalar.h"
#include "kernels/cpu/simd_prepared.h"
#include "kernels/cpu/thread_memory.h"
#include "kernels/plane.h"

namespace vfilter::simd {

/// A band of samples of either size, borrowed: copies would take some of the time of a small picture.
using AnyBand =
    std::variant<std::reference_wrapper<const Band<std::uint8_t>>, std::reference_wrapper<const Band<std::uint16_t>>>;

/// Where the next Store of a thread begins in its page: neighbours far from each other, and the first one, the ring of
/// intermediate rows, close to where pictures begin, which Gaussians of size 5 are fastest with (measured: 184 us
/// against 196 to 208 with six other places).
inline std::size_t next_offset() {
    thread_local unsigned number = 0;
    return (number++ * 5 % 16 + 1) * 256;
}

/// Memory that grows and is never given back. Those of one thread begin at different places of a page: of addresses
/// that are multiples of 4 KiB apart, a read waits for a write that it has nothing to do with, which costs wide
/// Gaussians up to a third of their time.
template <class T>
class Store {
public:
    Store() : offset_(next_offset()) {}

    /// At least `count` elements, aligned for any vector. Whole blocks are read where only a part of them is meant,
    /// hence the zeros: nothing of the rest reaches a result, but it has been written to.
    void reserve(std::size_t count) {
        if (count > capacity_) {
            capacity_ = 0;
            block_.reset();
            block_.reset(static_cast<std::byte*>(::operator new(offset_ + count * sizeof(T), page)));
            std::fill_n(get(), count, T{0});
            capacity_ = count;
        }
    }
    [[nodiscard]] T* get() const { return reinterpret_cast<T*>(block_.get() + offset_); }

private:
    static constexpr std::align_val_t page{4096};
    struct Delete {
        void operator()(std::byte* block) const { ::operator delete(block, page); }
    };

    std::unique_ptr<std::byte[], Delete> block_;
    std::size_t offset_;
    std::size_t capacity_ = 0;
};

/// Bytes of intermediate rows that one strip may hold: with a strip's lines they fit the first-level cache, 32 KiB on
/// most processors. Measured on an EPYC of family 26 (48 KiB; 2026-11, 1080p, 8 bits): from 16 to 40 KiB alike, 64 and
/// more cost a quarter of the time at sizes 31 and 63.
inline constexpr int ring_bytes = 24 * 1024;

/// Lanes of a vector of words that are moved to other places of a row at once.
struct EdgeMove {
    static constexpr int size = 32;
    alignas(64) std::array<std::uint16_t, size> lanes{};  ///< of the vector, by their new places
    int to = 0;
    int from = 0;            ///< where the vector begins
    std::uint32_t mask = 0;  ///< lanes that are written
};

/// Scratch memory of one thread.
struct Scratch {
    Store<std::int32_t> ring;     ///< intermediate rows, two to a slot
    Store<std::uint8_t> lines;    ///< source rows with the border on either side
    Store<std::uint16_t> words;   ///< sums of columns
    Store<std::uint8_t> results;  ///< two rows whose components are apart, and what they are made of
    std::vector<const std::int32_t*> slots;
    std::vector<std::int32_t> mid;     ///< of filters in int64 arithmetic
    Store<std::int64_t> sums;          ///< of the same
    std::vector<double> squares;       ///< of the same: sums of them
    std::vector<int> edges;            ///< where the samples outside the picture come from
    std::vector<EdgeMove> edge_moves;  ///< the same of sums of columns
};

/// More of it, for decimated filters, whose inner filter uses the other.
struct DecimationScratch {
    Store<std::int32_t> sums;          ///< of four decimated rows, for each column
    Store<std::int16_t> rows;          ///< a decimated row of all columns
    Store<std::uint8_t> black;         ///< a row of the constant border
    Store<std::int16_t> line;          ///< one component of such a row with the border on either side
    Store<std::int32_t> planar;        ///< the same by place between two decimated samples
    Store<std::uint16_t> pictures;     ///< the decimated pictures, before and after their filter
    Store<std::int32_t> words;         ///< pairs of a decimated row's samples
    Store<std::int16_t> interpolated;  ///< four decimated rows of all columns
    Store<std::int16_t> component;     ///< one component of such a row
    std::vector<int> edges;            ///< where the samples of `line` come from
};

/// Of boxes of deep samples.
struct RunningBoxScratch {
    Store<std::int32_t> prefixes;  ///< prefix sums of a line
    Store<std::int16_t> mids;      ///< intermediate rows
    Store<std::int32_t> sums;      ///< of columns
    Store<std::uint16_t> results;  ///< rows whose components are apart
};

inline RunningBoxScratch& running_scratch() {
    return of_this_thread<RunningBoxScratch>();
}

inline DecimationScratch& decimation_scratch() {
    return of_this_thread<DecimationScratch>();
}

/// Of one row of blocks.
inline Store<std::uint32_t>& thread_column_sums() {
    return of_this_thread<Store<std::uint32_t>>();
}

/// Of a tile of non-local means.
struct NlMeansScratch {
    Store<std::uint8_t> guide;
    Store<std::uint8_t> other_guide;  ///< of another picture of the window
    Store<std::int32_t> pairs;        ///< a sample and its right neighbour
    Store<std::int16_t> line;         ///< samples of a row
    Store<std::uint8_t> column_sums;  ///< of each offset of a row of offsets
    Store<std::uint8_t> weights;      ///< of two offsets in turn, for one vector
    Store<std::int32_t> sums;         ///< of products, and in the end the results
    Store<std::int32_t> weight_sums;  ///< in two halves
    Store<double> all_sums;           ///< of all pictures of a window, exactly; not of one picture alone
    Store<std::int32_t> all_weights;
};

/// The largest tile.
inline constexpr int nl_means_columns = 256;
inline constexpr int nl_means_rows = 32;

inline NlMeansScratch& nl_means_scratch() {
    return of_this_thread<NlMeansScratch>();
}

inline Scratch& thread_scratch() {
    return of_this_thread<Scratch>();
}

}  // namespace vfilter::simd
