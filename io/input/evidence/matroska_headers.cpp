#include "io/input/evidence/matroska_headers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "io/input/evidence/matroska_elements.h"

namespace vfilter {

namespace {

constexpr std::size_t max_tags = 4096;

// "00:01:02.345000000"
std::optional<double> seconds_in(std::string_view value) {
    double seconds = 0;
    for (int field = 0; field < 3; ++field) {
        double number = 0;
        const auto [end, error] =
            std::from_chars(value.data(), value.data() + value.size(), number, std::chars_format::fixed);
        const auto length = static_cast<std::size_t>(end - value.data());
        const bool last = field == 2;
        if (error != std::errc() || !std::isfinite(number) || number < 0 ||
            (last ? length != value.size() : length >= value.size()) || (!last && value[length] != ':')) {
            return std::nullopt;
        }
        seconds = seconds * 60 + number;
        value.remove_prefix(last ? length : length + 1);
    }
    return seconds;
}

}  // namespace

bool MatroskaHeaders::read_info(Bytes payload) {
    double tick = 0;
    const bool whole = ebml::read_fields(
        payload, {{ebml::timestamp_scale, &tick}, {ebml::muxing_app, &muxer_}, {ebml::writing_app, &writer_}});
    tick_ = tick > 0 ? tick : tick_;
    return whole;
}

bool MatroskaHeaders::read_tracks(Bytes payload) {
    bool whole = true;
    const bool entries =
        ebml::each_of(payload, ebml::track_entry, [&](Bytes entry) { whole = read_track(entry) && whole; });
    whole = whole && entries;
    tracks_known_ = whole && !tracks_.empty() && tracks_.size() < max_tracks;
    return whole;
}

bool MatroskaHeaders::read_track(Bytes entry) {
    std::uint64_t number = 0;
    std::uint64_t uid = 0;
    std::uint64_t type = 0;
    std::string codec;
    const bool whole = ebml::read_fields(
        entry,
        {{ebml::track_number, &number}, {ebml::track_uid, &uid}, {ebml::track_type, &type}, {ebml::codec_id, &codec}});
    if (!whole || number == 0 || number > INT64_MAX || type == 0) {
        return false;
    }
    const bool known = std::ranges::find(tracks_, signed_value(number), &Track::number) != tracks_.end();
    if (!known && tracks_.size() < max_tracks) {
        using Kind = TrackEvidence::Kind;
        const Kind kind = type == 1 ? Kind::video : type == 2 ? Kind::audio : Kind::other;
        tracks_.push_back({uid, signed_value(number), kind, codec.find("_REAL") == 1 || codec.starts_with("A_MS")});
    }
    return true;
}

bool MatroskaHeaders::read_cues(Bytes payload, std::int64_t begin) {
    const auto add = [&](Bytes value) {
        const std::uint64_t position = ebml::number_of(value);
        if (position <= INT64_MAX / 2 && positions_.size() < ebml::max_positions) {
            positions_.push_back(begin + signed_value(position));
        }
    };
    return ebml::each_of(payload, ebml::cue_point, [&](Bytes point) {
        ebml::each_of(point, ebml::cue_track_positions,
                      [&](Bytes positions) { ebml::each_of(positions, ebml::cue_cluster_position, add); });
    });
}

bool MatroskaHeaders::read_tags(Bytes payload) {
    return ebml::each_of(payload, ebml::tag, [&](Bytes tag) {
        if (tags_.size() < max_tags) {
            read_tag(tag);
        }
    });
}

void MatroskaHeaders::read_tag(Bytes payload) {
    Tag read;
    ebml::each_of(payload, ebml::targets, [&](Bytes target) {
        ebml::read_fields(target, {{ebml::tag_track_uid, &read.uid}});
    });
    ebml::each_of(payload, ebml::simple_tag, [&](Bytes value) {
        std::string name;
        std::string content;
        ebml::read_fields(value, {{ebml::tag_name, &name}, {ebml::tag_string, &content}});
        read.values.emplace(std::move(name), std::move(content));
    });
    if (read.uid != 0) {
        tags_.push_back(std::move(read));
    }
}

std::vector<std::int64_t> MatroskaHeaders::missing(const std::vector<std::int64_t>& clusters) {
    std::ranges::sort(positions_);
    positions_.erase(std::unique(positions_.begin(), positions_.end()), positions_.end());
    std::vector<std::int64_t> lost;
    std::ranges::set_difference(positions_, clusters, std::back_inserter(lost));
    // Positions that all are wrong were written for another file.
    return lost.size() < positions_.size() ? lost : std::vector<std::int64_t>();
}

void MatroskaHeaders::promise(TrackEvidence& to) const {
    const auto track = std::ranges::find(tracks_, to.id, &Track::number);
    for (const Tag& tag : tags_) {
        if (track != tracks_.end() && tag.uid == track->uid) {
            promise_by(tag, to);
        }
    }
}

void MatroskaHeaders::promise_by(const Tag& tag, TrackEvidence& to) const {
    const auto value = [&](const char* name) {
        const auto entry = tag.values.find(name);
        return entry == tag.values.end() ? std::string() : entry->second;
    };
    // Who remuxes a file often keeps statistics of another one.
    const std::string counter = value("_STATISTICS_WRITING_APP");
    const bool own = !counter.empty() && (counter == writer_ || counter == muxer_);
    const std::string frames = value("NUMBER_OF_FRAMES");
    std::int64_t count = 0;
    if (own && std::from_chars(frames.data(), frames.data() + frames.size(), count).ec == std::errc() && count > 0) {
        to.promised = count;
        to.source = "NUMBER_OF_FRAMES tag";
    }
    if (own || muxer_.starts_with("Lavf")) {
        to.seconds = seconds_in(value("DURATION"));
    }
}

}  // namespace vfilter
