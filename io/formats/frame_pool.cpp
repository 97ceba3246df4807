#include "io/formats/frame_pool.h"

extern "C" {
#include <libavutil/imgutils.h>
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

#include "io/formats/formats.h"

namespace vfilter {

namespace {

constexpr std::size_t alignment = 64;
// A sequence may have pictures of as many sizes as it likes.
constexpr std::size_t most_layouts = 8;
// Decoders and vector code may touch a little more than a plane.
constexpr std::size_t plane_padding = 64;

std::size_t round_up(std::size_t size) {
    return (size + alignment - 1) / alignment * alignment;
}

}  // namespace

AVBufferRef* allocate_picture(std::size_t size) {
    void* const memory = std::aligned_alloc(alignment, round_up(size));
    if (memory == nullptr) {
        return nullptr;
    }
    std::memset(memory, 0, size);  // what was there is nobody's to see where a decoder leaves out a part
    const auto release = [](void*, std::uint8_t* data) { std::free(data); };
    AVBufferRef* const buffer = av_buffer_create(static_cast<std::uint8_t*>(memory), size, release, nullptr, 0);
    if (buffer == nullptr) {
        std::free(memory);
    }
    return buffer;
}

AVBufferRef* FramePool::allocate_cleared(void* self, std::size_t size) {
    AVBufferRef* const buffer = allocate(self, size);
    if (buffer != nullptr) {
        std::memset(buffer->data, 0, buffer->size);
    }
    return buffer;
}

AVBufferRef* FramePool::allocate(void* self, std::size_t size) {
    auto* const pool = static_cast<FramePool*>(self);
    ++pool->allocations_;  // only reached from fill, under its lock
    return pool->allocator_(size);
}

FramePool::Layout& FramePool::layout(const Key& key) {
    const auto found = std::ranges::find(layouts_, key, &std::pair<Key, Layout>::first);
    if (found != layouts_.end()) {
        layouts_.splice(layouts_.begin(), layouts_, found);
        return found->second;
    }
    const auto [format_number, width, height] = key;
    const auto format = static_cast<AVPixelFormat>(format_number);
    Layout layout;
    std::ptrdiff_t wide[4] = {};
    if (av_image_fill_linesizes(layout.linesize, format, width) < 0 || layout.linesize[0] == 0) {
        const char* const name = av_get_pix_fmt_name(format);
        throw Error(ExitCode::input,
                    fmt::format("pictures of format {} do not lie in memory", name != nullptr ? name : "?"));
    }
    for (int i = 0; i < 4; ++i) {
        layout.linesize[i] = static_cast<int>(round_up(static_cast<std::size_t>(layout.linesize[i])));
        wide[i] = layout.linesize[i];
    }
    std::size_t sizes[4] = {};
    av_check(av_image_fill_plane_sizes(sizes, format, height, wide), "av_image_fill_plane_sizes");
    std::size_t total = 0;
    for (; layout.planes < 4 && sizes[layout.planes] > 0; ++layout.planes) {
        layout.offsets[layout.planes] = total;
        total += round_up(sizes[layout.planes] + plane_padding);
    }
    // Packed formats have samples after an odd width which nobody writes: they are to be the same each time.
    const bool packed = !is_native(static_cast<AVPixelFormat>(std::get<0>(key)));
    layout.pool.reset(
        av_buffer_pool_init2(total, this, packed ? &FramePool::allocate_cleared : &FramePool::allocate, nullptr));
    if (!layout.pool) {
        throw std::bad_alloc();
    }
    // Pictures of the one that goes return to it, and their memory goes with the last of them.
    if (layouts_.size() == most_layouts) {
        layouts_.pop_back();
    }
    return layouts_.emplace_front(key, std::move(layout)).second;
}

void FramePool::fill(AVFrame& frame, int width, int height) {
    const std::lock_guard lock(mutex_);
    const Layout& layout = this->layout({frame.format, width, height});
    frame.buf[0] = av_buffer_pool_get(layout.pool.get());
    if (frame.buf[0] == nullptr) {
        throw std::bad_alloc();
    }
    for (int i = 0; i < layout.planes; ++i) {
        frame.data[i] = frame.buf[0]->data + layout.offsets[i];
        frame.linesize[i] = layout.linesize[i];
    }
    frame.extended_data = frame.data;
}

FramePtr FramePool::copy_of(const AVFrame& picture) {
    FramePtr copy = make_frame();
    copy->format = picture.format;
    copy->width = picture.width;
    copy->height = picture.height;
    fill(*copy, copy->width, copy->height);
    av_check(av_frame_copy_props(copy.get(), &picture), "av_frame_copy_props");
    av_check(av_frame_copy(copy.get(), &picture), "av_frame_copy");
    return copy;
}

std::int64_t FramePool::allocations() const {
    const std::lock_guard lock(mutex_);
    return allocations_;
}

}  // namespace vfilter
