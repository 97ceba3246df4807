#pragma once
// Packets of other streams on their way past a decoder that reads far ahead: they go on when its pictures do.

#include <cstdint>
#include <deque>
#include <mutex>

#include "pipeline/stages/sound_stage.h"
#include "pipeline/stages/stage.h"

namespace vfilter {

/// A muxer puts packets in order over ten seconds at most. What was read beside a picture that is still to be decoded
/// waits here, in order. Thread-safe; who releases packets may wait for room where they go.
class HeldPackets {
public:
    /// `output` is for what is copied. It must outlive this.
    explicit HeldPackets(Channel<OutputPacket>& output) : output_(output) {}

    /// A packet, read after so many of the video; `sound` is null for one that is copied. A null packet is the end of
    /// that sound. False if no more is wanted where it goes, as far as is known.
    bool hold(PacketPtr packet, SoundRoute* sound, std::int64_t after);
    /// What was read after no more than so many packets of the video goes on.
    void release(std::int64_t passed);
    /// All of it goes on, and what comes from now on, at once.
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
    bool wanted_ = true;  // what is copied
};

}  // namespace vfilter
