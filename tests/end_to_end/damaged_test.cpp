// Damaged inputs: decoded on where that is possible, counted, told, and what is written is whole.

#include <fmt/format.h>

#include <random>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Damaged : public EndToEnd {
protected:
    // Filters in.X to out.mkv; ends with 5, says why, and has as many pictures as it says.
    nlohmann::json expect_damaged(const std::string& input, const std::string& told) const;
    void cut(const std::string& from, const std::string& to, double share) const;
};

nlohmann::json Damaged::expect_damaged(const std::string& input, const std::string& told) const {
    const Result result = vfilter(fmt::format("{} out.mkv -y --progress none --report r.json --gaussian 3", input));
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_NE(result.err.find(told), std::string::npos) << result;
    nlohmann::json report = json_of("r.json");
    EXPECT_EQ(report.at("exit_code"), 5);
    EXPECT_GT(report.at("frames").at("out"), 0);
    EXPECT_EQ(report.at("frames").at("in"), report.at("frames").at("out"));
    EXPECT_EQ(count_pictures("out.mkv"), report.at("frames").at("out"));
    EXPECT_EQ(parts().size(), 0U);
    return report;
}

void Damaged::cut(const std::string& from, const std::string& to, double share) const {
    const std::string bytes = content(from);
    write(to, bytes.substr(0, static_cast<std::size_t>(static_cast<double>(bytes.size()) * share)));
}

// Their demuxers call every end an error.
TEST_F(Damaged, OldFilmsAreWholeWhereTheirLastChunkIs) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=30:d=0.5 -f lavfi -i sine=r=22050:d=0.5 -c:v roqvideo -c:a roq_dpcm in.roq");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.6 -f lavfi -i sine=d=0.6 -c:v mjpeg -f smjpeg in.mjpg");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.6 -pix_fmt rgba -f filmstrip in.flm");
    ffmpeg("-f lavfi -i testsrc2=s=720x576:r=25:d=0.6 -c:v mpeg2video in.gxf");
    // An FLC of three pictures, of which each leaves the one before as it is.
    const auto little = [](std::uint32_t value, int bytes) {
        std::string text;
        for (int i = 0; i < bytes; ++i) {
            text += static_cast<char>(value >> 8 * i & 0xFFU);
        }
        return text;
    };
    const std::string picture = little(16, 4) + little(0xF1FA, 2) + std::string(10, '\0');
    const std::string size = little(128 + 3 * 16, 4);
    write("in.flc", size + little(0xAF12, 2) + little(3, 2) + little(64, 2) + little(48, 2) + little(8, 2) +
                        little(3, 2) + little(40, 4) + std::string(128 - 20, '\0') + picture + picture + picture);
    for (const std::string name : {"in.roq", "in.mjpg", "in.flm", "in.flc", "in.gxf"}) {
        filter(name + " out.mkv --identity --codec ffv1");
        EXPECT_EQ(count_pictures("out.mkv"), name == "in.flc" ? 3 : 15) << name;
    }
    filter("in.flm out.mkv --identity --codec ffv1 --start 0.2");
    EXPECT_EQ(count_pictures("out.mkv"), 10);
    for (const std::string name : {"in.roq", "in.mjpg", "in.flc", "in.gxf"}) {
        const std::string bytes = content(name);
        for (const std::size_t cut : {1U, 3U, 10U}) {
            write("cut." + name, bytes.substr(0, bytes.size() - cut));
            expect_damaged("cut." + name, "damaged");
        }
    }
    // A size that with its header is as large as nothing.
    using namespace std::string_literals;
    std::string endless = content("in.roq");
    endless.replace(8, 8, "\x10\x10\xF8\xFF\xFF\xFF\0\0"s);
    write("in.roq", endless);
    EXPECT_EQ(vfilter("in.roq out.mkv -y --identity --codec ffv1").code, 3);
}

// FFmpeg's muxer refers to a track of titles that it leaves out where no chapter has one, and its demuxer calls that an
// error. A track that is gone with all chapters is one.
TEST_F(Damaged, MoviesWhoseChaptersHaveNoTitlesAreWhole) {
    make_clip("in.mkv", 50);
    const auto make = [&](const std::string& name, const std::string& titles) {
        write("chapters.txt", ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\n" + titles +
                                  "[CHAPTER]\nTIMEBASE=1/1000\nSTART=1000\nEND=2000\n" + titles);
        ffmpeg("-i in.mkv -i chapters.txt -map 0:v -map_metadata 1 -map_chapters 1 -c copy " + name);
    };
    for (const std::string name : {"in.mp4", "in.mov"}) {
        make(name, "");
        filter(name + " out.mp4 --gaussian 3");
        EXPECT_EQ(probe("out.mp4").chapters.size(), 2U);
    }
    make("in.mp4", "title=One\n");
    std::string bytes = content("in.mp4");
    bytes.at(bytes.find("chap") + 7) = 9;  // the track's number
    write("listed.mp4", bytes);
    filter("listed.mp4 out.mp4 --gaussian 3");
    EXPECT_EQ(probe("out.mp4").chapters.size(), 2U);
    bytes.replace(bytes.find("chpl"), 4, "free");
    write("unlisted.mp4", bytes);
    expect_damaged("unlisted.mp4", "chapter track not found");
}

TEST_F(Damaged, ContainersThatContradictThemselvesAreCounted) {
    make_clip("in.ts", 50);
    const std::string bytes = content("in.ts");
    constexpr std::size_t packet = 188;
    write("cut.ts", bytes.substr(0, bytes.size() / 2 / packet * packet + packet / 2));
    const nlohmann::json damage = expect_damaged("cut.ts", "the file ends inside of a packet").at("damage");
    EXPECT_EQ(damage.at("container_faults"), 1) << damage;
    EXPECT_EQ(damage.at("lost"), false) << "which is of pipes and live inputs";
}

TEST_F(Damaged, Mp4WithoutItsIndexIsRefused) {
    make_clip("in.mp4", 50);
    cut("in.mp4", "cut.mp4", 0.6);
    const Result result = vfilter("cut.mp4 out.mkv");
    EXPECT_EQ(result.code, 3) << result;
    EXPECT_EQ(lines_of(result.err).size(), 1U) << result;
    EXPECT_EQ(names(), (std::vector<std::string>{"cut.mp4", "in.mp4"}));
}

TEST_F(Damaged, TruncatedFilesAreFinishedAsFarAsTheyGo) {
    make_clip("in.mkv", 100);
    ffmpeg("-i in.mkv -c copy -movflags faststart in.mp4");
    for (const std::string input : {"in.mkv", "in.mp4"}) {
        for (const double share : {0.3, 0.55, 0.6123}) {
            SCOPED_TRACE(fmt::format("{} {}", input, share));
            cut(input, "cut", share);
            const nlohmann::json report = expect_damaged("cut", "before the header's duration");
            const double missing = report.at("damage").at("missing_seconds");
            EXPECT_NEAR(missing, 4 - report.at("frames").at("out").get<double>() / 25, 0.3);
        }
    }
    // A little less than all: no picture more than are there.
    cut("in.mkv", "cut", 0.97);
    const Result result = vfilter("cut out.mkv -y --report r.json");
    EXPECT_TRUE(result.code == 0 || result.code == 5) << result;
    EXPECT_EQ(count_pictures("out.mkv"), json_of("r.json").at("frames").at("out"));
}

TEST_F(Damaged, NoisyPacketsAreCounted) {
    make_clip("clip.mkv", 75);
    ffmpeg("-i clip.mkv -c copy clip.ts");
    for (const std::string input : {"in.mkv", "in.mp4", "in.ts"}) {
        SCOPED_TRACE(input);
        // Of the video, every fifth packet, not the first: with it nothing begins.
        ffmpeg(fmt::format("-i {} -c copy -bsf:v \"noise=amount='if(gt(n,3)*not(mod(n,5)),40,0)'\" {}",
                           input == "in.ts" ? "clip.ts" : "clip.mkv", input));
        const nlohmann::json report = expect_damaged(input, "damaged");
        EXPECT_GT(report.at("damage").at("packets").get<int>() + report.at("damage").at("frames").get<int>(), 0);
        EXPECT_GE(report.at("frames").at("out"), 40);
        EXPECT_TRUE(probe("out.mkv").of("audio").at(0).hashes() == probe(input).of("audio").at(0).hashes() ||
                    input == "in.ts");
    }
}

TEST_F(Damaged, MissingPacketsAreTold) {
    make_clip("clip.mkv", 75);
    ffmpeg("-i clip.mkv -c copy -bsf:v \"noise=drop='gt(n,3)*not(mod(n,5))'\" in.mkv");
    expect_damaged("in.mkv", "damaged");
}

// Fragments are read on, but for the first ones; of GIF it depends on the first file's loops.
TEST_F(Damaged, AFileBehindAnotherThatIsReadInPartIsTold) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=10:d=3 -c:v libx264 -g 10 -movflags frag_keyframe+empty_moov one.mp4");
    ASSERT_EQ(run("cat one.mp4 one.mp4 > in.mp4").code, 0);
    expect_damaged("in.mp4", "another file begins, which is not read as a whole");
    filter("one.mp4 whole.mkv -y");
    for (const std::string size : {"64x64", "160x120"}) {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s={}:r=10:d=1 one.gif", size));
        ffmpeg(fmt::format("-f lavfi -i mandelbrot=s={}:r=10 -t 1 two.gif", size));
        ASSERT_EQ(run("cat one.gif two.gif > in.gif").code, 0);
        const Result result = vfilter("in.gif out.mkv -y --gaussian 3");
        EXPECT_EQ(result.code, count_pictures("out.mkv") == 20 ? 0 : 5) << result;
    }
}

// An index that leads nowhere hides what is there.
TEST_F(Damaged, AWrongIndexIsTold) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=3 -f lavfi -i sine=d=3 -c:v mjpeg -c:a pcm_s16le in.avi");
    std::string bytes = content("in.avi");
    filter("in.avi out.mkv -y --gaussian 3");
    bytes[bytes.rfind("idx1") + 8 + 16 * 20 + 11] ^= '\x43';
    write("in.avi", bytes);
    expect_damaged("in.avi", "packets are missing, by its index");
}

// Its edit list hides pictures of an open group that lean on what was cut off.
TEST_F(Damaged, ACutByCopyIsNot) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:r=25:d=4 -c:v libx264 -x264-params keyint=25:open-gop=1:bframes=3 whole.mp4");
    for (const char* const at : {"0.5", "1.1", "1.5", "2.3", "3.1"}) {
        ASSERT_EQ(run(fmt::format("ffmpeg -v error -y -ss {} -i whole.mp4 -c copy in.mp4", at)).code, 0);
        filter("in.mp4 out.mkv -y --gaussian 3");
    }
}

// Two files joined byte by byte, of which a demuxer reads the first one alone.
TEST_F(Damaged, AFileBehindAnotherIsTold) {
    for (const std::string kind : {"mp4", "mov", "wmv"}) {
        SCOPED_TRACE(kind);
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=64x64:r=10:d=1 one.{}", kind));
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=64x64:r=10:d=2 two.{}", kind));
        ASSERT_EQ(run(fmt::format("cat one.{0} two.{0} > in.{0}", kind)).code, 0);
        const std::size_t place = content("one." + kind).size();
        expect_damaged("in." + kind, fmt::format("another file begins, which is not read, at byte {}", place));
        filter(fmt::format("one.{} whole.mkv -y", kind));
    }
}

TEST_F(Damaged, StrictStopsAtTheFirst) {
    make_clip("clip.mkv", 75);
    ffmpeg("-i clip.mkv -c copy -bsf:v \"noise=amount='if(gt(n,3)*not(mod(n,5)),40,0)'\" in.mkv");
    write("out.mkv", "old");
    const Result result = vfilter("in.mkv out.mkv -y --strict --progress none --report r.json");
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_NE(result.err.find("--strict"), std::string::npos) << result;
    EXPECT_EQ(content("out.mkv"), "old");
    EXPECT_LT(json_of("r.json").at("frames").at("out"), 75);
    EXPECT_EQ(vfilter("clip.mkv good.mkv --strict").code, 0);
}

// Bytes changed anywhere, the headers included. Nobody can say what comes of it, but never a crash, a hang or a file
// that is not what the report says.
TEST_F(Damaged, ChangedBytesNeverCrashIt) {
    make_clip("clip.mkv", 40);
    ffmpeg("-i clip.mkv -c copy clip.mp4");
    ffmpeg("-i clip.mkv -c copy clip.ts");
    ffmpeg("-i clip.mkv -c:v mpeg4 -c:a mp2 clip.avi");
    int finished = 0;
    for (unsigned seed = 1; seed <= 24; ++seed) {
        const std::string input = std::vector<std::string>{"clip.mkv", "clip.mp4", "clip.ts", "clip.avi"}[seed % 4];
        std::mt19937 random(seed);
        std::string bytes = content(input);
        for (std::size_t i = 0; i < bytes.size() / 3000 + 2; ++i) {
            const std::size_t at = random() % (i % 3 == 0 ? std::size_t{1000} : bytes.size());
            bytes[at] = static_cast<char>(random());
        }
        write("in", bytes);
        std::filesystem::remove(path("out.mkv"));
        std::filesystem::remove(path("r.json"));
        const Result result = vfilter("in out.mkv --progress none --report r.json --gaussian 3");
        EXPECT_TRUE(result.code == 0 || result.code == 3 || result.code == 5) << "seed " << seed << ": " << result;
        if (exists("out.mkv")) {
            ++finished;
            EXPECT_EQ(count_pictures("out.mkv"), json_of("r.json").at("frames").at("out"))
                << "seed " << seed << ": " << result;
        }
        EXPECT_EQ(exists("out.mkv"), result.code != 3) << "seed " << seed << ": " << result;
        for (const std::string& part : parts()) {
            std::filesystem::remove(path(part));
        }
    }
    EXPECT_GT(finished, 8) << "this test has broken too much to tell anything";
}

}  // namespace

}  // namespace vfilter::test
