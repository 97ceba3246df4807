#pragma once
// Whether a decoder has written all of a picture. Those for HEVC, VP8 and JPEG skip what is missing at the end of a
// slice, partition or scan without reporting it.

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// Eight unusual bytes at several places in a picture's first plane, set before the decoder begins: where they are
/// still there, it has written nothing. set() may be called from any thread.
class Canaries {
public:
    /// Whether decoders of this codec skip parts without reporting it.
    static bool are_needed(AVCodecID codec);

    /// For a picture that is about to be decoded, from the packet with that number. `restores`: look() restores the
    /// bytes where nothing was written. Throws std::bad_alloc.
    void set(AVFrame& picture, std::int64_t number, bool restores);
    /// Checks the pictures of packets before `end`, which have been decoded, and, if there is one, the picture that has
    /// come out; each once. Returns the packet numbers of those with parts that were not written.
    [[nodiscard]] std::vector<std::int64_t> look(std::int64_t end, const AVFrame* picture = nullptr);

private:
    struct Watched {
        std::int64_t number;
        FramePtr picture;                   // shares the buffer
        std::vector<std::uint64_t> before;  // empty if nothing has to be restored
    };
    [[nodiscard]] static bool restore(const Watched& watched);

    std::mutex mutex_;
    std::deque<Watched> watched_;
};

}  // namespace vfilter
