#pragma once
// Seeking as FFmpeg asks for it.

#include <cerrno>
#include <cstdint>
#include <cstdio>

#include "io/handles.h"

namespace vfilter {

/// What AVIOContext::seek is to do and to give: moves `position` by `offset` from where `whence` says (SEEK_SET,
/// SEEK_CUR, SEEK_END, with AVSEEK_FORCE or without), or gives the size (AVSEEK_SIZE). `size` is called where that is
/// needed. AVERROR(EINVAL), and nothing is moved, where there is no such place.
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
