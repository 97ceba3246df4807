// APNG: the chunks of a PNG, of which those of the animation are numbered.

#include "io/bitstream/bytes.h"
#include "io/input/evidence/behind_end.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

namespace vfilter {

namespace {

constexpr std::string_view png_signature = "\x89PNG";
constexpr std::size_t signature_size = 8;
constexpr std::size_t chunk_header = 8;
constexpr std::size_t chunk_size = 12;   // of one without data: a header, and the CRC
constexpr std::size_t chunk_begin = 16;  // with the first 8 bytes of its data

class ApngScan final : public SteppingScan<ApngScan> {
public:
    ApngScan() : SteppingScan(&ApngScan::chunk, chunk_begin) {
        add_track(TrackEvidence::Kind::video, 0);
        move_to(signature_size);
    }
    void end(std::int64_t size) override;

private:
    void chunk(Bytes bytes);
    void behind(Bytes bytes);
    void look_at_number(std::uint64_t number);
    void look_at_chunk(std::uint32_t type, Bytes data);

    std::uint64_t next_number_ = 0;
    bool ended_ = false;
    BehindEnd behind_;
};

// Frames and further parts of their data are counted together.
void ApngScan::look_at_number(std::uint64_t number) {
    if (number != next_number_) {
        fault(here(), "chunks of the animation are missing before this one,");
    }
    next_number_ = number + 1;
}

void ApngScan::look_at_chunk(std::uint32_t type, Bytes data) {
    TrackEvidence& video = evidence().front();
    switch (type) {
        case mark("acTL"):
            video.promised = signed_value(big_endian(data, 0, 4));
            video.source = "acTL chunk";
            play(signed_value(big_endian(data, 4, 4)));
            break;
        case mark("fcTL"):
            ++video.found;
            look_at_number(big_endian(data, 0, 4));
            break;
        case mark("fdAT"):
            look_at_number(big_endian(data, 0, 4));
            break;
        case mark("IEND"):
            ended_ = true;
            break;
        default:
            break;
    }
}

void ApngScan::behind(Bytes bytes) {
    if (here() == behind_.at() && text(bytes).starts_with(png_signature)) {
        fault(here(), another_file);
        return stop();
    }
    look_behind(behind_, bytes);
}

void ApngScan::chunk(Bytes bytes) {
    const auto type = static_cast<std::uint32_t>(big_endian(bytes, 4, 4));
    if (bytes.size() < chunk_size || !printable(type)) {
        if (bytes.size() >= chunk_size) {
            fault(here(), "no chunk where one should begin");
            ended_ = true;
        }
        return stop();
    }
    look_at_chunk(type, part(bytes, chunk_header));
    move_to(here() + signed_value(chunk_size + big_endian(bytes, 0, 4)));
    if (ended_) {
        behind_.begin(here());
        ask(here(), search_window, &ApngScan::behind);
    }
}

void ApngScan::end(std::int64_t size) {
    if (!ended_ || here() > size) {
        fault(size, "the file ends before its last chunk");
    }
    fault_behind(behind_, unread_behind);
}

}  // namespace

std::unique_ptr<ContainerScan> make_apng_scan() {
    return std::make_unique<ApngScan>();
}

}  // namespace vfilter
