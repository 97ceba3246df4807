#pragma once
// The packets of a stream that may have to be decoded again, and those that wait for the decoder.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <vector>

#include "io/bitstream/decoder_packets.h"
#include "io/bitstream/random_access.h"
#include "io/handles.h"

namespace vfilter {

/// Packets in decoding order, numbered from 0, with a current position: the next one to decode. One thread.
class PacketHistory {
public:
    struct Entry {
        std::int64_t number = 0;
        PacketPtr packet{};
        bool begins = false;  ///< a random-access point
        PacketPtr start{};    ///< for a decoder that begins with it: see DecoderPackets
        std::shared_ptr<const std::vector<std::uint8_t>>
            extradata{};  ///< that of the container up to here; null: the stream's
    };

    explicit PacketHistory(const AVCodecParameters& codec) : packets_(codec), random_access_(codec) {}

    /// Shares the packet's data unless decoders need them changed: see DecoderPackets. Throws std::bad_alloc.
    void add(const AVPacket& packet);
    /// The next packet to be decoded, or null.
    [[nodiscard]] Entry* next() { return place_ < entries_.size() ? &entries_[place_] : nullptr; }
    /// The next packet has been decoded.
    void step() { ++place_; }
    /// Goes back to a packet, which must still be kept.
    void go_back(std::int64_t number) { place_ = static_cast<std::size_t>(number - first_); }
    /// Packets from `number` on are kept; those that have not been decoded are always kept.
    void forget_before(std::int64_t number);

    /// Number of the next packet to be added.
    [[nodiscard]] std::int64_t end() const { return first_ + static_cast<std::int64_t>(entries_.size()); }
    /// Number of the next packet to decode.
    [[nodiscard]] std::int64_t place() const { return first_ + static_cast<std::int64_t>(place_); }
    [[nodiscard]] const Entry& operator[](std::int64_t number) const {
        return entries_[static_cast<std::size_t>(number - first_)];
    }
    [[nodiscard]] std::int64_t first() const { return first_; }
    /// Size of all packets that are kept.
    [[nodiscard]] std::size_t bytes() const { return bytes_; }
    [[nodiscard]] std::size_t size() const { return entries_.size(); }

private:
    DecoderPackets packets_;
    RandomAccess random_access_;
    std::shared_ptr<const std::vector<std::uint8_t>> extradata_;
    std::deque<Entry> entries_;
    std::int64_t first_ = 0;
    std::size_t place_ = 0;
    std::size_t bytes_ = 0;
};

}  // namespace vfilter
