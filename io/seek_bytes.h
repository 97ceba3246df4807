#pragma once
// Seeking in the way FFmpeg requests it.

#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "io/handles.h"

namespace vfilter {

/// Implements AVIOContext::seek: moves `position` by `offset` relative to `whence` (SEEK_SET, SEEK_CUR, SEEK_END, with
/// or without AVSEEK_FORCE), or returns the size (AVSEEK_SIZE). `size` is called if that is needed. Returns
/// AVERROR(EINVAL), and moves nothing, if there is no such position.
template <class Size>
std::int64_t seek_bytes(std::int64_t& position, std::int64_t offset, int whence, const Size& size) {
    if (whence == AVSEEK_SIZE) {
        return size();
    }
    const int from = whence & ~AVSEEK_FORCE;
    const std::int64_t base = from == SEEK_CUR ? position : from == SEEK_END ? size() : 0;
    if ((offset > 0 && base > INT64_MAX - offset) || base + offset < 0) {
        return AVERROR(EINVAL);
    }
    return position = base + offset;
}

}  // namespace vfilter
