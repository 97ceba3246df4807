// YUV4MPEG2: one line of header, then frames of one size, each after a line of its own.

#include <charconv>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

namespace vfilter {

namespace {

constexpr std::size_t max_line = 1024;
constexpr std::size_t max_frame_line = 128;

struct Layout {
    std::string_view name;
    int columns_shift;  // of chroma; -1: there is none
    int rows_shift;
    int alpha;
};

constexpr Layout layouts[] = {{"420jpeg", 1, 1, 0}, {"420mpeg2", 1, 1, 0}, {"420paldv", 1, 1, 0},
                              {"420", 1, 1, 0},     {"422", 1, 0, 0},      {"444alpha", 0, 0, 1},
                              {"444", 0, 0, 0},     {"411", 2, 0, 0},      {"mono", -1, 0, 0}};

std::int64_t number_in(std::string_view digits) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(digits.data(), digits.data() + digits.size(), value);
    return error == std::errc() && end == digits.data() + digits.size() && value > 0 && value <= 65536 ? value : 0;
}

// Bytes of a frame; 0 where the header cannot be understood.
std::int64_t frame_size(std::string_view line) {
    std::int64_t width = 0;
    std::int64_t height = 0;
    std::string_view colours = "420jpeg";
    while (!line.empty()) {
        const std::size_t end = std::min(line.find(' '), line.size());
        const std::string_view word = line.substr(0, end);
        line.remove_prefix(std::min(end + 1, line.size()));
        if (word.starts_with('W')) {
            width = number_in(word.substr(1));
        } else if (word.starts_with('H')) {
            height = number_in(word.substr(1));
        } else if (word.starts_with('C')) {
            colours = word.substr(1);
        }
    }
    for (const Layout& layout : layouts) {
        if (!colours.starts_with(layout.name)) {
            continue;
        }
        std::string_view depth = colours.substr(layout.name.size());
        const bool deep = !depth.empty();
        if (deep && layout.name != "mono") {
            if (!depth.starts_with('p')) {
                continue;
            }
            depth.remove_prefix(1);
        }
        if (deep && (number_in(depth) < 9 || number_in(depth) > 16)) {
            continue;
        }
        const auto halved = [](std::int64_t length, int shift) { return (length + (1 << shift) - 1) >> shift; };
        const std::int64_t chroma =
            layout.columns_shift < 0 ? 0 : 2 * halved(width, layout.columns_shift) * halved(height, layout.rows_shift);
        return (width * height * (1 + layout.alpha) + chroma) * (deep ? 2 : 1);
    }
    return 0;
}

class Y4mScan final : public SteppingScan<Y4mScan> {
public:
    Y4mScan() : SteppingScan(&Y4mScan::frame, max_frame_line) {
        add_track(TrackEvidence::Kind::video, 0);
        ask(0, max_line, &Y4mScan::header);
    }
    void end(std::int64_t size) override;

private:
    void header(Bytes bytes);
    void frame(Bytes bytes);

    std::int64_t frame_ = 0;  // bytes
};

std::string_view line_in(Bytes bytes) {
    return text(bytes).substr(0, text(bytes).find('\n'));
}

void Y4mScan::header(Bytes bytes) {
    const std::string_view line = line_in(bytes);
    frame_ = line.size() < bytes.size() ? frame_size(line) : 0;
    frame_ == 0 ? stop() : move_to(signed_value(line.size()) + 1);
}

void Y4mScan::frame(Bytes bytes) {
    const std::string_view line = line_in(bytes);
    if (!line.starts_with("FRAME") || line.size() == bytes.size()) {
        fault(here(), is_short(bytes) && std::string_view("FRAME").starts_with(line.substr(0, 5))
                          ? "the file ends inside of a frame"
                          : "no frame where one should begin");
        return stop();
    }
    ++evidence().front().found;
    move_to(here() + signed_value(line.size()) + 1 + frame_);
}

void Y4mScan::end(std::int64_t size) {
    if (frame_ > 0 && here() > size) {
        fault(size, "the file ends inside of a frame");
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_y4m_scan() {
    return std::make_unique<Y4mScan>();
}

}  // namespace vfilter
