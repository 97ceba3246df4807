#pragma once
// Whether the slices of HEVC pictures end where the next ones begin. A damaged slice may run on over those behind it,
// which write their parts anew: nothing is left out, libavcodec says nothing, and what other threads have read
// meanwhile differs each time.

#include <cstdint>
#include <map>
#include <mutex>
#include <vector>

#include "io/codec/nal.h"
#include "io/handles.h"

namespace vfilter {

/// Coding trees are counted in the order of decoding. Pictures of tiles are not judged. libavcodec decodes a slice by
/// AVCodecContext::execute(), which callers may replace; where it does not (since 7.1), no picture is judged.
///
/// send() and look() are for one thread, the others for any.
class HevcSlices {
public:
    void read_extradata(const std::uint8_t* data, std::size_t size);
    /// The next packet, before it is decoded.
    void send(const AVPacket& packet, std::int64_t number);
    /// This context is about to decode the picture of that packet.
    void begin(const AVCodecContext& context, std::int64_t number);
    /// A slice of it has ended before that tree; below 0: with an error.
    void end_slice(const AVCodecContext& context, int tree);
    /// Of the packets before `end` and the packet `also`, all of which have been decoded: those with a slice that ended
    /// elsewhere than it should. Each is told once.
    [[nodiscard]] std::vector<std::int64_t> look(std::int64_t end, std::int64_t also);

private:
    struct Sequence {
        int width = 0;
        int height = 0;
        int tree_bits = 0;  // log2 of a tree's pixels
        [[nodiscard]] int trees() const;
    };
    struct Parameters {
        unsigned sequence = 0;
        bool dependent_slices = false;
        bool tiles = false;
    };
    struct Picture {
        std::vector<int> expected;  // ends of slices
        std::vector<int> found;
    };
    void keep(const Nal& nal);
    void read_sequence(NalBits bits);
    void read_parameters(NalBits bits);
    [[nodiscard]] std::vector<int> ends_of(const std::vector<Nal>& nals) const;

    std::size_t length_size_ = 0;
    std::map<unsigned, Sequence> sequences_;
    std::map<unsigned, Parameters> parameters_;

    std::mutex mutex_;  // of all below
    std::map<std::int64_t, Picture> pictures_;
    std::map<const AVCodecContext*, std::int64_t> at_work_;
};

}  // namespace vfilter
