#pragma once
// The header of a stream that its codec needs.

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>

#include "io/handles.h"

namespace vfilter {

/// Gives AVCodecParameters or an AVCodecContext a copy of these bytes in place of what it has, with FFmpeg's room
/// behind them. Throws std::bad_alloc, and leaves it as it was.
template <class Codec>
void set_extradata(Codec& codec, std::span<const std::uint8_t> bytes) {
    auto* const room = static_cast<std::uint8_t*>(av_mallocz(bytes.size() + AV_INPUT_BUFFER_PADDING_SIZE));
    if (room == nullptr) {
        throw std::bad_alloc();
    }
    std::ranges::copy(bytes, room);
    av_free(codec.extradata);
    codec.extradata = room;
    codec.extradata_size = static_cast<int>(bytes.size());
}

}  // namespace vfilter
