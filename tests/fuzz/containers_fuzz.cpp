// The scans of containers: whatever the bytes are, a scan ends, and it sees the same however they are given to it.

#include "io/input/evidence/container_scan.h"
#include "tests/fuzz/fuzz.h"

namespace vfilter::fuzz {

namespace {

constexpr const char* demuxers[] = {"mov,mp4,m4a,3gp,3g2,mj2",
                                    "matroska,webm",
                                    "avi",
                                    "ogg",
                                    "flv",
                                    "mpegts",
                                    "gif",
                                    "yuv4mpegpipe",
                                    "ivf",
                                    "asf",
                                    "nut",
                                    "apng",
                                    "dv",
                                    "mxf",
                                    "tiff_pipe",
                                    "jpeg_pipe",
                                    "mpeg",
                                    "rm"};

// What it tells. `step`: bytes that are given at once; 0 for none, so that the scan asks for all of them.
std::string told(const char* demuxer, std::span<const std::uint8_t> file, std::size_t step) {
    ScanFeeder feeder(make_container_scan(demuxer));
    for (std::size_t at = 0; step > 0 && at < file.size(); at += step) {
        feeder.feed(static_cast<std::int64_t>(at), file.subspan(at, std::min(step, file.size() - at)));
    }
    feeder.finish(static_cast<std::int64_t>(file.size()), [&](std::int64_t offset, std::span<std::uint8_t> to) {
        const auto at = std::min(static_cast<std::size_t>(offset), file.size());
        const std::size_t count = std::min(to.size(), file.size() - at);
        std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(at), count, to.begin());
        return count;
    });
    std::string text = fmt::format("{} {}", feeder.complete(), feeder.scan().fault_count());
    for (const ContainerFault& fault : feeder.scan().faults()) {
        text += fmt::format("; {} at {}", fault.what, fault.offset);
    }
    for (const TrackEvidence& track : feeder.scan().tracks()) {
        text += fmt::format("; {} {}: {} of {} by {}, {} s", static_cast<int>(track.kind), track.id, track.found,
                            track.promised.value_or(-1), track.source, track.seconds.value_or(-1));
    }
    return text;
}

}  // namespace

}  // namespace vfilter::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace vfilter::fuzz;
    Reader reader(data, size);
    const char* const demuxer = demuxers[reader.byte() % std::size(demuxers)];
    const std::size_t step = 1 + reader.byte();
    const std::span<const std::uint8_t> file = reader.rest();
    const std::string asked = told(demuxer, file, 0);
    const std::string given = told(demuxer, file, step);
    demand(asked == given, fmt::format("{}, asked for:\n{}\nand in steps of {}:\n{}", demuxer, asked, step, given));
    return 0;
}
