#pragma once
// Where decoding of a stream can start, according to its own bits and not to what a container says about its packets.

#include <cstdint>
#include <deque>
#include <vector>

#include "io/bitstream/nal.h"
#include "io/handles.h"

namespace vfilter {

/// How decoding can begin at a picture.
enum class Entry {
    none,    ///< it cannot: the picture depends on others
    closed,  ///< nothing after it depends on anything before it
    open,    ///< pictures that follow it and are displayed before it may depend on earlier ones
};

/// Reads the packets of one video, in decoding order. H.264 and HEVC by their NAL units, length-prefixed (avcC, hvcC)
/// or with start codes; VP8 and VP9 by their frame headers; for others no packet is an entry.
///
/// IDR pictures and key frames are closed. H.264's recovery points that are exact at once (ITU-T H.264, D.2.8:
/// recovery_frame_cnt 0, exact_match_flag 1, broken_link_flag 0) and HEVC's CRA pictures (ITU-T H.265, table 7-1) are
/// open.
class EntryReader {
public:
    explicit EntryReader(const AVCodecParameters& codec);

    /// For the next packet. Stores the parameter sets that it carries.
    Entry read(const AVPacket& packet);
    /// The packet that was read last, made decodable for a decoder that has not seen earlier packets: preceded by the
    /// latest parameter set of each number from the packets before it, then by those units, and with the latest
    /// extradata from packets. A reference if there are none. Throws std::bad_alloc.
    [[nodiscard]] PacketPtr as_first(const AVPacket& packet, const std::vector<std::uint8_t>& units) const;

private:
    using Bytes = std::vector<std::uint8_t>;
    struct Set {
        unsigned kind;    // nal_unit_type, and HEVC's layer
        unsigned number;  // a later set with the same number replaces it
        Bytes bytes;
        bool latest = true;  // from the packet that was read last
    };

    void keep(const Nal& nal);
    [[nodiscard]] Entry entry_of_h264(const std::vector<Nal>& nals) const;

    AVCodecID codec_;
    std::size_t length_size_ = 0;  // bytes of a NAL unit's length; 0 for start codes
    std::deque<Set> sets_;         // parameter sets from packets, in the order of their latest occurrence
    Bytes extradata_;              // from the last packet that changed it
};

}  // namespace vfilter
