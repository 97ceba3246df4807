#pragma once
// What lies before a range that may have to be decoded again.

#include <cstddef>
#include <cstdint>
#include <deque>

#include "io/handles.h"

namespace vfilter {

/// What one decoder of all packets would have had before a range that is damaged: what is missing is made up from that.
/// From the last range on that can be entered, and as far as packets are kept. One thread.
class PrecedingPackets {
public:
    /// Ranges of which a later one is decoded again with the packets, at most, where none of them can be entered. Else
    /// each would be decoded from the first damaged one on.
    static constexpr std::size_t most_ranges = 3;

    /// The range right before those that were added. `start` takes the place of its first packet where no other is
    /// added before it; of `packets` the first `own` are taken. False where nothing more is wanted before it. Throws
    /// std::bad_alloc.
    bool add_before(const AVPacket& start, const std::deque<PacketPtr>& packets, std::int64_t own, bool enters);
    /// In the order of decoding; empty where there is nothing. Once only. Throws std::bad_alloc.
    [[nodiscard]] std::deque<PacketPtr> take();

private:
    std::deque<PacketPtr> packets_;
    PacketPtr start_;
    std::size_t ranges_ = 0;
};

/// The ranges whose pictures were all received, from one that can be entered on, as far as their packets may have to
/// lead up to a later range. One thread at a time.
class RangeHistory {
public:
    /// `most_bytes` of packets are kept.
    explicit RangeHistory(std::size_t most_bytes) : most_bytes_(most_bytes) {}

    /// The next range, with its own packets alone, and PacketRange's word on whether it can be entered.
    void add(PacketPtr start, std::deque<PacketPtr> packets, bool enters);
    /// The next range, whose packets are gone: nothing before it leads up to a later one any more.
    void add_lost() { gone_.clear(); }
    /// Adds what is here, as far as that is wanted.
    void lead_up(PrecedingPackets& to) const;

private:
    struct Gone {
        PacketPtr start;
        std::deque<PacketPtr> packets;
        bool enters;
    };
    [[nodiscard]] std::size_t bytes() const;

    std::size_t most_bytes_;
    std::deque<Gone> gone_;
};

}  // namespace vfilter
