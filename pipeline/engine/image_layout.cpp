#include "pipeline/engine/image_layout.h"

#include <utility>

namespace vfilter {

namespace {

constexpr std::ptrdiff_t alignment = 16;  // of what kernels read: see DevicePlane
constexpr std::ptrdiff_t packed_alignment = 64;
constexpr std::size_t read_past_end = 8;  // bytes that kernels may read past the end of the last row

std::ptrdiff_t round_up(std::ptrdiff_t size, std::ptrdiff_t unit) {
    return (size + unit - 1) / unit * unit;
}

// Decoders pad their pictures to whole blocks: room enough that those can be taken as they lie.
std::size_t room_for(const std::vector<PlaneLayout>& planes) {
    std::ptrdiff_t bytes = 0;
    for (const PlaneLayout& plane : planes) {
        bytes += round_up(row_bytes(plane), packed_alignment) * plane.height;
    }
    return static_cast<std::size_t>(round_up(bytes + bytes / 8, 4096)) + 65536;
}

}  // namespace

std::ptrdiff_t row_bytes(const PlaneLayout& plane) {
    return std::ptrdiff_t{plane.width} * plane.step * (plane.depth == 8 ? 1 : 2);
}

ImageLayouts::ImageLayouts(std::vector<PlaneLayout> planes)
    : planes_(std::move(planes)), image_bytes_(room_for(planes_)) {}

ImageLayout ImageLayouts::of(const AVFrame& picture) const {
    ImageLayout layout;
    std::uint8_t* first = nullptr;
    std::uint8_t* end = nullptr;
    layout.whole = true;
    for (const PlaneLayout& plane : planes_) {
        std::uint8_t* const data = picture.data[plane.index];
        const std::ptrdiff_t pitch = picture.linesize[plane.index];
        std::uint8_t* const plane_end = data + pitch * (plane.height - 1) + row_bytes(plane);
        layout.whole = layout.whole && pitch > 0 && pitch % alignment == 0 && (end == nullptr || data >= end);
        first = first == nullptr ? data : first;
        layout.whole = layout.whole && (data - first) % alignment == 0;
        layout.offsets.push_back(data - first);
        layout.pitches.push_back(pitch);
        end = plane_end;
    }
    // Between two buffers there may be no memory at all.
    const AVBufferRef* const buffer = picture.buf[0];
    layout.whole = layout.whole && buffer != nullptr && first >= buffer->data && end <= buffer->data + buffer->size;
    layout.host = first;
    layout.span = layout.whole ? static_cast<std::size_t>(end - first) : 0;
    layout.whole = layout.whole && layout.span + read_past_end <= image_bytes_;
    if (!layout.whole) {
        ImageLayout apart = packed();
        apart.host = layout.host;
        return apart;
    }
    return layout;
}

ImageLayout ImageLayouts::packed() const {
    ImageLayout layout;
    std::ptrdiff_t offset = 0;
    for (const PlaneLayout& plane : planes_) {
        layout.offsets.push_back(offset);
        layout.pitches.push_back(round_up(row_bytes(plane), packed_alignment));
        offset += layout.pitches.back() * plane.height;
    }
    return layout;
}

}  // namespace vfilter
