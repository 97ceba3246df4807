#pragma once
// The caller's pictures: whether they are as they should be, and how kernels see them.

#include <cstddef>
#include <cstdlib>
#include <string>

#include "kernels/plane.h"
#include "vfilter/vfilter.h"

namespace vfilter {

/// How the samples of a row lie.
enum class Order {
    planar,                ///< side by side; each channel is a plane
    interleaved,           ///< a pixel's channels follow each other
    interleaved_backwards  ///< the last one first
};

/// Pictures of samples of one type, checked.
struct Pictures {
    unsigned char* data = nullptr;
    std::ptrdiff_t sample = 1;  ///< bytes of one
    int width = 0;
    int height = 0;
    int channels = 0;
    std::ptrdiff_t count = 1;
    std::ptrdiff_t pixel_pitch = 0;  ///< bytes
    std::ptrdiff_t row_pitch = 0;
    std::ptrdiff_t channel_pitch = 0;
    std::ptrdiff_t picture_pitch = 0;
    Order order = Order::planar;
    int device = -1;                ///< in whose memory they are; -1: the host's
    void* const* places = nullptr;  ///< of pictures, instead of `data` and `picture_pitch`
    int luma_width = 0;             ///< of planes of chroma: of the picture that they are of; 0: not known
    int luma_height = 0;

    [[nodiscard]] unsigned char* place(std::ptrdiff_t picture, int channel, int row) const {
        unsigned char* const first =
            places != nullptr ? static_cast<unsigned char*>(places[picture]) : data + picture * picture_pitch;
        return first + channel * channel_pitch + row * row_pitch;
    }
    /// Some of them.
    [[nodiscard]] Pictures part(std::ptrdiff_t first, std::ptrdiff_t pictures) const {
        Pictures made = *this;
        made.count = pictures;
        if (places != nullptr) {
            made.places += first;
        } else {
            made.data += first * picture_pitch;
        }
        return made;
    }
    /// The plane of one channel, or of all if they are interleaved.
    template <class T>
    [[nodiscard]] PlaneView<T> plane(std::ptrdiff_t picture, int channel, int lsb) const {
        const int first = order == Order::planar ? channel : order == Order::interleaved_backwards ? channels - 1 : 0;
        const int step = order == Order::planar ? 1 : channels;
        return {reinterpret_cast<T*>(place(picture, first, 0)), width, height, row_pitch, step, lsb};
    }
};

/// What pictures are made of: of `all`, those from `first` on, as many as are made. The others are looked at, too.
struct Sources {
    Pictures all;
    std::ptrdiff_t first = 0;

    [[nodiscard]] Pictures own(std::ptrdiff_t count) const { return all.part(first, count); }
};

/// `name` is what messages call it; `sample` is a sample's size; `whose` the channels are. Throws
/// Failure.
Pictures checked(const vfilter_picture* picture, const std::string& name, int channels, std::size_t sample,
                 const char* whose = "the format");
/// Throws Failure unless `other`, called `name`, is where the source is.
void check_same_memory(const Pictures& source, const Pictures& other, const std::string& name);
/// Of what is written: no place is there twice. Throws Failure.
void check_places(const Pictures& pictures, const std::string& name);
/// Throws Failure where they share memory. Their samples may be of different sizes, as a mask's are.
void check_apart(const Pictures& source, const char* name, const Pictures& result);
/// Throws Failure unless the size of the picture that they are of, where it is given, goes with that subsampling.
void check_luma(const Pictures& pictures, const std::string& name, const vfilter_format& format);

/// The same pictures in memory of their own without gaps, planar or with the other's order.
Pictures packed(const Pictures& like, Order order);
/// Bytes that pictures in memory of their own take, one after the other from the first on. Throws Failure if that is
/// more than can be.
std::size_t packed_bytes(const Pictures& packed);

/// Copies rows of one channel. Their samples are of one size.
void copy_rows(const Pictures& from, const Pictures& to, std::ptrdiff_t picture, int channel, int first, int last);

}  // namespace vfilter
