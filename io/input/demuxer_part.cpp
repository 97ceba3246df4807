// Which part of an input is wanted, by its clock, and what is said of files beside it.

#include <algorithm>
#include <cmath>
#include <cstdint>

#include "io/input/demuxer.h"
#include "io/input/evidence/promises.h"
#include "io/input/packet_times.h"

namespace vfilter {

void Demuxer::choose_part() {
    const double rate = average_rate(video_index());
    static constexpr double longest = 1e9;  // seconds; a clock in nanoseconds holds it, and no video is that long
    const auto ticks = [](double seconds) {
        return static_cast<std::int64_t>(std::min(seconds, longest) * AV_TIME_BASE);
    };
    // Limits lie a little early, so that a rounded time means the frame that has it, and a number that frame.
    const auto early = [&](const Position& position) { return position.frames ? 0.5 / rate : 0.001; };
    // Frames are counted from the first picture, which sound may precede.
    const auto at = [&](const Position& position) {
        return (position.frames ? first_picture_ : first_) + ticks(position.seconds(rate));
    };
    std::int64_t from = first_;
    if (options_.start) {
        from = shift_ = at(*options_.start);
        start_ = shift_ - ticks(early(*options_.start));
        if (can_seek(*start_)) {
            if (!live_) {
                subtitles_.find(*source_, *own_, first_, *start_, interrupted_);
            }
            seek(*start_);
            ahead_->put_back(subtitles_.take());
        }
    }
    if (options_.end) {
        exact_end_ = at(*options_.end);
        end_ = *exact_end_ - ticks(early(*options_.end));
    } else if (options_.duration) {
        const bool counted = !options_.start && options_.duration->frames;
        exact_end_ = (counted ? first_picture_ : from) + ticks(options_.duration->seconds(rate));
        end_ = *exact_end_ - ticks(early(*options_.duration));
    }
    asked_end_ = end_;
    if (options_.frames) {
        const std::int64_t begin =
            options_.start ? std::max(from, is_regular() ? first_wanted_picture() : from) : first_picture_;
        const auto pictures = static_cast<double>(*options_.frames);
        end_ = std::min(begin + ticks((pictures - 0.5) / rate), end_.value_or(INT64_MAX));
        exact_end_ = std::min(begin + ticks(pictures / rate), exact_end_.value_or(INT64_MAX));
    }
}

// Whether its pictures follow each other at one rate, by what the container says.
bool Demuxer::is_regular() const {
    constexpr double tolerance = 1e-6;
    return std::abs(average_rate(video_index()) / av_q2d(frame_rate()) - 1) < tolerance;
}

std::int64_t Demuxer::first_wanted_picture() const {
    if (!start_ || *start_ <= first_picture_) {
        return first_picture_;
    }
    const AVRational picture = av_inv_q(frame_rate());
    const std::int64_t before = av_rescale_q_rnd(*start_ - first_picture_, microseconds_base, picture, AV_ROUND_UP);
    return first_picture_ + av_rescale_q(before, picture, microseconds_base);
}

bool Demuxer::is_of_part(const AVPacket& packet) const {
    const std::int64_t time = decoding_time(packet);
    return time != AV_NOPTS_VALUE &&
           av_rescale_q(time, format_->streams[packet.stream_index]->time_base, microseconds_base) >= *start_;
}

std::int64_t Demuxer::told_end() const {
    return told_end_of(*own_, first_);
}

double Demuxer::average_rate(int stream) const {
    return average_frame_rate(*format_->streams[stream], frame_rate(stream));
}

std::optional<std::int64_t> Demuxer::pictures_before(int stream) const {
    const auto found = pictures_before_.find(stream);
    return found == pictures_before_.end() ? std::nullopt : std::optional(found->second);
}

const AddedInput* Demuxer::added_input(int stream) const {
    for (std::size_t i = 0; with_files_ != nullptr && i < with_files_->files().size(); ++i) {
        const AddedInput& file = *with_files_->files()[i];
        if (std::ranges::find(file.places(), stream) != file.places().end()) {
            return &file;
        }
    }
    return nullptr;
}

std::string Demuxer::added_file(int stream) const {
    const AddedInput* const file = added_input(stream);
    return file != nullptr ? file->name() : "";
}

std::optional<std::int64_t> Demuxer::begin_of(int stream) const {
    const AddedInput* const file = added_input(stream);
    return !start_ && file != nullptr ? file->cut() : start_;
}

std::vector<std::string> Demuxer::added_sha256(const std::function<bool()>& stop) {
    std::vector<std::string> sums;
    for (std::size_t i = 0; with_files_ != nullptr && i < with_files_->files().size(); ++i) {
        sums.push_back(with_files_->files()[i]->sha256(stop));
    }
    return sums;
}

Damage Demuxer::damage() const {
    Damage damage = account_->damage();
    for (std::size_t i = 0; with_files_ != nullptr && i < with_files_->files().size(); ++i) {
        damage += with_files_->files()[i]->damage();
    }
    return damage;
}

AVIOContext* Demuxer::bytes_of(int stream) const {
    const AddedInput* const file = added_input(stream);
    return file != nullptr ? file->bytes() : format_->pb;
}

}  // namespace vfilter
