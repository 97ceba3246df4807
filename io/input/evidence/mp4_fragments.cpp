#include <algorithm>
#include <initializer_list>
#include <string>

#include "io/input/evidence/mp4_parts.h"

namespace vfilter {

namespace {

constexpr std::size_t max_places = 1 << 20;
constexpr std::int64_t most_sample_bytes = INT64_MAX / 4;  // of which sums are made

// The bytes that the samples of a run need, and how many samples.
struct Run {
    std::int64_t samples = 0;
    std::int64_t size = 0;
    bool whole = true;  // its table fits into its box
};

Run read_run(Bytes box, std::uint32_t default_size) {
    const std::uint64_t flags = big_endian(box, 1, 3);
    const std::uint64_t count = big_endian(box, 4, 4);
    const std::size_t first = 8 + ((flags & 0x1) != 0 ? 4U : 0U) + ((flags & 0x4) != 0 ? 4U : 0U);
    std::size_t entry = 0;
    for (const std::uint64_t flag : {0x100U, 0x200U, 0x400U, 0x800U}) {
        entry += (flags & flag) != 0 ? 4 : 0;
    }
    const std::size_t size_at = (flags & 0x100) != 0 ? 4 : 0;
    const std::size_t room = box.size() < first ? 0 : box.size() - first;
    Run run{signed_value(count), 0, box.size() >= first && (entry == 0 || count <= room / entry)};
    if (!run.whole) {
        run.samples = entry == 0 ? 0 : signed_value(room / entry);
    }
    if ((flags & 0x200) == 0) {
        run.size = run.samples * std::int64_t{default_size};
        return run;
    }
    for (std::size_t i = 0; i < static_cast<std::size_t>(run.samples); ++i) {
        run.size += signed_value(big_endian(box, first + i * entry + size_at, 4));
    }
    return run;
}

// What a fragment says of one track (traf).
struct TrackRuns {
    std::int64_t id = -1;  // none is told
    std::int64_t samples = 0;
    std::int64_t size = 0;   // bytes that they need
    bool elsewhere = false;  // they may lie in the data of another fragment
    bool whole = true;       // all of its boxes end within it
};

// Whether it was a known box, as far as can be seen.
bool is_garbled(std::uint32_t kind, std::initializer_list<std::uint32_t> known) {
    return !printable(kind) ||
           std::ranges::any_of(known, [kind](std::uint32_t other) { return one_byte_apart(kind, other); });
}

// Reads tfhd. Gives the size of samples for which none is told.
std::uint32_t read_track_header(Bytes fields, const std::map<std::int64_t, Mp4Defaults>& defaults, TrackRuns& track) {
    const std::uint64_t flags = big_endian(fields, 1, 3);
    track.id = signed_value(big_endian(fields, 4, 4));
    track.elsewhere = track.elsewhere || (flags & 0x1) != 0;
    std::size_t field = 8;
    for (const auto& [flag, width] : {std::pair{0x1U, 8U}, {0x2U, 4U}, {0x8U, 4U}}) {
        field += (flags & flag) != 0 ? width : 0;
    }
    if ((flags & 0x10) != 0) {
        return static_cast<std::uint32_t>(big_endian(fields, field, 4));
    }
    const auto known = defaults.find(track.id);
    return known == defaults.end() ? 0 : known->second.size;
}

TrackRuns read_track(Bytes boxes, const std::map<std::int64_t, Mp4Defaults>& defaults,
                     const std::function<void(const std::string&)>& tell) {
    TrackRuns track;
    std::uint32_t default_size = 0;
    track.whole = each_box(boxes, [&](std::uint32_t kind, Bytes fields, std::size_t) {
        if (kind == mark("tfhd")) {
            default_size = read_track_header(fields, defaults, track);
        } else if (kind == mark("trun")) {
            const Run run = read_run(fields, default_size);
            track.samples += run.samples;
            track.size = std::min(track.size + run.size, most_sample_bytes);
            if (!run.whole) {
                tell("a fragment's list of samples runs over its end");
            }
        } else if (kind != mark("tfdt") && is_garbled(kind, {mark("tfhd"), mark("trun"), mark("tfdt")})) {
            tell("unknown box " + shown_mark(kind) + " in a fragment");
        }
    });
    return track;
}

}  // namespace

// The fragment before is complete.
void Mp4Fragments::settle() {
    if (samples_size_ > data_) {
        tell_(fragment_at_, "a fragment with less data than its samples need");
    }
    samples_size_ = 0;
    data_ = 0;
}

void Mp4Fragments::met_box(std::int64_t at, std::uint32_t type) {
    if (type == mark("moof")) {
        settle();
        fragment_at_ = at;
        if (places_.size() < max_places) {
            places_.push_back(at);
        }
    }
}

void Mp4Fragments::note_number(std::uint32_t number, std::int64_t box) {
    began_again_ = began_again_ || (sequence_ && number <= *sequence_);
    if (sequence_ && number == *sequence_ + 1) {
        ++in_order_;
    } else if (sequence_ && number > *sequence_ && jumps_.size() < max_places) {
        jumps_.push_back(box);
    }
    sequence_ = number;
}

std::vector<std::pair<std::int64_t, std::int64_t>> Mp4Fragments::read_fragment(Bytes payload, std::int64_t box,
                                                                               std::int64_t at) {
    std::vector<std::pair<std::int64_t, std::int64_t>> counts;
    bool inside_whole = true;
    bool elsewhere = false;
    bool numbered = false;
    const auto tell = [&](const std::string& what) { tell_(box, what); };
    const bool whole = each_box(payload, [&](std::uint32_t type, Bytes inside, std::size_t) {
        if (type == mark("mfhd")) {
            numbered = true;
            note_number(static_cast<std::uint32_t>(big_endian(inside, 4, 4)), box);
        } else if (type == mark("traf")) {
            const TrackRuns track = read_track(inside, defaults_, tell);
            inside_whole = inside_whole && track.whole;
            elsewhere = elsewhere || track.elsewhere;
            samples_size_ = std::min(samples_size_ + track.size, most_sample_bytes);
            if (track.id >= 0) {
                counts.emplace_back(track.id, track.samples);
            }
        } else if (is_garbled(type, {mark("traf"), mark("mfhd")})) {
            tell("unknown box " + shown_mark(type) + " in a fragment");
        }
    });
    if (!whole || !inside_whole) {
        tell_(at, "a box runs over its parent's end");
    }
    if (!numbered) {
        tell_(at, "a fragment without a header");
    }
    if (elsewhere) {
        samples_size_ = 0;  // its samples may lie in the data of another one
    }
    return counts;
}

void Mp4Fragments::read_index(Bytes payload, std::int64_t box, std::int64_t after) {
    const bool wide = big_endian(payload, 0, 1) != 0;
    std::size_t at = 12 + (wide ? 8U : 4U);
    const std::uint64_t first = big_endian(payload, at, wide ? 8 : 4);
    at += wide ? 8 : 4;
    const std::uint64_t count = big_endian(payload, at + 2, 2);
    at += 4;
    if (payload.size() < at || count > (payload.size() - at) / 12 || first > INT64_MAX / 4) {
        tell_(box, "an index that runs over its end");
        return;
    }
    std::int64_t end = after + signed_value(first);
    for (std::size_t i = 0; i < count; ++i) {
        end += signed_value(big_endian(payload, at + i * 12, 4) & 0x7FFFFFFF);
    }
    index_end_ = std::max(index_end_, end);
}

void Mp4Fragments::read_random_access(Bytes payload) {
    each_box(payload, [&](std::uint32_t type, Bytes table, std::size_t) {
        if (type != mark("tfra")) {
            return;
        }
        const bool wide = big_endian(table, 0, 1) == 1;
        const std::uint64_t lengths = big_endian(table, 8, 4);
        const std::size_t entry =
            (wide ? 16U : 8U) + 3U + static_cast<std::size_t>((lengths >> 4 & 3) + (lengths >> 2 & 3) + (lengths & 3));
        const std::uint64_t count = big_endian(table, 12, 4);
        for (std::uint64_t i = 0; i < count && 16 + (i + 1) * entry <= table.size() && told_.size() < max_places; ++i) {
            const std::size_t at = 16 + static_cast<std::size_t>(i) * entry;
            told_.push_back(signed_value(big_endian(table, at + (wide ? 8 : 4), wide ? 8 : 4)));
        }
    });
}

void Mp4Fragments::end(std::int64_t size) {
    settle();
    if (index_end_ > size) {
        tell_(size, "the file ends before its index does");
    }
    // Numbers that jump all the time are another way to count.
    if (in_order_ > 2 && jumps_.size() <= 1 + static_cast<std::size_t>(in_order_) / 20) {
        for (const std::int64_t place : jumps_) {
            tell_(place, "fragments are missing before this one");
        }
    }
    // Places that all are wrong were written for another file.
    std::ranges::sort(told_);
    told_.erase(std::unique(told_.begin(), told_.end()), told_.end());
    std::vector<std::int64_t> missing;
    std::ranges::set_difference(told_, places_, std::back_inserter(missing));
    if (missing.size() < told_.size() && places_.size() < max_places) {
        for (const std::int64_t place : missing) {
            tell_(place, "no fragment where the index has one");
        }
    }
}

}  // namespace vfilter
