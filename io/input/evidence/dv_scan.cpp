// DV: pictures of ten or twelve sequences of 150 blocks each (IEC 61834-2), twice or four times that for DV50 and
// DV100.

#include "io/bitstream/bytes.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

namespace vfilter {

namespace {

constexpr std::int64_t sequence_size = 150 * 80;
constexpr std::size_t sequence_header = 4;

class DvScan final : public SteppingScan<DvScan> {
public:
    DvScan() : SteppingScan(&DvScan::sequence, sequence_header) {
        add_track(TrackEvidence::Kind::video, 0)->counts_empty = false;
    }
    void end(std::int64_t size) override;

private:
    void sequence(Bytes bytes);

    std::uint64_t channel_ = 0;    // the one that a picture begins with
    std::int64_t in_picture_ = 0;  // sequences that have begun
    std::int64_t of_picture_ = 0;  // that the first one has; 0 before the second
    std::int64_t system_ = 12;     // sequences of a channel: 10 where there are 60 fields a second
};

void DvScan::sequence(Bytes bytes) {
    if (is_short(bytes)) {
        return stop();
    }
    TrackEvidence& video = evidence().front();
    const std::uint64_t number = big_endian(bytes, 1, 1) >> 4;
    const std::uint64_t channel = big_endian(bytes, 1, 1) & 0x0C;  // the others are reserved
    const std::int64_t of_system = (big_endian(bytes, 3, 1) & 0x80) != 0 ? 12 : 10;
    const bool header = (big_endian(bytes, 0, 1) & 0xE0) == 0;
    if (video.found == 0) {
        channel_ = channel;
    }
    const bool begins = header && number == 0 && channel == channel_;
    if (begins && video.found == 1) {
        of_picture_ = in_picture_;
    }
    const bool due = video.found == 0 || in_picture_ == of_picture_;
    if (begins && due) {
        of_picture_ = of_picture_ / system_ * of_system;  // pictures of another system may follow
        system_ = of_system;
    }
    if (!header || (of_picture_ > 0 && begins != due)) {
        fault(here(), "no picture's sequence where one should begin");
        return stop();
    }
    video.found += begins ? 1 : 0;
    in_picture_ = begins ? 1 : in_picture_ + 1;
    move_to(here() + sequence_size);
}

void DvScan::end(std::int64_t size) {
    const bool short_of = of_picture_ > 0 && in_picture_ != of_picture_;
    if (fault_count() > 0 && of_picture_ > 0 && size > here()) {
        // As many as there is room for, whatever became of them.
        TrackEvidence& video = evidence().front();
        const std::int64_t picture = of_picture_ * sequence_size;
        const std::int64_t begun = short_of ? 1 : 0;
        const std::int64_t rest = size - here() + begun * in_picture_ * sequence_size;
        video.promised = video.found - begun + (rest + picture / 2) / picture;
        video.source = "size";
    }
    if (fault_count() == 0 && (here() > size || short_of)) {
        fault(size, "the file ends inside of a picture");
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_dv_scan() {
    return std::make_unique<DvScan>();
}

}  // namespace vfilter
