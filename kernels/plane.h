#pragma once
// A borrowed rectangle of samples: the only way in which pictures reach the kernels.

#include <cstddef>
#include <cstdint>

namespace vfilter {

/// Components that a plane may hold.
inline constexpr int max_step = 4;

/// Samples of one component, or of several that lie interleaved, that somebody else owns; copying the view copies no
/// sample. T is (const) uint8_t for a depth of 8 bits and (const) uint16_t, in the machine's byte order, for 9 to 16
/// bits.
template <class T>
struct PlaneView {
    T* data = nullptr;
    int width = 0;              ///< pixels, >= 1
    int height = 0;             ///< rows, >= 1
    std::ptrdiff_t stride = 0;  ///< bytes from one row to the next; any sign, any remainder that keeps T aligned
    int step = 1;  ///< samples from one pixel to the next, 1 to max_step: the components that lie interleaved, as
                   ///< NV12's chroma (2), RGB24 (3) and RGBA (4) do; all of them are filtered, each by itself
    int lsb = 0;   ///< position of a sample's lowest bit in T: 0, or 16 - depth for P010 and its family

    [[nodiscard]] T* row(int y) const { return reinterpret_cast<T*>(reinterpret_cast<Byte*>(data) + stride * y); }
    /// Samples in one row: width * step.
    [[nodiscard]] int samples() const { return width * step; }

    operator PlaneView<const T>() const { return {data, width, height, stride, step, lsb}; }

private:
    template <class U>
    struct ByteOf {
        using type = unsigned char;
    };
    template <class U>
    struct ByteOf<const U> {
        using type = const unsigned char;
    };
    using Byte = typename ByteOf<T>::type;
};

}  // namespace vfilter
