// Where the samples of a movie lie.

#include <algorithm>
#include <tuple>

#include "io/input/evidence/mp4_parts.h"

namespace vfilter {

namespace {

// Samples by chunks: how many lie in each. Calls with the number of a chunk from 0 and its samples until false.
template <typename Use>
void each_chunk(Bytes runs, std::uint64_t chunks, Use&& use) {
    std::uint64_t chunk = 1;
    for (std::size_t at = 8; at + 12 <= runs.size(); at += 12) {
        const std::uint64_t next = at + 24 <= runs.size() ? big_endian(runs, at + 12, 4) : chunks + 1;
        for (chunk = std::max(chunk, big_endian(runs, at, 4)); chunk < next && chunk <= chunks; ++chunk) {
            if (!use(static_cast<std::size_t>(chunk - 1), big_endian(runs, at + 4, 4))) {
                return;
            }
        }
    }
}

}  // namespace

void Mp4Tables::judge_places(std::int64_t file_size, const std::vector<std::pair<std::int64_t, std::int64_t>>& gaps,
                             const TellFault& tell) {
    std::vector<Mp4Extent> extents;
    for (Mp4Track& track : tracks_) {
        if (track.away) {
            track.whole = track.count - track.empty;
            continue;
        }
        const auto number = static_cast<std::size_t>(&track - tracks_.data());
        const std::uint64_t chunk_count = big_endian(track.chunks, 4, 4);
        const std::size_t width = track.wide ? 8 : 4;
        std::uint64_t sample = 0;
        std::uint64_t previous = 0;     // the end of the chunk before
        std::uint64_t previous_at = 0;  // and its beginning
        bool outside = false;
        bool overlaps = false;
        bool lost = false;
        const auto size_of = [&](std::uint64_t index) -> std::uint64_t {
            const auto at = static_cast<std::size_t>(index);
            return track.size_bits == 4 ? big_endian(track.sizes, 12 + at / 2, 1) >> (at % 2 == 0 ? 4 : 0) & 15
                                        : big_endian(track.sizes, 12 + at * track.size_bits / 8, track.size_bits / 8);
        };
        const auto count = static_cast<std::uint64_t>(track.count);
        each_chunk(track.runs, chunk_count, [&](std::size_t chunk, std::uint64_t samples) {
            const std::uint64_t begin = big_endian(track.chunks, 8 + chunk * width, width);
            std::uint64_t end = begin;
            const std::uint64_t stop = std::min(sample + samples, count);
            if (track.loose) {
                const bool inside = begin <= static_cast<std::uint64_t>(file_size);
                track.whole += inside ? signed_value(stop - sample) : 0;
                outside = outside || !inside || (begin < 8 && stop > sample);
                sample = stop;
                extents.push_back({begin, begin + 1, number});
                return sample < count;
            }
            if (track.same_size != 0) {
                end += (stop - sample) * track.same_size;
                const bool inside =
                    begin >= 8 && begin <= INT64_MAX / 4 && end <= static_cast<std::uint64_t>(file_size);
                outside = outside || !inside;
                track.whole += inside ? signed_value(stop - sample) : 0;
                sample = stop;
            }
            for (; sample < stop; ++sample) {
                const std::uint64_t size = size_of(sample);
                const bool inside = (size == 0 || begin >= 8) && begin <= INT64_MAX / 4 &&
                                    end + size <= static_cast<std::uint64_t>(file_size);
                end += size;
                outside = outside || !inside;
                track.whole += inside && size > 0 ? 1 : 0;
            }
            overlaps = overlaps || (begin > previous_at && begin < previous);
            lost = lost || std::ranges::any_of(gaps, [&](const auto& gap) {
                       return static_cast<std::int64_t>(std::min<std::uint64_t>(
                           begin,
                           INT64_MAX))<gap.second&& static_cast<std::int64_t>(std::min<std::uint64_t>(end, INT64_MAX))>
                           gap.first;
                   });
            previous_at = begin;
            previous = end;
            if (end > begin) {
                extents.push_back({begin, end, number});
            }
            return sample < count;
        });
        if (outside) {
            tell(track.at, "samples outside of the file");
        }
        if (overlaps) {
            tell(track.at, "samples that overlap");
        }
        if (lost) {
            tell(track.at, "samples where the file has no boxes");
        }
    }
    tell_shared(std::move(extents), tell);
}

// Two tracks may share all that one of them has, or chunks as they are. Where a table is wrong they share a part.
void Mp4Tables::tell_shared(std::vector<Mp4Extent> extents, const TellFault& tell) const {
    struct Shared {
        std::uint64_t bytes = 0;
        bool askew = false;  // not by whole chunks
    };
    std::ranges::sort(extents, [](const Mp4Extent& one, const Mp4Extent& other) {
        return std::tie(one.begin, one.end, one.track) < std::tie(other.begin, other.end, other.track);
    });
    std::vector<std::uint64_t> totals(tracks_.size());
    std::map<std::pair<std::size_t, std::size_t>, Shared> pairs;
    const Mp4Extent* last = nullptr;  // the one that reaches farthest
    for (const Mp4Extent& extent : extents) {
        totals[extent.track] += extent.end - extent.begin;
        if (last != nullptr && extent.begin < last->end && extent.track != last->track) {
            Shared& shared = pairs[std::minmax(extent.track, last->track)];
            shared.bytes += std::min(extent.end, last->end) - extent.begin;
            shared.askew = shared.askew || extent.begin != last->begin || extent.end != last->end;
        }
        last = last == nullptr || extent.end > last->end ? &extent : last;
    }
    for (const auto& [tracks, shared] : pairs) {
        if (shared.askew && shared.bytes < std::min(totals[tracks.first], totals[tracks.second])) {
            tell(tracks_[tracks.second].at, "samples that lie in those of another track");
        }
    }
}

}  // namespace vfilter
