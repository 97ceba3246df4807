#include "io/input/layers/with_sound.h"

extern "C" {
#include <libavutil/time.h>
}

#include <chrono>
#include <cstdlib>
#include <utility>

#include "io/packet_times.h"

namespace vfilter {

namespace {

// Between a picture and its packet there is no more.
constexpr std::int64_t max_age = 2 * std::int64_t{AV_TIME_BASE};
constexpr std::int64_t memory = 100;                   // pictures over which the offset of an own clock follows
constexpr std::int64_t max_offset = AV_TIME_BASE / 2;  // by more an own clock has jumped

bool is_recent(std::int64_t time, std::int64_t now) {
    return time <= now && time > now - max_age;
}

}  // namespace

void ClockRelation::picture_came(std::int64_t time, std::int64_t monotonic_now, std::int64_t wall_now) {
    const std::int64_t came = time - monotonic_now;
    if (kind_ == Kind::unknown) {
        kind_ = is_recent(time, monotonic_now) ? Kind::monotonic : is_recent(time, wall_now) ? Kind::wall : Kind::own;
        offset_ = kind_ == Kind::own ? came : 0;
    }
    if (kind_ == Kind::wall) {
        offset_ = wall_now - monotonic_now;
    }
    if (kind_ == Kind::own) {
        const std::int64_t error = came - offset_;
        offset_ += std::abs(error) > max_offset ? error : error / memory;
    }
}

WithSound::WithSound(std::unique_ptr<PacketSource> inner, std::unique_ptr<SoundDevice> device,
                     const AVFormatContext& description, int video)
    : PacketLayer(std::move(inner)), device_(std::move(device)), description_(description), video_(video) {}

int WithSound::read(AVPacket& packet) {
    if (clock_.known() && take_sound(packet)) {
        return 0;
    }
    const int got = inner().read(packet);
    const std::int64_t time = got >= 0 && packet.stream_index == video_ ? presentation_time(packet) : AV_NOPTS_VALUE;
    if (time != AV_NOPTS_VALUE) {
        const std::int64_t of_picture = microseconds(time, description_.streams[video_]->time_base);
        first_picture_ = clock_.known() ? first_picture_ : of_picture;
        clock_.picture_came(
            of_picture,
            std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now().time_since_epoch())
                .count(),
            av_gettime());
    }
    return got;
}

// What was heard before the first picture is no part of the recording.
bool WithSound::take_sound(AVPacket& packet) {
    while (const PacketPtr sound = device_->take()) {
        const std::int64_t begin = clock_.by_video(sound->pts);
        if (begin + sound->duration <= first_picture_) {
            continue;
        }
        sound->pts = sound->dts = begin;
        sound->stream_index = static_cast<int>(description_.nb_streams) - 1;
        av_packet_rescale_ts(sound.get(), microseconds_base, description_.streams[sound->stream_index]->time_base);
        sound->flags |= AV_PKT_FLAG_KEY;
        av_packet_move_ref(&packet, sound.get());
        return true;
    }
    return false;
}

}  // namespace vfilter
