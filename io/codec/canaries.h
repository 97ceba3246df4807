#pragma once
// Whether a decoder has written all of a picture. Those of HEVC, VP8 and JPEG leave out what is missing at
// the end of a slice, partition or scan, and say nothing.

#include <cstdint>
#include <deque>
#include <mutex>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// Eight odd bytes here and there in a picture's first plane, put there before the decoder begins: where they are still
/// there, it has written nothing. set() may be called from any thread.
class Canaries {
public:
    /// Whether decoders of this codec leave out parts without a word.
    static bool are_needed(AVCodecID codec);

    /// Of a picture that is about to be decoded, of the packet of that number. `restores`: look() puts back what was
    /// there where nobody wrote. Throws std::bad_alloc.
    void set(AVFrame& picture, std::int64_t number, bool restores);
    /// Looks at the pictures of packets before `end`, which have been decoded, and, if there is one, at the picture
    /// that has come out; at each once. The packets' numbers of those with parts that nobody wrote.
    [[nodiscard]] std::vector<std::int64_t> look(std::int64_t end, const AVFrame* picture = nullptr);

private:
    struct Watched {
        std::int64_t number;
        FramePtr picture;                   // shares the buffer
        std::vector<std::uint64_t> before;  // empty if nothing is to be put back
    };
    [[nodiscard]] static bool restore(const Watched& watched);

    std::mutex mutex_;
    std::deque<Watched> watched_;
};

}  // namespace vfilter
