#pragma once
// A microphone, or any other ALSA or PulseAudio device, to accompany a camera that has no sound of its own.

#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "config/io_options.h"
#include "io/damage.h"
#include "io/handles.h"

namespace vfilter {

/// A sound device that its own thread reads continuously, because the device's buffer is short. Calls are for one
/// thread.
class SoundDevice {
public:
    /// Opens InputOptions::audio_device. `interrupted` is called while waiting for it. Throws Error(input).
    SoundDevice(const InputOptions& options, const std::function<bool()>& interrupted);
    /// A device that hangs is left behind with its thread after a second.
    ~SoundDevice();
    SoundDevice(const SoundDevice&) = delete;
    SoundDevice& operator=(const SoundDevice&) = delete;

    /// The one stream, which stays as it was when the device was opened; its clock counts microseconds.
    [[nodiscard]] const AVStream& stream() const { return *description_->streams[0]; }
    /// The next packet, or null if none has arrived. Its times are microseconds of the system's monotonic clock
    /// (std::chrono::steady_clock) at which its samples were heard. If nobody asks for ten seconds, the oldest ones are
    /// dropped, which counts as damage.
    PacketPtr take();
    /// What was lost since the last call. A device that is lost is opened again as often as InputOptions::reconnect
    /// says, which it has reported itself.
    Damage take_damage();

private:
    struct Shared;

    std::shared_ptr<Shared> shared_;  // shared with the thread
    DescriptionPtr description_;
};

/// "default" becomes ALSA's; other names stay.
std::string full_sound_name(const std::string& name);

/// The sound devices in the output of --list cameras: the name for --audio-device and a description, one line each.
std::string sound_device_list();

/// Converts a device's times from the wall clock to the monotonic clock. If the wall clock is set in the meantime,
/// which libavdevice's time filter takes a second to adapt to, time continues by the length of the packets until then.
class MonotonicTimes {
public:
    /// In microseconds: a packet's time by the wall clock and its length, and both clocks now. Returns its time by the
    /// monotonic clock.
    std::int64_t of(std::int64_t time, std::int64_t length, std::int64_t wall_now, std::int64_t monotonic_now);

private:
    bool began_ = false;
    std::int64_t offset_ = 0;   // monotonic minus wall
    std::int64_t due_ = 0;      // where the next packet begins
    std::int64_t settled_ = 0;  // when the times are reliable again, by the monotonic clock
};

}  // namespace vfilter
