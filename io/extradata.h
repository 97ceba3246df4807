#pragma once
// The header of a stream that its codec needs.

#include <algorithm>
#include <cstdint>
#include <new>
#include <span>

#include "io/handles.h"

namespace vfilter {

/// Replaces the extradata of AVCodecParameters or an AVCodecContext by a copy of these bytes, followed by FFmpeg's
/// padding. Throws std::bad_alloc, and then changes nothing.
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
