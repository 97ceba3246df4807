// IVF: a header, then frames that each say their size.

#include "io/bitstream/bytes.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

namespace vfilter {

namespace {

constexpr std::size_t file_header = 32;
constexpr std::size_t frame_header = 12;

class IvfScan final : public SteppingScan<IvfScan> {
public:
    IvfScan() : SteppingScan(&IvfScan::frame, frame_header) {
        add_track(TrackEvidence::Kind::video, 0);
        ask(0, file_header, &IvfScan::beginning);
    }
    void end(std::int64_t size) override;

private:
    void beginning(Bytes bytes);
    void frame(Bytes bytes);
    void stop_inside_header() {
        fault(here(), "the file ends inside of a header");
        stop();
    }

    std::int64_t told_ = 0;
    std::uint64_t last_stamp_ = 0;
    bool counted_ = true;  // timestamps are the numbers of the frames
};

void IvfScan::beginning(Bytes bytes) {
    if (is_short(bytes)) {
        return stop_inside_header();
    }
    told_ = signed_value(little_endian(bytes, 24, 4));
    move_to(signed_value(std::max<std::uint64_t>(little_endian(bytes, 6, 2), file_header)));
}

void IvfScan::frame(Bytes bytes) {
    if (is_short(bytes)) {
        return stop_inside_header();
    }
    TrackEvidence& video = evidence().front();
    const std::uint64_t stamp = little_endian(bytes, 4, 8);
    if (video.found > 0 && stamp < last_stamp_) {
        fault(here(), "a frame's time is out of order");
    }
    counted_ = counted_ && (video.found == 0 || stamp == last_stamp_ + 1);
    last_stamp_ = stamp;
    ++video.found;
    move_to(here() + signed_value(frame_header + little_endian(bytes, 0, 4)));
}

void IvfScan::end(std::int64_t size) {
    TrackEvidence& video = evidence().front();
    if (here() > size) {
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
