// Sums of the columns that a border puts on either side of a picture: they are those of columns inside. Compiled once
// for each instruction set.

#if defined(VFILTER_SIMD_BOX_EDGES_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_BOX_EDGES_INL
#undef VFILTER_SIMD_BOX_EDGES_INL
#else
#define VFILTER_SIMD_BOX_EDGES_INL
#endif

#include "kernels/cpu/simd_lines-inl.h"

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

class ColumnEdges {
public:
    /// `reach`: columns on either side, in pixels. Until the scratch memory is used for another one.
    template <class T>
    ColumnEdges(const Band<T>& band, int reach, Scratch& scratch) : moves_(scratch.edge_moves), rest_(scratch.edges) {
        moves_.clear();
        rest_.clear();
        const PlaneView<const T>& src = band.src;
        const auto add_pixel = [&](int pixel) {
            const int from = border_index(pixel, src.width, band.border);
            for (int i = 0; i < src.step; ++i) {
                add(pixel * src.step + i, from < 0 ? constant : from * src.step + i);
            }
        };
        for (int pixel = -reach; pixel < 0; ++pixel) {
            add_pixel(pixel);
        }
        for (int pixel = src.width; pixel < src.width + reach; ++pixel) {
            add_pixel(pixel);
        }
    }

    /// `own` are the sums of column 0 on, `outside` is what stands for a column of the constant border.
    void spread(std::uint16_t* own, std::uint16_t outside) const {
        for (std::size_t i = 0; i < rest_.size(); i += 2) {
            own[rest_[i]] = rest_[i + 1] < 0 ? outside : own[rest_[i + 1]];
        }
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
        for (const EdgeMove& move : moves_) {
            const __m512i from = _mm512_loadu_si512(own + move.from);
            const __m512i moved = _mm512_permutexvar_epi16(_mm512_load_si512(move.lanes.data()), from);
            _mm512_mask_storeu_epi16(own + move.to, move.mask, moved);
        }
#endif
    }

private:
    static constexpr int constant = -1;

    // Places come in order.
    void add(int to, int from) {
#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
        if (from != constant) {
            if (!add_to_last(to, from)) {
                moves_.push_back({.to = to, .from = from, .mask = 1});
            }
            return;
        }
#endif
        rest_.push_back(to);
        rest_.push_back(from);
    }

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3
    // False where they are too far apart.
    bool add_to_last(int to, int from) {
        if (moves_.empty() || to - moves_.back().to >= EdgeMove::size) {
            return false;
        }
        EdgeMove& move = moves_.back();
        const int before = std::max(move.from - from, 0);
        for (int lane = 0; lane < EdgeMove::size; ++lane) {
            const bool used = (move.mask >> lane & 1U) != 0;
            if (used && move.lanes[static_cast<std::size_t>(lane)] + before >= EdgeMove::size) {
                return false;
            }
        }
        if (from - (move.from - before) >= EdgeMove::size) {
            return false;
        }
        for (std::uint16_t& lane : move.lanes) {
            lane = static_cast<std::uint16_t>(lane + before);
        }
        move.from -= before;
        move.mask |= 1U << (to - move.to);
        move.lanes[static_cast<std::size_t>(to - move.to)] = static_cast<std::uint16_t>(from - move.from);
        return true;
    }
#endif

    std::vector<EdgeMove>& moves_;
    std::vector<int>& rest_;  ///< pairs: a place, and where its sum comes from, or `constant`
};

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
