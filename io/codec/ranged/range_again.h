#pragma once
// A range that is decoded on the CPU as Decoder would have it.

#include "io/codec/decoding_run.h"
#include "io/codec/ranged/range_queue.h"
#include "io/formats/frame_pool.h"

namespace vfilter {

/// The whole range, of which nothing waits to be received, behind the ranges before it, the last of which has to be
/// done by then: waits for that. What was received of it is not given twice. One session's thread, as below.
void decode_as_one(RangeQueue& queue, PacketRange& range, const DecodingSetup& setup, FramePool& pool);

/// What is left of a range whose packets are gone, behind its first picture, as that is all there is to lean on.
void decode_on(RangeQueue& queue, PacketRange& range, const DecodingSetup& setup, FramePool& pool);

}  // namespace vfilter
