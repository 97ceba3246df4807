#include "io/input/evidence/matroska_headers.h"

#include <algorithm>
#include <charconv>
#include <cmath>
#include <iterator>
#include <optional>
#include <string_view>
#include <utility>

#include "io/input/evidence/matroska_elements.h"

namespace vfilter {

namespace {

using ebml::number_of;

constexpr std::size_t max_tags = 4096;

std::string trimmed(Bytes payload) {
    std::string value(text(payload));
    return value.substr(0, value.find('\0'));
}

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
    const bool whole = ebml::each_element(payload, [&](std::uint32_t id, Bytes value) {
        if (id == 0x2AD7B1 && number_of(value) > 0) {
            tick_ = static_cast<double>(number_of(value)) * 1e-9;
        } else if (id == 0x4D80 || id == 0x5741) {
            (id == 0x4D80 ? muxer_ : writer_) = trimmed(value);
        }
    });
    return whole;
}

bool MatroskaHeaders::read_tracks(Bytes payload) {
    bool whole = true;
    const bool entries = ebml::each_element(payload, [&](std::uint32_t id, Bytes entry) {
        if (id != 0xAE) {
            return;
        }
        std::uint64_t number = 0;
        std::uint64_t uid = 0;
        std::uint64_t type = 0;
        bool repacked = false;
        const bool fields = ebml::each_element(entry, [&](std::uint32_t field, Bytes value) {
            number = field == 0xD7 ? number_of(value) : number;
            uid = field == 0x73C5 ? number_of(value) : uid;
            type = field == 0x83 ? number_of(value) : type;
            repacked =
                repacked || (field == 0x86 && (text(value).find("_REAL") == 1 || text(value).starts_with("A_MS")));
        });
        if (!fields || number == 0 || number > INT64_MAX || type == 0) {
            whole = false;
            return;
        }
        const bool known = std::ranges::find(tracks_, signed_value(number), &Track::number) != tracks_.end();
        if (!known && tracks_.size() < max_tracks) {
            using Kind = TrackEvidence::Kind;
            tracks_.push_back({uid, signed_value(number),
                               type == 1   ? Kind::video
                               : type == 2 ? Kind::audio
                                           : Kind::other,
                               repacked});
        }
    });
    whole = whole && entries;
    tracks_known_ = whole && !tracks_.empty() && tracks_.size() < max_tracks;
    return whole;
}

bool MatroskaHeaders::read_cues(Bytes payload, std::int64_t begin) {
    const bool whole = ebml::each_element(payload, [&](std::uint32_t id, Bytes point) {
        if (id != 0xBB) {
            return;
        }
        ebml::each_element(point, [&](std::uint32_t field, Bytes positions) {
            if (field != 0xB7) {
                return;
            }
            ebml::each_element(positions, [&](std::uint32_t what, Bytes value) {
                const std::uint64_t position = number_of(value);
                if (what == 0xF1 && position <= INT64_MAX / 2 && positions_.size() < ebml::max_positions) {
                    positions_.push_back(begin + signed_value(position));
                }
            });
        });
    });
    return whole;
}

bool MatroskaHeaders::read_tags(Bytes payload) {
    const bool whole = ebml::each_element(payload, [&](std::uint32_t id, Bytes tag) {
        if (id != 0x7373 || tags_.size() >= max_tags) {
            return;
        }
        Tag read;
        ebml::each_element(tag, [&](std::uint32_t part_id, Bytes value) {
            if (part_id == 0x63C0) {
                ebml::each_element(value, [&](std::uint32_t target, Bytes uid) {
                    read.uid = target == 0x63C5 ? number_of(uid) : read.uid;
                });
            } else if (part_id == 0x67C8) {
                std::string name;
                std::string content;
                ebml::each_element(value, [&](std::uint32_t field, Bytes words) {
                    if (field == 0x45A3 || field == 0x4487) {
                        (field == 0x45A3 ? name : content) = trimmed(part(words, 0, 1024));
                    }
                });
                read.values.emplace(std::move(name), std::move(content));
            }
        });
        if (read.uid != 0) {
            tags_.push_back(std::move(read));
        }
    });
    return whole;
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
        if (track == tracks_.end() || tag.uid != track->uid) {
            continue;
        }
        const auto value = [&](const char* name) {
            const auto entry = tag.values.find(name);
            return entry == tag.values.end() ? std::string() : entry->second;
        };
        // Who remuxes a file often keeps statistics of another one.
        const std::string counter = value("_STATISTICS_WRITING_APP");
        const bool own = !counter.empty() && (counter == writer_ || counter == muxer_);
        const std::string frames = value("NUMBER_OF_FRAMES");
        std::int64_t count = 0;
        if (own && std::from_chars(frames.data(), frames.data() + frames.size(), count).ec == std::errc() &&
            count > 0) {
            to.promised = count;
            to.source = "NUMBER_OF_FRAMES tag";
        }
        if (own || muxer_.starts_with("Lavf")) {
            to.seconds = seconds_in(value("DURATION"));
        }
    }
}

}  // namespace vfilter
