// FLV: tags, each followed by its size.

#include <bit>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/clock_watch.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

namespace vfilter {

namespace {

constexpr std::size_t least_beginning = 9;  // of the file
constexpr std::size_t flv_header_room =
    4 + 11 + 6;  // the size before, a tag's header, and what its payload begins with
constexpr std::size_t max_script = 1 << 20;
constexpr double max_outlier = 30;  // seconds
constexpr std::int64_t video_tag = 9;
constexpr std::int64_t audio_tag = 8;
constexpr std::int64_t script_tag = 18;

class FlvScan final : public SteppingScan<FlvScan> {
public:
    FlvScan() : SteppingScan(&FlvScan::tag, flv_header_room) { ask(0, least_beginning, &FlvScan::beginning); }
    void end(std::int64_t size) override;

private:
    void beginning(Bytes bytes) {
        move_to(std::max(signed_value(least_beginning), signed_value(big_endian(bytes, 5, 4))));
    }
    void tag(Bytes bytes);
    void script(Bytes bytes);
    void search(Bytes bytes);
    void count(std::int64_t type, Bytes payload);

    std::uint64_t previous_ = 0;  // what the size before the next tag should be
    bool check_previous_ = false;
    std::int64_t right_sizes_ = 0;
    std::vector<std::int64_t> wrong_sizes_;
    bool scripted_ = false;
    std::optional<std::uint8_t> video_codec_, audio_codec_;  // of the first tag
    std::vector<std::int64_t> strange_codecs_;               // tags of another one
    std::optional<double> duration_;
    ClockWatch video_clock_{max_outlier}, audio_clock_{max_outlier};
};

void FlvScan::tag(Bytes bytes) {
    if (check_previous_ && bytes.size() >= 4) {
        if (big_endian(bytes, 0, 4) == previous_) {
            ++right_sizes_;
        } else if (wrong_sizes_.size() < 4096) {
            wrong_sizes_.push_back(here());
        }
    }
    if (bytes.size() < 4 + 11) {
        if (bytes.size() != 4 && !all_zero(bytes)) {
            fault(here(), "the file ends inside of a tag");
        }
        return stop();
    }
    const std::int64_t type = bytes[4] & 0x1F;
    const std::uint64_t size = big_endian(bytes, 5, 3);
    if ((type != video_tag && type != audio_tag && type != script_tag) || (bytes[4] & 0xC0) != 0) {
        fault(here() + 4, "unknown tag " + std::to_string(bytes[4]));
        return ask(here() + 1, search_window, &FlvScan::search);
    }
    const double seconds = 0.001 * static_cast<double>(big_endian(bytes, 8, 3) | std::uint64_t{bytes[11]} << 24);
    ClockWatch& clock = type == video_tag ? video_clock_ : audio_clock_;
    if (type != script_tag && size > 0 && clock.jumped(seconds, here())) {
        fault(clock.where(), "a tag's time is out of order");
    }
    count(type, part(bytes, 15, static_cast<std::size_t>(size)));
    previous_ = 11 + size;
    check_previous_ = true;
    if (type == script_tag && !scripted_ && size > 0 && size <= max_script) {
        scripted_ = true;
        return ask(here() + 15, static_cast<std::size_t>(size), &FlvScan::script);
    }
    move_to(here() + 15 + signed_value(size));
}

// Headers of a codec, and commands, are no pictures.
void FlvScan::count(std::int64_t type, Bytes payload) {
    if (type == script_tag || payload.empty()) {
        return;
    }
    bool counts = true;
    if (type == audio_tag) {
        counts = (payload[0] >> 4) != 10 || big_endian(payload, 1, 1) != 0;
    } else if ((payload[0] & 0x80) != 0) {
        const int kind = payload[0] & 0x0F;
        counts = kind == 1 || kind == 3;
    } else {
        const int codec = payload[0] & 0x0F;
        counts = (payload[0] >> 4) != 5 && ((codec != 7 && codec != 12) || big_endian(payload, 1, 1) == 1);
    }
    const auto codec = static_cast<std::uint8_t>(type == audio_tag          ? payload[0] >> 4
                                                 : (payload[0] & 0x80) != 0 ? 0x80
                                                                            : payload[0] & 0x0F);
    std::optional<std::uint8_t>& usual = type == video_tag ? video_codec_ : audio_codec_;
    usual = usual.value_or(codec);
    if (*usual != codec && strange_codecs_.size() < 4096) {
        strange_codecs_.push_back(here());
    }
    using Kind = TrackEvidence::Kind;
    if (TrackEvidence* const to = track_of(type == video_tag ? Kind::video : Kind::audio, type)) {
        to->found += counts ? 1 : 0;
    }
}

void FlvScan::script(Bytes bytes) {
    if (is_short(bytes)) {
        return stop_at(here() + signed_value(wanted()));
    }
    // A key of an object: its length, its name, the type of a number, and that.
    constexpr std::string_view key(
        "\0\x08"
        "duration\0",
        11);
    const std::size_t found = text(bytes).find(key);
    if (found != std::string_view::npos && bytes.size() - found >= key.size() + 8) {
        const auto seconds = std::bit_cast<double>(big_endian(bytes, found + key.size(), 8));
        if (seconds > 0 && seconds < 1e9) {
            duration_ = seconds;
        }
    }
    move_to(here() + signed_value(bytes.size()));
}

// The next place where a tag and the size after the one before could be.
void FlvScan::search(Bytes bytes) {
    for (std::size_t i = 0; i + flv_header_room <= bytes.size(); ++i) {
        const std::uint8_t type = bytes[i + 4];
        const std::uint64_t before = big_endian(bytes, i, 4);
        if ((type == video_tag || type == audio_tag) && bytes[i] == 0 && before >= 11 &&
            big_endian(bytes, i + 12, 3) == 0 && big_endian(bytes, i + 5, 3) > 0 && bytes[i + 5] < 0x40) {
            check_previous_ = false;
            return move_to(here() + signed_value(i));
        }
    }
    search_on(bytes, flv_header_room - 1);
}

void FlvScan::end(std::int64_t size) {
    if (here() > size) {
        fault(size, "the file ends inside of a tag");
    }
    // Some writers get all of them wrong.
    fault_rare(wrong_sizes_, right_sizes_ / 10, "a tag's size is told differently behind it");
    // A stream may change its codec, but not for a tag or two.
    fault_rare(strange_codecs_, right_sizes_ / 20, "a tag of another codec");
    // Of several tracks nobody knows which one is meant.
    if (tracks().size() == 1) {
        evidence().front().seconds = duration_;
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_flv_scan() {
    return std::make_unique<FlvScan>();
}

}  // namespace vfilter
