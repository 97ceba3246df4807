#pragma once
// Packets of other streams that have to wait while a decoder reads far ahead: they are passed on when its pictures are.

#include <cstdint>
#include <deque>
#include <mutex>

#include "pipeline/stages/sound_stage.h"
#include "pipeline/stages/stage.h"

namespace vfilter {

/// A muxer sorts packets within a window of at most ten seconds. Packets that were read along with a picture that is
/// still to be decoded wait here, in order. Thread-safe; a thread that releases packets may have to wait for room at
/// their destination.
class HeldPackets {
public:
    /// `output` is for what is copied. It must outlive this.
    explicit HeldPackets(Channel<OutputPacket>& output) : output_(output) {}

    /// Holds a packet that was read after that many packets of the video; `sound` is null for a copied one. A null
    /// packet is the end of that sound. False if no more is wanted at its destination, as far as is known.
    bool hold(PacketPtr packet, SoundRoute* sound, std::int64_t after);
    /// Passes on what was read after at most that many packets of the video.
    void release(std::int64_t passed);
    /// Passes on everything, and from now on every packet at once.
    void open();

private:
    struct Held {
        PacketPtr packet;
        SoundRoute* sound;
        std::int64_t after;
    };
    bool pass(Held held);

    Channel<OutputPacket>& output_;
    std::mutex mutex_;
    std::deque<Held> held_;
    bool open_ = false;
    bool wanted_ = true;  // copied packets are wanted
};

}  // namespace vfilter
