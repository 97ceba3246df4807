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

using Gaps = std::vector<std::pair<std::int64_t, std::int64_t>>;

// Follows the samples of one track through its chunks.
class SampleWalk {
public:
    SampleWalk(Mp4Track& track, std::int64_t file_size, const Gaps& gaps)
        : track_(track),
          file_size_(static_cast<std::uint64_t>(file_size)),
          gaps_(gaps),
          count_(static_cast<std::uint64_t>(track.count)) {}

    // Calls with the bytes from and to of each chunk that has any.
    template <typename Use>
    void walk(Use&& use) {
        const std::size_t width = track_.wide ? 8 : 4;
        each_chunk(track_.runs, big_endian(track_.chunks, 4, 4), [&](std::size_t chunk, std::uint64_t samples) {
            const std::uint64_t begin = big_endian(track_.chunks, 8 + chunk * width, width);
            const std::uint64_t stop = std::min(sample_ + samples, count_);
            const std::uint64_t end = track_.loose ? take_loose(begin, stop) : take(begin, stop);
            if (end > begin) {
                use(begin, end);
            }
            return sample_ < count_;
        });
    }
    void tell(const TellFault& tell) const {
        if (outside_) {
            tell(track_.at, "samples outside of the file");
        }
        if (overlaps_) {
            tell(track_.at, "samples that overlap");
        }
        if (lost_) {
            tell(track_.at, "samples where the file has no boxes");
        }
    }

private:
    // Of sizes that do not tell how many bytes samples have: the first one is all that is known of a chunk.
    std::uint64_t take_loose(std::uint64_t begin, std::uint64_t stop) {
        const bool inside = begin <= file_size_;
        track_.whole += inside ? signed_value(stop - sample_) : 0;
        outside_ = outside_ || !inside || (begin < 8 && stop > sample_);
        sample_ = stop;
        return begin + 1;
    }
    // Samples of a chunk up to `stop`. Returns where they end.
    std::uint64_t take(std::uint64_t begin, std::uint64_t stop) {
        std::uint64_t end = begin;
        if (track_.same_size != 0) {
            end += (stop - sample_) * track_.same_size;
            const bool inside = begin >= 8 && begin <= INT64_MAX / 4 && end <= file_size_;
            outside_ = outside_ || !inside;
            track_.whole += inside ? signed_value(stop - sample_) : 0;
            sample_ = stop;
        }
        for (; sample_ < stop; ++sample_) {
            const std::uint64_t size = size_of(static_cast<std::size_t>(sample_));
            const bool inside = (size == 0 || begin >= 8) && begin <= INT64_MAX / 4 && end + size <= file_size_;
            end += size;
            outside_ = outside_ || !inside;
            track_.whole += inside && size > 0 ? 1 : 0;
        }
        overlaps_ = overlaps_ || (begin > previous_begin_ && begin < previous_end_);
        lost_ = lost_ || reaches_gap(begin, end);
        previous_begin_ = begin;
        previous_end_ = end;
        return end;
    }
    [[nodiscard]] std::uint64_t size_of(std::size_t sample) const {
        constexpr std::size_t first = 12;
        return track_.size_bits == 4
                   ? big_endian(track_.sizes, first + sample / 2, 1) >> (sample % 2 == 0 ? 4 : 0) & 15
                   : big_endian(track_.sizes, first + sample * track_.size_bits / 8, track_.size_bits / 8);
    }
    [[nodiscard]] bool reaches_gap(std::uint64_t begin, std::uint64_t end) const {
        const auto from = signed_value(std::min<std::uint64_t>(begin, INT64_MAX));
        const auto to = signed_value(std::min<std::uint64_t>(end, INT64_MAX));
        return std::ranges::any_of(gaps_, [&](const auto& gap) { return from < gap.second && to > gap.first; });
    }

    Mp4Track& track_;
    std::uint64_t file_size_;
    const Gaps& gaps_;
    std::uint64_t count_;
    std::uint64_t sample_ = 0;
    std::uint64_t previous_begin_ = 0;  // of the chunk before
    std::uint64_t previous_end_ = 0;
    bool outside_ = false;
    bool overlaps_ = false;
    bool lost_ = false;
};

}  // namespace

void Mp4Tables::judge_places(std::int64_t file_size, const Gaps& gaps, const TellFault& tell) {
    std::vector<Mp4Extent> extents;
    for (Mp4Track& track : tracks_) {
        if (track.away) {
            track.whole = track.count - track.empty;
            continue;
        }
        const auto number = static_cast<std::size_t>(&track - tracks_.data());
        SampleWalk samples(track, file_size, gaps);
        samples.walk([&](std::uint64_t begin, std::uint64_t end) { extents.push_back({begin, end, number}); });
        samples.tell(tell);
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
