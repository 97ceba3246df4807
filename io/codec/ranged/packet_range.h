#pragma once
// A range of packets, and what comes of them.

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <utility>

#include "io/bitstream/entry_reader.h"
#include "io/codec/decoded_picture.h"
#include "io/handles.h"

namespace vfilter {

/// How a range begins.
struct RangeStart {
    Entry entry = Entry::none;
    PacketPtr packet{};                   ///< its first one for who has not seen those before it: see Cut
    std::int64_t first = AV_NOPTS_VALUE;  ///< pts of its first packet
    bool bare = false;                    ///< Cut's
};

/// What a packet is to a range that has it.
struct PacketShare {
    bool own;    ///< it lies in it, and does not only lead on to the next one
    bool shown;  ///< and the range gives a picture of it
};

/// Where a picture belongs.
enum class RangePlace { before, inside, after };

/// What is known of a range, as far as its packets have come. A value: it tells how things stood when it was taken.
struct RangeState {
    std::int64_t from = AV_NOPTS_VALUE;   ///< pictures before it are another range's
    std::int64_t until = AV_NOPTS_VALUE;  ///< and those from here on
    std::int64_t own = 0;                 ///< packets that came for it, without those of the next
    std::int64_t expected = 0;            ///< pictures that it keeps
    std::int64_t leading = 0;             ///< of them: that the first range may have, and may not be able to decode
    std::int64_t led_in = 0;              ///< packets after the first one that the range before keeps
    std::int64_t read = 0;                ///< packets that its session has got
    bool laden = false;                   ///< Cut's, of its last packet
    bool ended = false;                   ///< no more packets
    bool repeatable = true;               ///< all its packets are there

    /// Whether packets that its session has had are gone: nothing more comes of them than has come.
    [[nodiscard]] bool is_gone() const { return read > 0 && !repeatable; }
    /// What a decoder says of an open entry and what leads it in, before its first picture, is not about what is kept:
    /// but of the first range there is nothing else to say it of where nothing leads it in.
    [[nodiscard]] bool begins_whole() const { return from == AV_NOPTS_VALUE && leading == 0; }
    /// Where a picture with that time belongs.
    [[nodiscard]] RangePlace place_of(std::int64_t pts) const;
    /// Whether the picture of that packet, counted from the range's first one, is the range's. By times it cannot be
    /// told where they go back.
    [[nodiscard]] bool keeps(std::int64_t packet) const;
    /// Whether it tells what is said of the packet that was read last: of what leads an entry in the range before does,
    /// which has the entry for that alone.
    [[nodiscard]] bool tells() const;
};

/// A range that lies in a RangeQueue. That alone looks inside, under its mutex: to others it is a name, by which they
/// ask the queue, but for how it begins, which anybody may read until the range is finished, as it does not change.
class PacketRange {
public:
    explicit PacketRange(RangeStart start) : start_(std::move(start)) {}

    [[nodiscard]] const RangeStart& start() const { return start_; }

private:
    friend class RangeQueue;

    void add(PacketPtr packet, PacketShare share);
    // The next packet, of which there has to be one. Of a range that is longer than so many bytes those that were read
    // are not kept any more.
    PacketPtr read(std::size_t redo_bytes);
    [[nodiscard]] std::int64_t unread() const;

    [[nodiscard]] std::int64_t last_pts() const;

    RangeStart start_;
    RangeState state_;
    std::string on_cpu_;             // why it is the CPU's from the start
    std::deque<PacketPtr> packets_;  // all, or, where nothing is decoded again, those to come
    std::size_t bytes_ = 0;          // of them
    bool done_ = false;              // no more pictures
    bool enters_ = false;  // once it is done: decoding that begins with it has what all decoding before would have
    std::deque<DecodedPicture> pictures_;       // that wait, and what was said without one
    std::int64_t last_given_ = AV_NOPTS_VALUE;  // pts of the last picture that was received
};

}  // namespace vfilter
