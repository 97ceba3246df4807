#pragma once
// Where a stream can be entered, told by its own bits and not by what a container says of its packets.

#include <cstdint>
#include <deque>
#include <vector>

#include "io/bitstream/nal.h"
#include "io/handles.h"

namespace vfilter {

/// What decoding can begin with.
enum class Entry {
    none,    ///< nothing: the picture leans on others
    closed,  ///< nothing after it leans on anything before it
    open,    ///< pictures that follow it and are shown before it may do so
};

/// Reads the packets of one video, in the order of decoding. H.264 and HEVC by their NAL units, length-prefixed (avcC,
/// hvcC) or with start codes; VP8 and VP9 by their frame headers; of others no packet is an entry.
///
/// Closed are IDR pictures and key frames. Open are H.264's recovery points that are exact at once (ITU-T H.264, D.2.8:
/// recovery_frame_cnt 0, exact_match_flag 1, broken_link_flag 0) and HEVC's CRA pictures (ITU-T H.265, table 7-1).
class EntryReader {
public:
    explicit EntryReader(const AVCodecParameters& codec);

    /// Of the next packet. Keeps the parameter sets that it carries.
    Entry read(const AVPacket& packet);
    /// The packet, which was read last, with the parameter sets of the packets before it in front, of each number the
    /// latest, then those units, and with the latest extradata of packets: a decoder that has not seen those
    /// understands it. A reference where there are none. Throws std::bad_alloc.
    [[nodiscard]] PacketPtr as_first(const AVPacket& packet, const std::vector<std::uint8_t>& units) const;

private:
    using Bytes = std::vector<std::uint8_t>;
    struct Set {
        unsigned kind;    // nal_unit_type, and HEVC's layer
        unsigned number;  // its own; a later one takes its place
        Bytes bytes;
        bool latest = true;  // of the packet that was read last
    };

    void keep(const Nal& nal);
    [[nodiscard]] Entry entry_of_h264(const std::vector<Nal>& nals) const;

    AVCodecID codec_;
    std::size_t length_size_ = 0;  // bytes of a NAL unit's length; 0 for start codes
    std::deque<Set> sets_;         // parameter sets of packets, in the order in which each last came
    Bytes extradata_;              // of the last packet that changed it
};

}  // namespace vfilter
