// IVF: a header, then frames that each say their size.

#include "io/bitstream/bytes.h"
#include "io/input/evidence/scans.h"

namespace vfilter {

namespace {

constexpr std::size_t frame_header = 12;

class IvfScan final : public ContainerScan {
public:
    IvfScan() { add_track(TrackEvidence::Kind::video, 0); }
    [[nodiscard]] Wish wish() const override { return {at_, want_}; }
    void take(Bytes bytes) override;
    void end(std::int64_t size) override;

private:
    std::int64_t at_ = 0;
    std::size_t want_ = 32;
    std::int64_t told_ = 0;
    std::uint64_t last_stamp_ = 0;
    bool counted_ = true;  // timestamps are the numbers of the frames
};

void IvfScan::take(Bytes bytes) {
    TrackEvidence& video = evidence().front();
    if (bytes.size() < want_) {
        fault(at_, "the file ends inside of a header");
        want_ = 0;
        return;
    }
    if (at_ == 0) {
        told_ = signed_value(little_endian(bytes, 24, 4));
        at_ = signed_value(std::max<std::uint64_t>(little_endian(bytes, 6, 2), 32));
        want_ = frame_header;
        return;
    }
    const std::uint64_t stamp = little_endian(bytes, 4, 8);
    if (video.found > 0 && stamp < last_stamp_) {
        fault(at_, "a frame's time is out of order");
    }
    counted_ = counted_ && (video.found == 0 || stamp == last_stamp_ + 1);
    last_stamp_ = stamp;
    ++video.found;
    at_ += signed_value(frame_header + little_endian(bytes, 0, 4));
}

void IvfScan::end(std::int64_t size) {
    TrackEvidence& video = evidence().front();
    if (at_ > size) {
        fault(size, "the file ends inside of a frame");
    }
    // Some write the number of frames there, FFmpeg the duration: where a frame is one tick both are the same.
    if (counted_ && video.found > 1 && told_ > 0 && told_ != UINT32_MAX) {
        video.promised = told_;
        video.source = "stream header";
    }
}

}  // namespace

std::unique_ptr<ContainerScan> make_ivf_scan() {
    return std::make_unique<IvfScan>();
}

}  // namespace vfilter
