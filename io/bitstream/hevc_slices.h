#pragma once
// Whether the slices of HEVC pictures end where the next ones begin. A damaged slice may run on over later ones, which
// then overwrite their parts: nothing is missing, libavcodec reports nothing, and what other threads have read in the
// meantime differs each time.

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "io/bitstream/hevc_headers.h"
#include "io/handles.h"

namespace vfilter {

/// Coding trees are counted in decoding order. Pictures with tiles are not checked. libavcodec decodes a slice through
/// AVCodecContext::execute(), which callers may replace; since version 7.1, which does not do so, no picture is
/// checked.
///
/// send() and look() are for one thread, the others for any.
class HevcSlices {
public:
    /// For the next packet, before it is decoded.
    void send(const std::vector<HevcSlice>& slices, std::int64_t number);
    /// This context is about to decode the picture of that packet.
    void begin(const AVCodecContext& context, std::int64_t number);
    /// One of its slices has ended before that tree; below 0: with an error.
    void end_slice(const AVCodecContext& context, int tree);
    /// Of the packets before `end` and the packet `also`, all of which have been decoded: those with a slice that ended
    /// at the wrong place. Each is returned once.
    [[nodiscard]] std::vector<std::int64_t> look(std::int64_t end, std::int64_t also);

private:
    struct Picture {
        std::vector<int> expected;  // ends of slices
        std::vector<int> found;
    };

    std::mutex mutex_;  // guards everything below
    std::map<std::int64_t, Picture> pictures_;
    std::map<const AVCodecContext*, std::int64_t> at_work_;
};

}  // namespace vfilter
