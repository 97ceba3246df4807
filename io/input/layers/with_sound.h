#pragma once
// The sound of another device together with a camera's pictures, synchronized with them.

#include <cstdint>
#include <memory>

#include "io/input/packet_source.h"
#include "io/input/sound_device.h"

namespace vfilter {

/// How a video's clock relates to the system's monotonic one. In microseconds.
class ClockRelation {
public:
    /// A picture's time, and both system clocks when it arrived.
    void picture_came(std::int64_t time, std::int64_t monotonic_now, std::int64_t wall_now);
    /// Whether a picture has arrived; nothing is known before.
    [[nodiscard]] bool known() const { return kind_ != Kind::unknown; }
    /// Converts a time of the monotonic clock to the video's clock.
    [[nodiscard]] std::int64_t by_video(std::int64_t monotonic) const { return monotonic + offset_; }

private:
    enum class Kind {
        unknown,
        monotonic,  // camera drivers use that of the system, and say when the picture was taken
        wall,       // so do screens, with the other one
        own,        // it is unknown when it was taken, only when it arrived
    } kind_ = Kind::unknown;
    std::int64_t offset_ = 0;  // to be added
};

/// Returns the device's packets between those of the video, from the first picture on, with times in its clock.
class WithSound final : public PacketLayer {
public:
    /// `description` has the streams of the inner source, and after them the device's; it must outlive this.
    WithSound(std::unique_ptr<PacketSource> inner, std::unique_ptr<SoundDevice> device,
              const AVFormatContext& description, int video);

    [[nodiscard]] const AVFormatContext& format() const override { return description_; }
    int read(AVPacket& packet) override;
    /// Only that of the device.
    Damage take_damage() override { return device_->take_damage(); }

private:
    [[nodiscard]] bool take_sound(AVPacket& packet);

    std::unique_ptr<SoundDevice> device_;
    const AVFormatContext& description_;
    int video_;
    ClockRelation clock_;
    std::int64_t first_picture_ = 0;  // microseconds of the video's clock
};

}  // namespace vfilter
