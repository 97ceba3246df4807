#pragma once
// Whether the slices of HEVC pictures end where the next ones begin. A damaged slice may run on over those behind it,
// which write their parts anew: nothing is left out, libavcodec says nothing, and what other threads have read
// meanwhile differs each time.

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "io/bitstream/hevc_headers.h"
#include "io/handles.h"

namespace vfilter {

/// Coding trees are counted in the order of decoding. Pictures of tiles are not judged. libavcodec decodes a slice by
/// AVCodecContext::execute(), which callers may replace; where it does not (since 7.1), no picture is judged.
///
/// send() and look() are for one thread, the others for any.
class HevcSlices {
public:
    /// Of the next packet, before it is decoded.
    void send(const std::vector<HevcSlice>& slices, std::int64_t number);
    /// This context is about to decode the picture of that packet.
    void begin(const AVCodecContext& context, std::int64_t number);
    /// A slice of it has ended before that tree; below 0: with an error.
    void end_slice(const AVCodecContext& context, int tree);
    /// Of the packets before `end` and the packet `also`, all of which have been decoded: those with a slice that ended
    /// elsewhere than it should. Each is told once.
    [[nodiscard]] std::vector<std::int64_t> look(std::int64_t end, std::int64_t also);

private:
    struct Picture {
        std::vector<int> expected;  // ends of slices
        std::vector<int> found;
    };

    std::mutex mutex_;  // of all below
    std::map<std::int64_t, Picture> pictures_;
    std::map<const AVCodecContext*, std::int64_t> at_work_;
};

}  // namespace vfilter
