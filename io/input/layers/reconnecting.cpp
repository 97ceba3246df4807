#include "io/input/layers/reconnecting.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdlib>
#include <string_view>
#include <utility>

#include "io/packet_times.h"
#include "io/source.h"

namespace vfilter {

namespace {

constexpr std::int64_t max_error = 300'000;  // of what this machine sees of a clock, microseconds
constexpr std::int64_t min_duration = 1000;  // of a packet, microseconds

}  // namespace

std::string why_lost(int error, const InputOptions& options) {
    return error == AVERROR_EOF          ? "it ended"
           : error == AVERROR(ETIMEDOUT) ? fmt::format("nothing came for {:g} s", options.timeout)
                                         : av_message(error);
}

Reconnecting::Reconnecting(std::unique_ptr<PacketSource> first, Open open, const AVFormatContext& description,
                           const InputOptions& options, const std::function<bool()>& interrupted)
    : inner_(std::move(first)),
      open_(std::move(open)),
      description_(description),
      options_(options),
      interrupted_(interrupted),
      retries_(options.reconnect) {}

int Reconnecting::read(AVPacket& packet) {
    for (;;) {
        const int got = inner_ ? inner_->read(packet) : AVERROR_EOF;
        if (got >= 0) {
            retries_.forget();
            bridge_loss(packet);
            return got;
        }
        if (!inner_ || !reopen(got)) {
            return got;
        }
    }
}

// False if it stays lost.
bool Reconnecting::reopen(int error) {
    if (interrupted_()) {
        return false;
    }
    lost_ = lost_.value_or(heard_);
    away_ = true;
    const std::string name = shown_name(options_.path);
    std::string why = why_lost(error, options_);
    while (retries_.left()) {
        inner_.reset();  // a camera is not opened twice
        if (!retries_.wait(fmt::format("{}: {}", name, why), "opened", interrupted_)) {
            return false;
        }
        try {
            inner_ = open_();
        } catch (const CameBackOtherwise& other) {
            spdlog::error("{}: came back as something else: {}", name, other.why());
            return false;
        } catch (const Error& failure) {
            why = failure.what();
            if (const std::string_view rest = why;
                rest.starts_with(name) && rest.substr(name.size()).starts_with(": ")) {
                why.erase(0, name.size() + 2);
            }
            continue;
        }
        return true;
    }
    return false;
}

void Reconnecting::came_back(Clock::time_point now) {
    if (std::exchange(away_, false)) {
        const std::chrono::duration<double> gone = now - *lost_;
        timed_.clear();
        reconnects_.fetch_add(1, std::memory_order_relaxed);
        spdlog::info("{}: is back after {:.1f} s", shown_name(options_.path), gone.count());
    }
}

void Reconnecting::bridge_loss(AVPacket& packet) {
    const AVRational base = description_.streams[packet.stream_index]->time_base;
    const std::int64_t time = decoding_time(packet);
    const auto now = Clock::now();
    came_back(now);
    if (time == AV_NOPTS_VALUE) {
        place_untimed(packet, now);
        heard_ = now;
        return;
    }
    if (lost_ && latest_ != AV_NOPTS_VALUE) {
        const std::int64_t passed = passed_since_loss(now);
        const std::int64_t now_by_itself = microseconds(time, base);
        // A clock that went on meanwhile, as the system's does, knows better when the picture was taken.
        const bool went_on = now_by_itself + offset_ >= end_ && std::abs(now_by_itself + offset_ - passed) < max_error;
        offset_ = went_on ? offset_ : std::max(end_, passed) - now_by_itself;
    }
    lost_.reset();
    timed_.insert(packet.stream_index);
    heard_ = now;
    move_times(packet, av_rescale_q(offset_, microseconds_base, base));
    const std::int64_t begin = microseconds(time, base) + offset_;
    latest_ = std::max(latest_, begin);
    end_ = std::max(end_, begin + std::max(microseconds(packet.duration, base), min_duration));
}

std::int64_t Reconnecting::passed_since_loss(Clock::time_point now) const {
    const std::chrono::duration<double> gone = now - *lost_;
    return latest_ + static_cast<std::int64_t>(gone.count() * AV_TIME_BASE);
}

// RTSP's first packets have no time. Where nothing but the time that has passed says where one belongs, decoders and
// muxers would put it right behind what was before the loss.
void Reconnecting::place_untimed(AVPacket& packet, Clock::time_point now) {
    if (latest_ == AV_NOPTS_VALUE) {
        lost_.reset();  // nothing has times here
        return;
    }
    if (reconnects() == 0 || timed_.contains(packet.stream_index)) {
        return;
    }
    const std::int64_t place = lost_ ? std::max(end_, passed_since_loss(now)) : latest_;
    const AVRational base = description_.streams[packet.stream_index]->time_base;
    packet.pts = packet.dts = av_rescale_q(place, microseconds_base, base);
    if (lost_) {
        end_ = std::max(end_, place + std::max(microseconds(packet.duration, base), min_duration));
    }
}

}  // namespace vfilter
