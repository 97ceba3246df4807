// MPEG-TS: packets of one size, numbered by stream.

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

namespace vfilter {

namespace {

constexpr std::uint8_t sync = 0x47;
constexpr std::size_t packet_sizes[] = {188, 192, 204};  // plain, with a time before each, with a checksum after each
constexpr std::size_t searched = 3 * 204 + 8 * 204;
constexpr int proof = 8;  // sync bytes in a row
constexpr std::uint32_t null_packets = 0x1FFF;

// Whether a PES packet has PES_scrambling_control (ISO 13818-1, 2.4.3.6). Those of maps, padding, private data of the
// second kind, keys, DSM-CC, H.222.1 of type E and directories have no flags.
bool says_scrambled(Bytes packet) {
    constexpr std::array<std::uint64_t, 8> without_flags{0xBC, 0xBE, 0xBF, 0xF0, 0xF1, 0xF2, 0xF8, 0xFF};
    const std::uint64_t flags = big_endian(packet, 6, 1);
    return std::ranges::find(without_flags, big_endian(packet, 3, 1)) == without_flags.end() &&
           (flags & 0xC0) == 0x80 && (flags & 0x30) != 0;
}

class MpegtsScan final : public SteppingScan<MpegtsScan> {
public:
    MpegtsScan() : SteppingScan(&MpegtsScan::packet, packet_sizes[0]) { ask(0, searched, &MpegtsScan::search); }
    void end(std::int64_t size) override;
    [[nodiscard]] bool is_scrambled(std::int64_t id) const override;

private:
    struct Counter {
        unsigned last = 0;
        unsigned first = 0;
        bool twice = false;  // the last packet came twice, as it may
        bool known = false;  // the next one must follow the last
        bool met = false;
        bool clear = false;      // some of it can be read
        bool scrambled = false;  // and some not (transport_scrambling_control, PES_scrambling_control)
        bool locked = false;     // the latest PES packet says so of itself
        bool opened = false;     // a PES packet began that can be read, whatever the packet around it says
    };

    void forget() {
        for (auto& [pid, counter] : counters_) {
            counter.known = false;
        }
    }

    void search(Bytes bytes);
    void packet(Bytes bytes);
    void payload(Counter& counter, std::int64_t place, std::uint32_t pid, Bytes bytes);
    bool goes_on(Counter& counter, std::int64_t place, std::uint32_t pid, unsigned number, bool table);
    void count(std::uint32_t pid, Bytes payload);
    void tell_scrambled(Counter& counter, std::int64_t place, std::uint32_t pid, bool scrambled, bool readable);

    std::size_t size_ = 0;  // of a packet, and what is around it
    bool began_ = false;    // a packet was met
    std::map<std::uint32_t, Counter> counters_;
};

// The first place from which sync bytes follow each other at the distance of packets.
void MpegtsScan::search(Bytes bytes) {
    const std::size_t limit = bytes.size() == searched ? 3 * 204 : bytes.size();
    for (std::size_t from = 0; from < limit; ++from) {
        for (const std::size_t size : packet_sizes) {
            int found = 0;
            std::size_t place = from;
            while (found < proof && place < bytes.size() && bytes[place] == sync) {
                place += size;
                ++found;
            }
            const bool ends = place >= bytes.size() && bytes.size() < searched;
            if (found == proof || (found > 0 && ends && (began_ || found > 2))) {
                size_ = size;
                began_ = true;
                return move_to(here() + signed_value(from));
            }
        }
    }
    if (is_short(bytes)) {
        return stop();
    }
    ask(here() + signed_value(limit), searched, &MpegtsScan::search);
}

void MpegtsScan::packet(Bytes bytes) {
    if (bytes[0] != sync) {
        // What follows the last packet may be padding.
        if (is_short(bytes) && all_zero(bytes)) {
            return stop();
        }
        fault(here(), "no packet where one should begin");
        forget();
        return ask(here(), searched, &MpegtsScan::search);
    }
    if (is_short(bytes)) {
        fault(here(), "the file ends inside of a packet");
        return stop();
    }
    const std::int64_t place = here();
    move_to(place + signed_value(size_));
    const auto pid = static_cast<std::uint32_t>(big_endian(bytes, 1, 2) & 0x1FFF);
    if (pid == null_packets) {
        return;
    }
    if ((bytes[1] & 0x80) != 0) {
        fault(place, "a packet that is marked as damaged");
        return;
    }
    const bool holds = (bytes[3] & 0x10) != 0;
    const bool adapted = (bytes[3] & 0x20) != 0;
    const bool announced = adapted && bytes[4] > 0 && (bytes[5] & 0x80) != 0;
    Counter& counter = counters_[pid];
    counter.known = counter.known && !announced;
    if (holds) {
        payload(counter, place, pid, bytes);
    }
}

void MpegtsScan::payload(Counter& counter, std::int64_t place, std::uint32_t pid, Bytes bytes) {
    const bool begins = (bytes[1] & 0x40) != 0;
    const bool adapted = (bytes[3] & 0x20) != 0;
    const Bytes payload = part(bytes, 4 + (adapted ? 1 + std::size_t{bytes[4]} : 0));
    const bool table = begins && big_endian(payload, 0, 3) != 1;
    if (!goes_on(counter, place, pid, bytes[3] & 0x0F, table)) {
        return;
    }
    if (begins && !table) {
        counter.locked = says_scrambled(payload);
        counter.opened = counter.opened || !counter.locked;
    }
    const bool scrambled = (bytes[3] & 0xC0) != 0 || counter.locked;
    if (begins && !scrambled) {
        count(pid, payload);
    }
    tell_scrambled(counter, place, pid, scrambled, !table);
}

// Judges the number of a packet with a payload. False where it is the one before once more.
bool MpegtsScan::goes_on(Counter& counter, std::int64_t place, std::uint32_t pid, unsigned number, bool table) {
    if (counter.known && number != (counter.last + 1) % 16) {
        if (number == counter.last && !counter.twice) {
            counter.twice = true;
            return false;
        }
        if (table && number == counter.first) {
            forget();  // another file was appended
        } else {
            fault(place, "packets of stream " + std::to_string(pid) + " are missing before this one");
        }
    }
    if (!counter.met) {
        counter.first = number;
        counter.met = true;
    }
    counter.last = number;
    counter.twice = false;
    counter.known = true;
    return true;
}

// A stream that is scrambled all over is none of ours: it is left out, and named.
void MpegtsScan::tell_scrambled(Counter& counter, std::int64_t place, std::uint32_t pid, bool scrambled,
                                bool readable) {
    const bool told = counter.clear && counter.scrambled;
    counter.scrambled = counter.scrambled || scrambled;
    counter.clear = counter.clear || (!scrambled && readable);
    if (!told && counter.clear && counter.scrambled) {
        fault(place, "stream " + std::to_string(pid) + " is scrambled in parts");
    }
}

bool MpegtsScan::is_scrambled(std::int64_t id) const {
    const auto found = counters_.find(static_cast<std::uint32_t>(id));
    return found != counters_.end() && found->second.scrambled && !found->second.clear && !found->second.opened;
}

void MpegtsScan::count(std::uint32_t pid, Bytes payload) {
    const std::uint64_t start = big_endian(payload, 0, 4);
    if (start >> 8 != 1) {
        return;
    }
    const std::uint64_t stream = start & 0xFF;
    using Kind = TrackEvidence::Kind;
    const Kind kind = stream >= 0xE0 && stream <= 0xEF   ? Kind::video
                      : stream >= 0xC0 && stream <= 0xDF ? Kind::audio
                                                         : Kind::other;
    if (TrackEvidence* const to = track_of(kind, pid)) {
        to->counts_empty = false;  // PES packets, of which one may hold several of the stream's
        ++to->found;
    }
}

void MpegtsScan::end(std::int64_t size) {
    if (!began_) {
        fault(0, "no packets");
    } else if (size_ == 192 && here() > size + 4) {
        fault(size, "the file ends inside of a packet");
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_mpegts_scan() {
    return std::make_unique<MpegtsScan>();
}

}  // namespace vfilter
