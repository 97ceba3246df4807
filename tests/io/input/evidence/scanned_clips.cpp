#include "tests/io/input/evidence/scanned_clips.h"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <random>
#include <span>

namespace vfilter::test {

namespace {

constexpr std::string_view video = "-f lavfi -i testsrc2=size=160x120:rate=25:duration=2 ";
constexpr std::string_view both = "-f lavfi -i testsrc2=size=160x120:rate=25:duration=2 -f lavfi -i sine=duration=2 ";
constexpr std::string_view h264 = "-c:v libx264 -preset ultrafast -g 5 -bf 2 -pix_fmt yuv420p -c:a aac ";

}  // namespace

std::vector<Clip> container_clips() {
    const std::string avc(h264);
    const std::string vp8 = "-c:v libvpx -deadline realtime -cpu-used 8 -g 10 -c:a libopus ";
    return {
        {"plain.mp4", mp4, both, avc, true},
        {"faststart.mp4", mp4, both, avc + "-movflags faststart", true},
        {"fragments.mp4", mp4, both, avc + "-movflags frag_keyframe+empty_moov+default_base_moof"},
        {"dash.mp4", mp4, video, avc + "-movflags frag_keyframe+dash+global_sidx"},
        {"separate.mp4", mp4, both, avc + "-movflags frag_keyframe+separate_moof"},
        {"piped.mp4", mp4, both, avc + "-movflags frag_keyframe+empty_moov -f mp4 pipe:1 >"},
        {"pcm.mov", mp4, both, avc + "-c:a pcm_s16le -timecode 01:00:00:00", true},
        {"plain.mkv", matroska, both, avc},
        {"live.mkv", matroska, both, avc + "-live 1"},
        {"small.mkv", matroska, both, avc + "-cluster_time_limit 300 -write_crc32 0"},
        {"front.mkv", matroska, both, avc + "-cues_to_front 1 -reserve_index_space 10000"},
        {"piped.webm", matroska, both, vp8 + "-f webm pipe:1 >"},
        {"plain.avi", "avi", both, "-c:v mpeg4 -c:a mp3", true},
        {"delayed.avi", "avi", both, "-c:v mpeg4 -bf 2 -c:a pcm_s16le", true},
        {"piped.avi", "avi", both, "-c:v mpeg4 -c:a mp3 -f avi pipe:1 >"},
        {"plain.ogv", "ogg", both, "-c:v libtheora -c:a libvorbis"},
        {"plain.flv", "flv", both, avc},
        {"piped.flv", "flv", both, "-c:v flv1 -c:a mp3 -ar 44100 -f flv pipe:1 >"},
        {"plain.ts", "mpegts", both, avc},
        {"constant.ts", "mpegts", both, avc + "-muxrate 3000000"},
        {"blue.m2ts", "mpegts", both, avc + "-mpegts_m2ts_mode 1"},
        {"plain.nut", "nut", both, avc},
        {"piped.nut", "nut", both, "-c:v ffv1 -level 3 -c:a pcm_s16le -f nut pipe:1 >"},
        {"raw.nut", "nut", both, "-c:v rawvideo -pix_fmt yuv420p -c:a pcm_s16le"},
        {"plain.gif", "gif", video, "-r 10"},
        {"plain.y4m", "yuv4mpegpipe", video, "-pix_fmt yuv420p -vf crop=81:61 -t 1"},
        {"deep.y4m", "yuv4mpegpipe", video, "-pix_fmt yuv422p10 -strict -1 -t 1"},
        {"plain.ivf", "ivf", video, vp8, true},
        {"plain.wmv", "asf", both, "-c:v wmv2 -c:a wmav2"},
        {"plain.rm", "rm", both, "-c:v rv20 -g 10 -c:a ac3"},
        {"plain.mpg", "mpeg", both, "-c:v mpeg2video -g 5 -b:v 2M -c:a mp2"},
        {"plain.dv", "dv", "-f lavfi -i testsrc2=size=720x576:rate=25:duration=0.4 ", "-c:v dvvideo -pix_fmt yuv420p"},
        {"fifty.dv", "dv", "-f lavfi -i testsrc2=size=720x480:rate=30000/1001:duration=0.2 ",
         "-c:v dvvideo -pix_fmt yuv422p"},
        {"plain.apng", "apng", video, "-r 10 -f apng", true},
        {"plain.mxf", "mxf", both, "-c:v mpeg2video -g 5 -bf 2 -c:a pcm_s16le -ar 48000", true},
        {"atom.mxf", "mxf", video, "-s 256x120 -c:v dnxhd -profile:v dnxhr_lb -pix_fmt yuv422p -f mxf_opatom", true},
    };
}

File bytes_of(const std::string& path) {
    std::ifstream stream(path, std::ios::binary);
    return {std::istreambuf_iterator<char>(stream), {}};
}

const TrackEvidence* ScanResult::picture() const {
    const auto found = std::ranges::find(tracks, TrackEvidence::Kind::video, &TrackEvidence::kind);
    return found == tracks.end() ? nullptr : &*found;
}

bool ScanResult::damaged() const {
    return !faults.empty() || std::ranges::any_of(tracks, [](const TrackEvidence& track) {
        return track.promised && *track.promised != track.found;
    });
}

std::ostream& operator<<(std::ostream& stream, const ScanResult& result) {
    for (const ContainerFault& fault : result.faults) {
        stream << fault.offset << ": " << fault.what << '\n';
    }
    for (const TrackEvidence& track : result.tracks) {
        stream << track.id << ": " << track.found << " of " << track.promised.value_or(-1) << ' ' << track.source
               << '\n';
    }
    return stream;
}

ScanResult scan(const File& file, std::string_view demuxer, std::size_t largest, bool gaps) {
    ScanFeeder feeder(make_container_scan(demuxer));
    std::minstd_rand random(5);
    for (std::size_t at = 0; at < file.size();) {
        const std::size_t size = std::min<std::size_t>(file.size() - at, 1 + random() % largest);
        if (!gaps || random() % 8 != 0) {
            feeder.feed(static_cast<std::int64_t>(at), std::span(file).subspan(at, size));
        }
        at += size;
    }
    feeder.finish(static_cast<std::int64_t>(file.size()), [&](std::int64_t offset, std::span<std::uint8_t> to) {
        const std::size_t from = std::min(static_cast<std::size_t>(offset), file.size());
        const std::size_t size = std::min(to.size(), file.size() - from);
        std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(from), size, to.begin());
        return size;
    });
    return {feeder.scan().faults(), feeder.scan().tracks(), feeder.complete()};
}

ScanResult scan(const File& file, const Clip& clip) {
    return scan(file, clip.demuxer);
}

std::vector<std::size_t> places_of(const File& file, std::string_view mark) {
    std::vector<std::size_t> places;
    for (auto at = file.begin();
         (at = std::search(at, file.end(), mark.begin(), mark.end(),
                           [](std::uint8_t byte, char letter) { return byte == static_cast<std::uint8_t>(letter); })) !=
         file.end();
         ++at) {
        places.push_back(static_cast<std::size_t>(at - file.begin()));
    }
    return places;
}

}  // namespace vfilter::test
