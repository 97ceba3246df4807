#include <algorithm>
#include <array>
#include <cmath>

#include "io/input/evidence/mp4_parts.h"

namespace vfilter {

namespace {

// Those without which a track plays differently, or not at all.
constexpr std::uint32_t needed[] = {mark("trak"), mark("mdia"), mark("minf"), mark("stbl"), mark("stts"),
                                    mark("stsz"), mark("stsc"), mark("stco"), mark("co64"), mark("mdhd"),
                                    mark("hdlr"), mark("ctts"), mark("stss"), mark("tkhd"), mark("mvhd"),
                                    mark("stsd"), mark("mvex"), mark("edts"), mark("elst"), mark("trex")};
// Others that look like one of those.
constexpr std::uint32_t alike[] = {mark("stps"), mark("stz2"), mark("stsh"), mark("cdsc"), mark("sdtp"), mark("stsl"),
                                   mark("stsg"), mark("stsn"), mark("sthd"), mark("mehd"), mark("tref")};

bool is_damaged_type(std::uint32_t type) {
    const auto is = [type](std::span<const std::uint32_t> list) { return std::ranges::find(list, type) != list.end(); };
    return !printable(type) || (!is(needed) && !is(alike) && std::ranges::any_of(needed, [type](std::uint32_t other) {
        return one_byte_apart(type, other);
    }));
}

std::uint64_t sum_of_counts(Bytes table) {
    std::uint64_t sum = 0;
    for (std::size_t at = 8; at + 8 <= table.size(); at += 8) {
        sum += big_endian(table, at, 4);
    }
    return sum;
}

// Whether a table with entries of `width` bytes has as many as it says.
bool fits(Bytes table, std::size_t first, std::size_t width, std::uint64_t count) {
    return table.size() >= first && count <= (table.size() - first) / width;
}

Bytes exactly(Bytes table, std::size_t width) {
    const std::uint64_t count = big_endian(table, 4, 4);
    return fits(table, 8, width, count) ? part(table, 0, 8 + static_cast<std::size_t>(count) * width) : Bytes{};
}

// Samples of all chunks.
std::uint64_t samples_in_chunks(Bytes runs, std::uint64_t chunks) {
    std::uint64_t sum = 0;
    for (std::size_t at = 8; at + 12 <= runs.size(); at += 12) {
        const std::uint64_t first = std::max<std::uint64_t>(big_endian(runs, at, 4), 1);
        const std::uint64_t next =
            std::min(at + 24 <= runs.size() ? big_endian(runs, at + 12, 4) : chunks + 1, chunks + 1);
        sum += next > first ? (next - first) * big_endian(runs, at + 4, 4) : 0;
    }
    return sum;
}

// First codecs of a track whose samples FFmpeg's demuxer gives whatever stands behind them: kinds of ProRes and DV, and
// JPEG, which some cameras begin with.
constexpr std::array all_read{mark("apcn"), mark("apch"), mark("dvpp"), mark("dvcp"), mark("jpeg"), mark("AV1x")};

std::vector<std::uint64_t> described_codecs(Bytes descriptions) {
    std::vector<std::uint64_t> codecs;
    for (std::size_t entry = 8; entry + 8 <= descriptions.size() && codecs.size() < max_tracks;) {
        codecs.push_back(big_endian(descriptions, entry + 4, 4));
        entry += std::max<std::size_t>(static_cast<std::size_t>(big_endian(descriptions, entry, 4)), 8);
    }
    return codecs;
}

// Whether samples have a description that is not there: the demuxer leaves them out.
bool lacks_descriptions(const std::vector<std::uint64_t>& codecs, Bytes runs) {
    for (std::size_t run = 8; run + 12 <= runs.size(); run += 12) {
        if (big_endian(runs, run + 8, 4) > codecs.size() && codecs.size() < max_tracks) {
            return !codecs.empty();
        }
    }
    return false;
}

// Whether samples are in another codec than the one that is described first, which the demuxer leaves out.
bool mixes_codecs(const std::vector<std::uint64_t>& codecs, Bytes runs) {
    if (codecs.empty() || std::ranges::find(all_read, codecs.front()) != all_read.end()) {
        return false;
    }
    for (std::size_t run = 8; run + 12 <= runs.size(); run += 12) {
        const std::uint64_t used = big_endian(runs, run + 8, 4);
        if (used >= 1 && used <= codecs.size() && codecs[static_cast<std::size_t>(used) - 1] != codecs.front()) {
            return true;
        }
    }
    return false;
}

std::int64_t count_empty(Bytes sizes, const Mp4Track& track) {
    std::int64_t empty = 0;
    for (std::size_t i = 0; track.same_size == 0 && track.size_bits == 32 && i < static_cast<std::size_t>(track.count);
         ++i) {
        empty += big_endian(sizes, 12 + 4 * i, 4) == 0 ? 1 : 0;
    }
    return empty;
}

struct Tables {
    Bytes descriptions, times, shifts, keys, sizes, small_sizes, runs, chunks, wide_chunks, edits;
    bool external = false;
    std::uint64_t scale = 0;  // ticks in a second
    std::uint64_t duration = 0;
};

// Whether any of the samples may be in another file.
bool refers_elsewhere(Bytes dref) {
    for (std::size_t entry = 8; entry + 12 <= dref.size();) {
        if ((big_endian(dref, entry + 11, 1) & 1) == 0) {
            return true;
        }
        entry += std::max<std::size_t>(static_cast<std::size_t>(big_endian(dref, entry, 4)), 12);
    }
    return false;
}

struct TableRow {
    Bytes Tables::*table;
    std::uint32_t box;
    bool single;  // a second one is damage
};
constexpr TableRow table_rows[] = {
    {&Tables::edits, mark("elst"), false},      {&Tables::descriptions, mark("stsd"), false},
    {&Tables::times, mark("stts"), true},       {&Tables::shifts, mark("ctts"), true},
    {&Tables::keys, mark("stss"), true},        {&Tables::sizes, mark("stsz"), true},
    {&Tables::small_sizes, mark("stz2"), true}, {&Tables::runs, mark("stsc"), true},
    {&Tables::chunks, mark("stco"), true},      {&Tables::wide_chunks, mark("co64"), true}};

// Keeps a box that is a table; false where it is none.
bool keep_table(std::uint32_t type, Bytes box, Tables& tables, const Mp4Track& track, const TellFault& tell) {
    const auto* const row = std::ranges::find(table_rows, type, &TableRow::box);
    if (row == std::end(table_rows)) {
        return false;
    }
    if (row->single && !(tables.*row->table).empty()) {
        tell(track.at, "a track with a table twice");
    }
    tables.*row->table = box;
    return true;
}

// Of 64 bits, in a header.
bool has_long_times(Bytes header) {
    return big_endian(header, 0, 1) == 1;
}

void read_media_header(Bytes box, Tables& tables) {
    const bool wide = has_long_times(box);
    tables.scale = big_endian(box, wide ? 20 : 12, 4);
    tables.duration = big_endian(box, wide ? 24 : 16, wide ? 8 : 4);
    tables.duration = tables.duration == (wide ? UINT64_MAX : UINT32_MAX) ? 0 : tables.duration;
}

// Another one, of the data reference, follows in QuickTime.
void read_handler(Bytes box, Mp4Track& track) {
    const std::uint64_t kind = big_endian(box, 8, 4);
    using Kind = TrackEvidence::Kind;
    track.kind = kind == mark("vide") ? Kind::video : kind == mark("soun") ? Kind::audio : track.kind;
}

// False where a box runs over its parent's end.
bool read_boxes(Bytes trak, const TellFault& tell, Mp4Track& track, Tables& tables) {
    bool whole = true;
    int depth = 0;
    const std::function<void(std::uint32_t, Bytes, std::size_t)> use = [&](std::uint32_t type, Bytes box, std::size_t) {
        switch (type) {
            case mark("mdia"):
            case mark("minf"):
            case mark("stbl"):
            case mark("edts"):
            case mark("dinf"):
                if (depth < 8) {
                    ++depth;
                    whole = each_box(box, use) && whole;
                    --depth;
                }
                break;
            case mark("tkhd"):
                track.id = signed_value(big_endian(box, has_long_times(box) ? 20 : 12, 4));
                break;
            case mark("mdhd"):
                read_media_header(box, tables);
                break;
            case mark("hdlr"):
                read_handler(box, track);
                break;
            case mark("dref"):
                tables.external = tables.external || refers_elsewhere(box);
                break;
            default:
                if (!keep_table(type, box, tables, track, tell) && is_damaged_type(type)) {
                    tell(track.at, "unknown box " + shown_mark(type) + " in a track");
                }
        }
    };
    return each_box(trak, use) && whole;
}

// Whether there are as many sizes as the box says.
bool are_listed(Bytes sizes, const Mp4Track& track) {
    constexpr unsigned widths[] = {4, 8, 16, 32};
    const std::uint64_t count = big_endian(sizes, 8, 4);
    return sizes.size() >= 12 && std::ranges::find(widths, track.size_bits) != std::end(widths) &&
           (track.same_size != 0 || count <= (sizes.size() - 12) * std::uint64_t{8} / track.size_bits);
}

// Of tables that fit into their boxes.
void tell_disorder(const Tables& tables, const Mp4Track& track, std::uint64_t chunk_count, const TellFault& tell) {
    const auto count = static_cast<std::uint64_t>(track.count);
    const Bytes runs = exactly(tables.runs, 12);
    // Some writers give times to more samples than there are.
    if (sum_of_counts(exactly(tables.times, 8)) < count || samples_in_chunks(runs, chunk_count) != count ||
        (!tables.shifts.empty() && sum_of_counts(exactly(tables.shifts, 8)) < count)) {
        tell(track.at, "the tables of a track have different numbers of samples");
    }
    if (track.kind != TrackEvidence::Kind::other) {
        const std::vector<std::uint64_t> codecs = described_codecs(tables.descriptions);
        if (mixes_codecs(codecs, runs)) {
            tell(track.at, "a track in more than one codec, of which only the first is read,");
        }
        if (lacks_descriptions(codecs, runs)) {
            tell(track.at, "samples without a description, which are not read,");
        }
    }
    const Bytes keys = exactly(tables.keys, 4);
    for (std::size_t key = 8, before = 0; key + 4 <= keys.size(); key += 4) {
        const auto sample = static_cast<std::size_t>(big_endian(keys, key, 4));
        if (sample > count || sample < before) {
            tell(track.at, "key frames out of order");
            break;
        }
        before = sample;
    }
}

// Of all samples.
std::uint64_t ticks_in(Bytes times) {
    std::uint64_t ticks = 0;
    for (std::size_t entry = 8; entry + 8 <= times.size(); entry += 8) {
        ticks += big_endian(times, entry, 4) * big_endian(times, entry + 4, 4);
    }
    return ticks;
}

// How long the track is; nothing where what it says of that is no promise.
std::optional<double> promised_seconds(const Tables& tables, std::uint64_t ticks, bool told_elsewhere) {
    if (tables.scale == 0 || (tables.duration == 0 && ticks == 0)) {
        return std::nullopt;
    }
    const double told = static_cast<double>(tables.duration) / static_cast<double>(tables.scale);
    const double counted = static_cast<double>(ticks) / static_cast<double>(tables.scale);
    // With gaps in their time real files disagree: then neither is a promise.
    if (tables.duration != 0 && !told_elsewhere && std::abs(told - counted) > 1) {
        return std::nullopt;
    }
    return tables.duration > 0 ? told : counted;
}

struct PlaysAll {
    bool reads = true;  // an edit list leaves out none of the samples
    bool shows = true;  // and hides none, wherever the first one's time is
};

// What its edit list plays of a track of so many ticks and samples.
PlaysAll played_of(const Tables& tables, double ticks, double count, double movie_tick, bool sound) {
    if (tables.edits.empty() || tables.scale == 0) {
        return {.reads = tables.edits.empty(), .shows = tables.edits.empty()};
    }
    const auto scale = static_cast<double>(tables.scale);
    const bool wide = big_endian(tables.edits, 0, 1) == 1;
    const std::size_t width = wide ? 20 : 12;
    int used = 0;
    double start = 0;
    double length = 0;
    for (std::size_t entry = 8; entry + width <= tables.edits.size(); entry += width) {
        const std::uint64_t begin = big_endian(tables.edits, entry + (wide ? 8 : 4), wide ? 8 : 4);
        if (begin != (wide ? UINT64_MAX : UINT32_MAX)) {
            ++used;
            start = static_cast<double>(begin) / scale;
            length = static_cast<double>(big_endian(tables.edits, entry, wide ? 8 : 4)) * movie_tick;
        }
    }
    const std::uint64_t shift = tables.shifts.size() >= 16 ? big_endian(tables.shifts, 12, 4) : 0;
    const double first = shift < 0x80000000 ? static_cast<double>(shift) / scale : 0;
    const double total = ticks / scale;
    const double one = count > 0 ? total / count : 0;
    // Sound begins with what its decoder needs.
    return {.reads = used == 1 && start <= first + (sound ? 3 * one : one / 2) && length + start + one / 2 >= total,
            .shows = used == 1 && start <= first + one / 2 && length + one / 2 >= total};
}

}  // namespace

void Mp4Tables::read(Bytes movie, std::int64_t at, const TellFault& tell) {
    const auto strange = [&](std::int64_t place, std::string_view what) {
        understood_ = false;
        tell(place, what);
    };
    const bool whole = each_box(movie, [&](std::uint32_t type, Bytes box, std::size_t) {
        if (type == mark("mvhd")) {
            const std::uint64_t scale = big_endian(box, big_endian(box, 0, 1) == 1 ? 20 : 12, 4);
            movie_tick_ = scale > 0 ? 1.0 / static_cast<double>(scale) : 0;
        } else if (type == mark("mvex")) {
            fragmented_ = true;
            read_defaults(box);
        } else if (type == mark("cmov")) {
            understood_ = false;  // compressed
        } else if (is_damaged_type(type)) {
            strange(at, "unknown box " + shown_mark(type) + " in the movie box");
        }
    });
    if (!whole) {
        strange(at, "a box runs over its parent's end");
    }
    each_box(movie, [&](std::uint32_t type, Bytes box, std::size_t place) {
        if (type == mark("trak") && tracks_.size() < max_tracks) {
            read_track(box, at + signed_value(place), strange);
        }
    });
}

void Mp4Tables::read_defaults(Bytes mvex) {
    each_box(mvex, [&](std::uint32_t type, Bytes box, std::size_t) {
        if (type == mark("trex") && defaults_.size() < max_tracks) {
            defaults_[signed_value(big_endian(box, 4, 4))] = {static_cast<std::uint32_t>(big_endian(box, 12, 4)),
                                                              static_cast<std::uint32_t>(big_endian(box, 16, 4))};
        }
    });
}

void Mp4Tables::read_track(Bytes trak, std::int64_t at, const TellFault& tell) {
    Mp4Track read;
    read.at = at;
    Tables tables;
    if (!read_boxes(trak, tell, read, tables)) {
        tell(at, "a box runs over its parent's end");
    }
    // Every count must fit into its box.
    const Bytes times = exactly(tables.times, 8);
    const Bytes runs = exactly(tables.runs, 12);
    read.wide = !tables.wide_chunks.empty();
    const Bytes chunks = exactly(read.wide ? tables.wide_chunks : tables.chunks, read.wide ? 8 : 4);
    const bool small = !tables.small_sizes.empty();
    const Bytes sizes = small ? tables.small_sizes : tables.sizes;
    read.same_size = small ? 0 : static_cast<std::uint32_t>(big_endian(sizes, 4, 4));
    read.size_bits = small ? static_cast<unsigned>(big_endian(sizes, 7, 1)) : 32U;
    const std::uint64_t count = big_endian(sizes, 8, 4);
    if (count == 0 && sizes.size() >= 12 && read.same_size == 0) {
        tracks_.push_back(std::move(read));  // a track of which nothing came, which some cameras leave without tables
        return;
    }
    if (times.empty() || runs.empty() || chunks.empty() || !are_listed(sizes, read) ||
        (!tables.shifts.empty() && exactly(tables.shifts, 8).empty()) ||
        (!tables.keys.empty() && exactly(tables.keys, 4).empty())) {
        tell(at, "a track with a table that is missing or runs over its end");
        read.away = true;
        tracks_.push_back(std::move(read));
        return;
    }
    read.count = signed_value(count);
    tell_disorder(tables, read, big_endian(chunks, 4, 4), tell);
    const std::uint64_t ticks = ticks_in(times);
    read.seconds = promised_seconds(tables, ticks, count == 0 || fragmented_);
    const bool sound = read.kind == TrackEvidence::Kind::audio;
    // FFmpeg makes its own packets of uncompressed sound, and leaves out what an edit list leaves out.
    const bool uncounted = sound && times.size() == 16 && big_endian(times, 12, 4) == 1;
    const PlaysAll all = played_of(tables, static_cast<double>(ticks), static_cast<double>(count), movie_tick_, sound);
    read.counts_packets = !uncounted && all.reads;
    read.shows_all = all.shows;
    read.empty = count_empty(sizes, read);
    read.away = tables.external;
    read.loose = sound && read.same_size != 0;
    if (count > 0) {
        read.sizes.assign(sizes.begin(), sizes.end());
        read.chunks.assign(chunks.begin(), chunks.end());
        read.runs.assign(runs.begin(), runs.end());
    }
    tracks_.push_back(std::move(read));
}

}  // namespace vfilter
