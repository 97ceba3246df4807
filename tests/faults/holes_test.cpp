// Faults 34 to 36: pictures that are missing from a video whose sound is whole.

#include <algorithm>
#include <regex>
#include <sstream>
#include <string_view>
#include <vector>

#include "tests/support/faults.h"

namespace vfilter::test {

namespace {

struct Kind {
    const char* container;
    const char* codec;    // "h264"
    const char* encoder;  // ffmpeg's, with its options
    const char* sound;
};

constexpr const char* h264 = "libx264 -preset veryfast -bf 3 -g 20";
constexpr const char* hevc = "libx265 -preset ultrafast -x265-params log-level=none:keyint=20:min-keyint=20";
// A negative speed is the same on each machine.
constexpr const char* vp8 = "libvpx -deadline realtime -cpu-used -8 -g 20 -b:v 1M";
constexpr const char* vp9 = "libvpx-vp9 -deadline realtime -cpu-used 8 -g 20 -b:v 1M";
constexpr const char* theora = "libtheora -q:v 6 -g 20";
constexpr const char* mpeg4 = "mpeg4 -q:v 3 -g 20";
constexpr const char* mpeg2 = "mpeg2video -q:v 3 -g 20 -bf 2";
constexpr const char* mjpeg = "mjpeg -q:v 3 -pix_fmt yuvj420p";

constexpr Kind kinds[] = {
    {"mkv", "h264", h264, "aac"},
    {"mkv", "hevc", hevc, "aac"},
    {"mkv", "mpeg4", mpeg4, "aac"},
    {"mkv", "mpeg2", mpeg2, "mp2"},
    {"mkv", "vp8", vp8, "libvorbis"},
    {"mkv", "vp9", vp9, "libopus"},
    {"mkv", "theora", theora, "aac"},
    {"mkv", "mjpeg", mjpeg, "pcm_s16le"},
    {"mp4", "h264", h264, "aac"},
    {"mp4", "hevc", hevc, "aac"},
    {"mp4", "mpeg4", mpeg4, "aac"},
    {"mp4", "mpeg2", mpeg2, "aac"},
    {"mp4", "vp9", vp9, "aac"},
    {"mov", "mjpeg", mjpeg, "aac"},
    {"ts", "h264", h264, "aac"},
    {"ts", "hevc", hevc, "aac"},
    {"ts", "mpeg4", mpeg4, "mp2"},
    {"ts", "mpeg2", mpeg2, "mp2"},
    {"avi", "h264", "libx264 -preset veryfast -bf 0 -g 20", "mp2"},
    {"avi", "mpeg4", mpeg4, "mp2"},
    {"avi", "mpeg2", "mpeg2video -q:v 3 -g 20", "mp2"},
    {"avi", "mjpeg", mjpeg, "pcm_s16le"},
    {"avi", "vp8", vp8, "mp2"},
    {"ogg", "theora", theora, "libvorbis"},
    {"ogg", "vp8", vp8, "libvorbis"},
    {"flv", "h264", h264, "aac"},
    {"flv", "flv1", "flv -q:v 3 -g 20", "libmp3lame"},
    {"webm", "vp8", vp8, "libvorbis"},
    {"webm", "vp9", vp9, "libopus"},
};

// The first kind with each container, or with each codec but for those whose pictures are all key frames.
std::vector<Kind> first_of_each(const char* Kind::*part) {
    std::vector<Kind> list;
    for (const Kind& kind : kinds) {
        const auto same = [&](const Kind& other) { return std::string_view(other.*part) == kind.*part; };
        if (std::ranges::none_of(list, same) && (part != &Kind::codec || std::string_view(kind.codec) != "mjpeg")) {
            list.push_back(kind);
        }
    }
    return list;
}

class Holes : public Faults, public testing::WithParamInterface<Kind> {
protected:
    struct Place {
        std::size_t offset;
        std::size_t size;
    };
    static constexpr int pictures = 100;
    static constexpr std::size_t ts_packet = 188;

    [[nodiscard]] static bool quicktime() {
        return std::string(GetParam().container) == "mp4" || std::string(GetParam().container) == "mov";
    }
    [[nodiscard]] static bool transport() { return std::string(GetParam().container) == "ts"; }
    [[nodiscard]] static std::string name() { return fmt::format("clip.{}", GetParam().container); }

    void make() const {
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=192x144:r=25:d=4 -f lavfi -i sine=r=48000:d=4 -vf "
                        "noise=alls=20:allf=t:all_seed=3 -pix_fmt yuv420p -c:v {} -c:a {} {} {}",
                        GetParam().encoder, GetParam().sound, quicktime() ? "-movflags faststart" : "", name()));
    }
    // Where the packets of the video lie.
    [[nodiscard]] std::vector<Place> places() const {
        std::vector<Place> list;
        for (const std::string& line : lines_of(
                 run("ffprobe -v error -select_streams V -show_entries packet=pos,size -of csv=p=0 " + name()).out)) {
            std::istringstream text(line);
            Place place{};
            char comma = 0;
            if (text >> place.size >> comma >> place.offset) {
                list.push_back(place);
            }
        }
        return list;
    }
    // The bytes of a few pictures in the middle and of no sound.
    [[nodiscard]] std::vector<Place> middle() const {
        const std::vector<Place> all = places();
        std::vector<Place> some;
        if (transport()) {
            const std::string bytes = content(name());
            const auto pid = [&](std::size_t at) { return bytes.substr(at + 1, 2)[1] + 256 * (bytes[at + 1] & 0x1f); };
            const std::size_t from = all.at(all.size() / 2).offset;
            for (std::size_t at = from; at < all.at(all.size() / 2 + 5).offset; at += ts_packet) {
                if (pid(at) == pid(from)) {
                    some.push_back({at, ts_packet});
                }
            }
            return some;
        }
        for (std::size_t i = all.size() / 2; i < all.size() / 2 + 5; ++i) {
            some.push_back(all[i]);
        }
        return some;
    }
    // Ends with 5, tells how much and where, and what it writes is what the report says.
    void expect_told(const std::string& input) const {
        const Ended end =
            timed(fmt::format("exec $VFILTER {} out.mkv -y --progress none --report r.json --box 3 --codec "
                              "libx264 --preset ultrafast",
                              input));
        EXPECT_EQ(end.result.code, 5) << end.result;
        EXPECT_LT(end.seconds, 10);
        const nlohmann::json report = json_of("r.json");
        EXPECT_EQ(report.at("frames").at("in"), report.at("frames").at("out"));
        EXPECT_EQ(count_pictures("out.mkv"), report.at("frames").at("out"));
        EXPECT_TRUE(std::regex_search(end.result.err, std::regex("input is damaged: .*[1-9]"))) << end.result;
        // A second or a byte of the file.
        EXPECT_TRUE(std::regex_search(end.result.err, std::regex("[0-9]\\.[0-9]+ s|at byte [0-9]+"))) << end.result;
        // Five, and those that lean on them up to the next key frame and before it.
        EXPECT_GE(report.at("frames").at("out"), pictures / 2) << end.result;
        Test::RecordProperty("seconds", fmt::format("{:.2f}", end.seconds));
    }
    void expect_strict(const std::string& input) const {
        write("strict.mkv", "old");
        const Result result = vfilter(input +
                                      " strict.mkv -y --strict --progress none --box 3 --preset ultrafast "
                                      "--codec libx264");
        EXPECT_EQ(result.code, 5) << result;
        EXPECT_TRUE(content("strict.mkv") == "old");
        EXPECT_TRUE(says(result, "--strict")) << result;
    }
};

using HolesOfContainers = Holes;
using HolesOfCodecs = Holes;

TEST_P(Holes, OfZeroesInTheMiddleAreTold) {
    make();
    ASSERT_EQ(vfilter(name() + " --format null -q --strict").code, 0) << "the whole one";
    std::string bytes = content(name());
    for (const Place& place : middle()) {
        // Of MPEG-TS the header of the packet stays, and of the others all that is not the picture's.
        const std::size_t kept = transport() ? 12 : 0;
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(place.offset + kept), place.size - kept, '\0');
    }
    write("zeroes", bytes);
    expect_told("zeroes");
    expect_strict("zeroes");
}

TEST_P(HolesOfContainers, OfBytesCutOutOfTheMiddleAreTold) {
    make();
    std::string bytes = content(name());
    std::vector<Place> cuts = middle();
    std::ranges::reverse(cuts);
    for (const Place& place : cuts) {
        bytes.erase(place.offset, place.size);
    }
    write("cut", bytes);
    expect_told("cut");
    expect_strict("cut");
}

// The end of the file, sound too.
TEST_P(HolesOfContainers, AtTheEndAreTold) {
    make();
    const std::string bytes = content(name());
    write("short", bytes.substr(0, bytes.size() * 7 / 10));
    if (transport()) {
        // A transport stream says nowhere how long it is: only what was cut apart is seen.
        const Result result = vfilter("short out.mkv -y --report r.json");
        EXPECT_TRUE(result.code == 0 || result.code == 5) << result;
        EXPECT_GE(count_pictures("out.mkv"), 60);
        EXPECT_EQ(count_pictures("out.mkv"), json_of("r.json").at("frames").at("out"));
        return;
    }
    expect_told("short");
    expect_strict("short");
}

// What follows leans on it.
TEST_P(HolesOfCodecs, WhereTheFirstKeyFrameWasAreTold) {
    make();
    // libtheora takes a key frame where it likes to: what is left begins with another picture.
    const std::vector<Packet> packets = probe(name()).video().packets;
    const auto first = std::ranges::find(packets.begin() + 1, packets.end(), false, &Packet::key) - packets.begin();
    ffmpeg(fmt::format("-i {0} -map 0 -c copy -bsf:v \"noise=drop='lt(n,{2})'\" headless.{1}", name(),
                       GetParam().container, first));
    const std::string headless = fmt::format("headless.{}", GetParam().container);
    expect_told(headless);
    expect_strict(headless);
}

std::string name_of_kind(const testing::TestParamInfo<Kind>& made) {
    return fmt::format("{}_{}", made.param.container, made.param.codec);
}

INSTANTIATE_TEST_SUITE_P(Each, Holes, testing::ValuesIn(kinds), name_of_kind);
// How a file ends, and what is cut out of it, is its container's; tests/damage has the rest.
INSTANTIATE_TEST_SUITE_P(OfEachContainer, HolesOfContainers, testing::ValuesIn(first_of_each(&Kind::container)),
                         name_of_kind);
// What leans on a key frame is the codec's.
INSTANTIATE_TEST_SUITE_P(OfEachCodec, HolesOfCodecs, testing::ValuesIn(first_of_each(&Kind::codec)), name_of_kind);

class WideHoles : public Faults {};

// FFmpeg looks for what comes next within some 64 KiB, and takes zeroes for a box up to the end of a file.
TEST_F(WideHoles, LeaveWhatIsBehindThem) {
    constexpr std::string_view clips[] = {
        "-s 640x360 -c:v libvpx -deadline realtime -cpu-used -8 -g 20 -b:v 8M -c:a libvorbis clip.ogg",
        "-s 720x576 -c:v mpeg2video -q:v 3 -g 20 -c:a pcm_s16le clip.gxf",
        "-c:v libx264 -preset ultrafast -g 10 -b:v 8M -c:a aac -movflags frag_keyframe+empty_moov clip.mp4",
    };
    for (const std::string_view clip : clips) {
        SCOPED_TRACE(clip);
        const std::string name(clip.substr(clip.rfind(' ') + 1));
        ffmpeg(
            "-f lavfi -i testsrc2=s=640x360:r=25:d=4 -f lavfi -i sine=r=48000:d=4 -vf "
            "noise=alls=30:allf=t:all_seed=3 -pix_fmt yuv420p " +
            std::string(clip));
        std::string bytes = content(name);
        ASSERT_GT(bytes.size(), 2'000'000U);
        std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(bytes.size() * 2 / 5), bytes.size() / 5, '\0');
        write("hole", bytes);
        const Result result = vfilter("hole out.mkv -y --preset ultrafast --codec libx264 --report r.json");
        EXPECT_EQ(result.code, 5) << result;
        EXPECT_TRUE(says(result, "at byte")) << result;
        EXPECT_GT(json_of("r.json").at("frames").at("out"), 60) << result;
        EXPECT_GT(probe("out.mkv").video().times().back(), 3.9);
        EXPECT_EQ(vfilter("hole --format null -q --strict").code, 5);
    }
}

// How far is read ahead of the pictures that are wanted is another thing each time.
TEST_F(WideHoles, BehindTheWantedPicturesAreNoDamage) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=320x240:r=25:d=8 -vf noise=alls=20:allf=t:all_seed=3 -c:v libx264 -preset ultrafast "
        "-g 25 clip.mkv");
    std::string bytes = content("clip.mkv");
    const std::string place =
        run("ffprobe -v error -select_streams v -show_entries packet=pos -of csv=p=0 -read_intervals 5.2%+#1 clip.mkv")
            .out;
    const std::size_t at = std::stoul(place);
    ASSERT_GT(at, bytes.size() / 2);
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(at), 3000, '\0');
    write("hole.mkv", bytes);
    for (const char* options : {"", " --threads 1", " --strict", " --gaussian 9 --strict"}) {
        const Result result = vfilter("hole.mkv --format null -q --frames 70" + std::string(options));
        EXPECT_EQ(result.code, 0) << options << ": " << result;
    }
    EXPECT_EQ(vfilter("hole.mkv --format null -q --frames 140").code, 5);
    EXPECT_EQ(vfilter("hole.mkv --format null -q --frames 140 --strict").code, 5);
}

class TailOfTheVideo : public Faults {};

// The sound goes on: its end is not that of the pictures. Blocks become elements that say nothing, so that the file is
// sound but for what is not in it.
TEST_F(TailOfTheVideo, IsMissedWhereTheFileTellsOfIt) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=4 -f lavfi -i sine=r=48000:d=4 -vf noise=alls=20:allf=t -c:v libx264 "
        "-preset veryfast -bf 0 -g 20 -c:a aac clip.mkv");
    std::string bytes = content("clip.mkv");
    int removed = 0;
    int number = 0;
    for (const std::string& line :
         lines_of(run("ffprobe -v error -select_streams V -show_entries packet=pos,size -of csv=p=0 clip.mkv").out)) {
        if (++number <= 70) {
            continue;
        }
        std::istringstream text(line);
        std::size_t size = 0;
        std::size_t at = 0;
        char comma = 0;
        text >> size >> comma >> at;
        // The id of the block stands two to five bytes before its content.
        for (std::size_t back = 2; back <= 5; ++back) {
            if (bytes.at(at - back) == '\xa3') {
                bytes[at - back] = '\xec';
                ++removed;
                break;
            }
        }
    }
    ASSERT_EQ(removed, 30);
    write("tail.mkv", bytes);
    const Result result = vfilter("tail.mkv out.mkv --report r.json");
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_TRUE(says(result, "stream 0")) << result;
    EXPECT_EQ(json_of("r.json").at("frames").at("out"), 70);
    EXPECT_GE(json_of("r.json").at("damage").at("missing_seconds"), 1.0);
    write("old.mkv", "old");
    EXPECT_EQ(vfilter("tail.mkv old.mkv -y --strict").code, 5);
    EXPECT_TRUE(content("old.mkv") == "old");
    // Fewer pictures than sound, made so: nothing in the file contradicts it, and a line says what it looks like.
    ffmpeg("-i clip.mkv -c copy -bsf:v noise=drop='gte(n\\,70)' -metadata:s:v DURATION= remux.mp4");
    const Result made = vfilter("remux.mp4 out.mkv -y");
    EXPECT_EQ(made.code, 0) << made;
    EXPECT_TRUE(says(made, "the video ends 1.2 s before the sound")) << made;
}

}  // namespace

}  // namespace vfilter::test
