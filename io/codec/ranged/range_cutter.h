#pragma once
// Where one range of packets ends and the next begins, so that each can be decoded by itself.

#include <cstdint>

#include "io/bitstream/decoder_packets.h"
#include "io/bitstream/entry_reader.h"

namespace vfilter {

/// What is to be done with a packet.
struct Cut {
    bool begins = false;        ///< a range
    Entry entry = Entry::none;  ///< of that
    bool leads = false;         ///< follows an open entry, and is shown right before it
    bool also_before = false;   ///< the range before it wants the packet, too: it leads the entry in, or is it
    bool ends_before = false;   ///< the range before gets no more: said once of each
    bool untimed = false;       ///< nobody can tell where its picture belongs
    PacketPtr packet;           ///< as decoders are to have it: see DecoderPackets
    PacketPtr start;            ///< of a range that begins: the packet, all that a decoder has to know in front of it
    bool bare = false;          ///< of a range that begins: DecoderPackets::bare()
    bool laden = false;         ///< DecoderPackets::laden()
};

/// One video's packets in the order of decoding. One thread.
///
/// An open entry's leading pictures, which follow it at once and are shown between all pictures before it and itself,
/// lean on the range before: that one gets the entry and them as well, and keeps them; the range itself keeps the rest.
/// What has an earlier time leads nothing in: there a clock goes back.
class RangeCutter {
public:
    /// Packets of a range that another one follows, at least. With so many of the next one a decoder has given all
    /// pictures of the one before, as it holds 16 of two fields each back at most; of fewer, the decoder would have to
    /// be ended, and H.264's in hardware be made anew, which holds all others up for 50 ms.
    static constexpr std::int64_t shortest = 40;

    explicit RangeCutter(const AVCodecParameters& codec);

    /// Throws std::bad_alloc.
    Cut next(const AVPacket& packet);

private:
    [[nodiscard]] bool may_cut(const AVPacket& packet, Entry entry) const;

    DecoderPackets packets_;
    EntryReader access_;
    std::int64_t shortest_open_;  // packets of a range that ends at such an entry
    bool begun_ = false;
    std::int64_t length_ = 0;                     // packets of the range so far
    std::int64_t latest_ = AV_NOPTS_VALUE;        // of their pts
    std::int64_t open_entry_ = AV_NOPTS_VALUE;    // pts of it, while leading pictures may follow
    std::int64_t before_entry_ = AV_NOPTS_VALUE;  // the latest pts before it
    bool before_is_open_ = false;                 // the range before may get more
    int leading_ = 0;                             // packets that lead it in
};

}  // namespace vfilter
