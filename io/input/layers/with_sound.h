#pragma once
// The sound of another device beside a camera's pictures, in time with them.

#include <cstdint>
#include <memory>

#include "io/input/packet_source.h"
#include "io/input/sound_device.h"

namespace vfilter {

/// How a video's clock runs against the system's monotonic one. In microseconds.
class ClockRelation {
public:
    /// A picture's time, and both clocks of the system when it came.
    void picture_came(std::int64_t time, std::int64_t monotonic_now, std::int64_t wall_now);
    /// Whether a picture has come, before which nothing is known.
    [[nodiscard]] bool known() const { return kind_ != Kind::unknown; }
    /// A time of the monotonic clock, by the video's.
    [[nodiscard]] std::int64_t by_video(std::int64_t monotonic) const { return monotonic + offset_; }

private:
    enum class Kind {
        unknown,
        monotonic,  // drivers of cameras take that of the system, and tell when the picture was taken
        wall,       // so do screens, by the other one
        own,        // nobody knows when it was taken, but when it came
    } kind_ = Kind::unknown;
    std::int64_t offset_ = 0;  // what to add
};

/// Gives the device's packets between those of the video, from the first picture on, with their times by its clock.
class WithSound final : public PacketLayer {
public:
    /// `description` has the streams of the inner source, and after them the device's; it must outlive this.
    WithSound(std::unique_ptr<PacketSource> inner, std::unique_ptr<SoundDevice> device,
              const AVFormatContext& description, int video);

    [[nodiscard]] const AVFormatContext& format() const override { return description_; }
    int read(AVPacket& packet) override;
    /// Of the device alone.
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
