#pragma once
// Streams of a live input that stop while others go on.

#include <cstdint>
#include <memory>
#include <string_view>
#include <vector>

#include "io/input/packet_source.h"
#include "io/input/stream_watch.h"

namespace vfilter {

/// Reports audio and video streams that were steady and then deliver nothing while another one goes on, which counts as
/// damage, and when they are back. Time is that of the packets: how fast they arrive does not matter. Streams with
/// long or uneven pauses, as of a camera that sends a picture when something moves, are never reported.
class SilentStreams final : public PacketLayer {
public:
    /// `patience` in seconds, at least 3 of which are used. `watch` gets the silences; what it throws, read() throws.
    SilentStreams(std::unique_ptr<PacketSource> inner, std::shared_ptr<StreamWatch> watch, double patience);

    int read(AVPacket& packet) override;

private:
    struct Heard {
        std::int64_t last = INT64_MIN;   // time of the last packet, microseconds
        std::int64_t packets = 0;        // that have a time
        std::int64_t length = 0;         // all steps of its time, microseconds, as far as they are none of the clock
        std::int64_t uneven = -1;        // the same up to the last uneven step, -1 if there was none
        std::int64_t others = 0;         // the length of the longest other one when the last packet came
        std::int64_t longest_pause = 0;  // by which that one became longer between two packets of this one
        bool told = false;
    };

    [[nodiscard]] bool counts(int stream) const;
    [[nodiscard]] std::int64_t longest_but(std::size_t stream) const;
    [[nodiscard]] bool is_silent(std::size_t stream, std::int64_t now) const;
    void hear(const AVPacket& packet);
    void tell(std::size_t stream, std::string_view what, Damage loss = {});

    std::shared_ptr<StreamWatch> watch_;
    std::int64_t patience_;     // microseconds
    std::vector<Heard> heard_;  // by stream
};

}  // namespace vfilter
