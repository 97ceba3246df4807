// Interleaved components, taken apart and put together again. Compiled once for each instruction set.

#if defined(VFILTER_SIMD_INTERLEAVED_INL) == defined(HWY_TARGET_TOGGLE)
#ifdef VFILTER_SIMD_INTERLEAVED_INL
#undef VFILTER_SIMD_INTERLEAVED_INL
#else
#define VFILTER_SIMD_INTERLEAVED_INL
#endif

#include <hwy/highway.h>

#include <cstddef>
#include <cstdint>
#include <cstring>

HWY_BEFORE_NAMESPACE();
namespace vfilter::simd::HWY_NAMESPACE {
namespace {
#if HWY_TARGET != HWY_SCALAR

namespace hn = hwy::HWY_NAMESPACE;

#if HWY_ARCH_X86 && HWY_TARGET <= HWY_AVX3_DL
// Any sample of two vectors to any place in one instruction, where Highway has several for each. Vector n of the
// results takes of the first two vectors what `low` says, and of the others what `high` does where `beyond` is set.
template <int kStep, class T>
struct Moves {
    static constexpr int lanes = 64 / static_cast<int>(sizeof(T));
    alignas(64) T low[kStep][lanes];
    alignas(64) T high[kStep][lanes];
    std::uint64_t beyond[kStep];
};

// `apart`: from pixels to components, or back.
template <int kStep, class T>
constexpr Moves<kStep, T> moves_of(bool apart) {
    using M = Moves<kStep, T>;
    M moves{};
    for (int n = 0; n < kStep; ++n) {
        for (int i = 0; i < M::lanes; ++i) {
            const int place = n * M::lanes + i;
            const int from = apart ? i * kStep + n : place % kStep * M::lanes + place / kStep;
            const bool second = from >= 2 * M::lanes;
            moves.low[n][i] = static_cast<T>(second ? 0 : from);
            moves.high[n][i] = static_cast<T>(second ? from - 2 * M::lanes : 0);
            moves.beyond[n] |= std::uint64_t{second} << i;
        }
    }
    return moves;
}

template <int kStep, class T, bool kApart>
inline constexpr Moves<kStep, T> all_moves = moves_of<kStep, T>(kApart);

template <class T>
HWY_INLINE __m512i pick(__m512i a, const T* from, __m512i b) {
    const __m512i index = _mm512_load_si512(from);
    if constexpr (sizeof(T) == 1) {
        return _mm512_permutex2var_epi8(a, index, b);
    } else {
        return _mm512_permutex2var_epi16(a, index, b);
    }
}

template <class T>
HWY_INLINE __m512i merge(__m512i low, __m512i high, std::uint64_t beyond) {
    if constexpr (sizeof(T) == 1) {
        return _mm512_mask_blend_epi8(beyond, low, high);
    } else {
        return _mm512_mask_blend_epi16(static_cast<__mmask32>(beyond), low, high);
    }
}

// in[0], in[1], ... are `from_stride` samples apart, and so on.
template <int kStep, bool kApart, class T>
HWY_INLINE void move_all(const T* from, std::ptrdiff_t from_stride, T* to, std::ptrdiff_t to_stride) {
    constexpr const Moves<kStep, T>& moves = all_moves<kStep, T, kApart>;
    __m512i in[4];
    for (int i = 0; i < kStep; ++i) {
        in[i] = _mm512_loadu_si512(from + i * from_stride);
    }
    for (int n = 0; n < kStep; ++n) {
        __m512i made = pick(in[0], moves.low[n], in[1]);
        if constexpr (kStep > 2) {
            made = merge<T>(made, pick(in[2], moves.high[n], in[kStep - 1]), moves.beyond[n]);
        }
        _mm512_storeu_si512(to + n * to_stride, made);
    }
}

template <int kStep, class T>
HWY_INLINE void load_apart(const T* from, T* to, std::ptrdiff_t stride) {
    move_all<kStep, true>(from, Moves<kStep, T>::lanes, to, stride);
}

template <int kStep, class T>
HWY_INLINE void store_together(const T* from, std::ptrdiff_t stride, T* to) {
    move_all<kStep, false>(from, stride, to, Moves<kStep, T>::lanes);
}
#else
template <int kStep, class T>
HWY_INLINE void load_apart(const T* from, T* to, std::ptrdiff_t stride) {
    const hn::ScalableTag<T> d;
    hn::VFromD<decltype(d)> a, b, c, e;
    if constexpr (kStep == 2) {
        hn::LoadInterleaved2(d, from, a, b);
    } else if constexpr (kStep == 3) {
        hn::LoadInterleaved3(d, from, a, b, c);
        hn::StoreU(c, d, to + 2 * stride);
    } else {
        hn::LoadInterleaved4(d, from, a, b, c, e);
        hn::StoreU(c, d, to + 2 * stride);
        hn::StoreU(e, d, to + 3 * stride);
    }
    hn::StoreU(a, d, to);
    hn::StoreU(b, d, to + stride);
}

template <int kStep, class T>
HWY_INLINE void store_together(const T* from, std::ptrdiff_t stride, T* to) {
    const hn::ScalableTag<T> d;
    const auto a = hn::LoadU(d, from);
    const auto b = hn::LoadU(d, from + stride);
    if constexpr (kStep == 2) {
        hn::StoreInterleaved2(a, b, d, to);
    } else if constexpr (kStep == 3) {
        hn::StoreInterleaved3(a, b, hn::LoadU(d, from + 2 * stride), d, to);
    } else {
        hn::StoreInterleaved4(a, b, hn::LoadU(d, from + 2 * stride), hn::LoadU(d, from + 3 * stride), d, to);
    }
}

#endif

template <int kStep, class T>
void take_apart_of(const T* from, int pixels, T* to, std::ptrdiff_t stride) {
    const auto lanes = static_cast<int>(hn::Lanes(hn::ScalableTag<T>()));
    int x = 0;
    for (; x + lanes <= pixels; x += lanes) {
        load_apart<kStep>(from + std::ptrdiff_t{x} * kStep, to + x, stride);
    }
    if (x < pixels) {
        HWY_ALIGN T rest[kStep * HWY_MAX_BYTES / sizeof(T)] = {};
        std::memcpy(rest, from + std::ptrdiff_t{x} * kStep, sizeof(T) * static_cast<std::size_t>((pixels - x) * kStep));
        load_apart<kStep>(rest, to + x, stride);
    }
}

template <int kStep, class T>
void put_together_of(const T* from, std::ptrdiff_t stride, int pixels, T* to) {
    const auto lanes = static_cast<int>(hn::Lanes(hn::ScalableTag<T>()));
    int x = 0;
    for (; x + lanes <= pixels; x += lanes) {
        store_together<kStep>(from + x, stride, to + std::ptrdiff_t{x} * kStep);
    }
    if (x < pixels) {
        HWY_ALIGN T rest[kStep * HWY_MAX_BYTES / sizeof(T)];
        store_together<kStep>(from + x, stride, rest);
        std::memcpy(to + std::ptrdiff_t{x} * kStep, rest, sizeof(T) * static_cast<std::size_t>((pixels - x) * kStep));
    }
}

/// The `step` components of `pixels` pixels, each `stride` after the one before, in whole vectors.
template <class T>
void take_apart(const T* from, int step, int pixels, T* to, std::ptrdiff_t stride) {
    switch (step) {
        case 2:
            return take_apart_of<2>(from, pixels, to, stride);
        case 3:
            return take_apart_of<3>(from, pixels, to, stride);
        case 4:
            return take_apart_of<4>(from, pixels, to, stride);
        default:
            for (int i = 0; i < pixels * step; ++i) {
                to[i % step * stride + i / step] = from[i];
            }
    }
}

/// The other way. Whole vectors of each component are read, and no more than the pixels written.
template <class T>
void put_together(const T* from, std::ptrdiff_t stride, int step, int pixels, T* to) {
    switch (step) {
        case 2:
            return put_together_of<2>(from, stride, pixels, to);
        case 3:
            return put_together_of<3>(from, stride, pixels, to);
        case 4:
            return put_together_of<4>(from, stride, pixels, to);
        default:
            for (int i = 0; i < pixels * step; ++i) {
                to[i] = from[i % step * stride + i / step];
            }
    }
}

#endif  // HWY_TARGET
}  // namespace
}  // namespace vfilter::simd::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#endif  // include guard for each target
