// APNG: the chunks of a PNG, of which those of the animation are numbered.

#include "io/bitstream/bytes.h"
#include "io/input/evidence/behind_end.h"
#include "io/input/evidence/scans.h"

namespace vfilter {

namespace {

constexpr std::string_view png_signature = "\x89PNG";
constexpr std::size_t signature_size = 8;
constexpr std::size_t chunk_header = 8;
constexpr std::size_t chunk_size = 12;   // of one without data: a header, and the CRC
constexpr std::size_t chunk_begin = 16;  // with the first 8 bytes of its data

class ApngScan final : public ContainerScan {
public:
    ApngScan() { add_track(TrackEvidence::Kind::video, 0); }
    [[nodiscard]] Wish wish() const override { return {at_, want_}; }
    void take(Bytes bytes) override;
    void end(std::int64_t size) override;

private:
    void look_at_number(std::uint64_t number);
    void look_at_chunk(std::uint32_t type, Bytes data);
    void look_behind(Bytes bytes);

    std::int64_t at_ = signature_size;
    std::size_t want_ = chunk_begin;
    std::uint64_t next_number_ = 0;
    bool ended_ = false;
    BehindEnd behind_;
};

// Frames and further parts of their data are counted together.
void ApngScan::look_at_number(std::uint64_t number) {
    if (number != next_number_) {
        fault(at_, "chunks of the animation are missing before this one,");
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

void ApngScan::look_behind(Bytes bytes) {
    if (at_ == behind_.at() && text(bytes).starts_with(png_signature)) {
        fault(at_, another_file);
        want_ = 0;
        return;
    }
    want_ = behind_.read(at_, bytes) && bytes.size() == want_ ? search_window : 0;
    at_ += signed_value(bytes.size());
}

void ApngScan::take(Bytes bytes) {
    if (ended_) {
        return look_behind(bytes);
    }
    const auto type = static_cast<std::uint32_t>(big_endian(bytes, 4, 4));
    if (bytes.size() < chunk_size || !printable(type)) {
        if (bytes.size() >= chunk_size) {
            fault(at_, "no chunk where one should begin");
            ended_ = true;
        }
        want_ = 0;
        return;
    }
    look_at_chunk(type, part(bytes, chunk_header));
    at_ += signed_value(chunk_size + big_endian(bytes, 0, 4));
    if (ended_) {
        behind_.begin(at_);
        want_ = search_window;
    }
}

void ApngScan::end(std::int64_t size) {
    if (!ended_ || at_ > size) {
        fault(size, "the file ends before its last chunk");
    }
    if (behind_.matters()) {
        fault(behind_.at(), unread_behind);
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_apng_scan() {
    return std::make_unique<ApngScan>();
}

}  // namespace vfilter
