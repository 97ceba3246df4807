#pragma once
// A microphone, or whatever else ALSA and PulseAudio have, beside a camera that has no sound of its own.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "config/io_options.h"
#include "io/damage.h"
#include "io/handles.h"

namespace vfilter {

/// A sound device that is read by a thread of its own, all the time: its own buffer is short. Calls are for one thread.
class SoundDevice {
public:
    /// Opens InputOptions::audio_device. While it is waited for `interrupted` is asked. Throws Error(input).
    SoundDevice(const InputOptions& options, const std::function<bool()>& interrupted);
    /// A device that hangs is left behind with its thread after a second.
    ~SoundDevice();
    SoundDevice(const SoundDevice&) = delete;
    SoundDevice& operator=(const SoundDevice&) = delete;

    /// The one stream, which stays as it was when the device was opened; its clock counts microseconds.
    [[nodiscard]] const AVStream& stream() const { return *description_->streams[0]; }
    /// The next packet, or null if none has come. Its times are microseconds of the system's monotonic clock
    /// (std::chrono::steady_clock), of when its samples were heard. Where nobody asks for ten seconds the oldest ones
    /// go, which is damage.
    PacketPtr take();
    /// What was lost since this was last asked. A device that is lost is opened again as often as
    /// InputOptions::reconnect says, and has said so itself.
    Damage take_damage();

private:
    struct Shared;

    std::shared_ptr<Shared> shared_;  // with the thread
    DescriptionPtr description_;
};

/// "default" is ALSA's; other names stay.
std::string full_sound_name(const std::string& name);

/// What --list cameras prints of sound devices: the name for --audio-device and a description, a line each.
std::string sound_device_list();

/// Takes a device's times, which are the wall clock's, to the monotonic clock. Where the wall clock is set on the way,
/// which libavdevice's filter of times takes a second to get over, time goes on by the length of the packets meanwhile.
class MonotonicTimes {
public:
    /// In microseconds: a packet's time by the wall clock and its length, and both clocks now. Returns its time by the
    /// monotonic clock.
    std::int64_t of(std::int64_t time, std::int64_t length, std::int64_t wall_now, std::int64_t monotonic_now);

private:
    bool began_ = false;
    std::int64_t offset_ = 0;   // monotonic less wall
    std::int64_t due_ = 0;      // where the next packet begins
    std::int64_t settled_ = 0;  // when the times can be believed again, by the monotonic clock
};

}  // namespace vfilter
