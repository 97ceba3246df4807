// A container's own structure tells of what demuxers step over in silence, and whole runs end with 5.

#include <algorithm>
#include <string>
#include <string_view>

#include "tests/support/faults.h"

namespace vfilter::test {

namespace {

class StructureDamage : public Faults {
protected:
    static constexpr std::string_view sources =
        "-f lavfi -i testsrc2=s=176x144:r=25:d=4 -f lavfi -i sine=r=48000:d=4 -vf noise=alls=12:allf=t:all_seed=3 "
        "-pix_fmt yuv420p ";
    // Of a damaged file: 5, and what is told of it.
    void expect_told(const std::string& name, std::string_view told) const {
        const Result result = vfilter(name + " out.mkv -y --identity --codec ffv1 --report r.json");
        EXPECT_EQ(result.code, 5) << name << ": " << result;
        EXPECT_TRUE(says(result, std::string(told))) << name << ": " << result;
    }
    void expect_whole(const std::string& name) const {
        const Result result = vfilter(name + " out.mkv -y --identity --codec ffv1");
        EXPECT_EQ(result.code, 0) << name << ": " << result;
    }
    // The second of the tables is the sound's.
    [[nodiscard]] static std::size_t table(const std::string& bytes, std::string_view name, int number) {
        std::size_t place = bytes.find(name);
        while (--number > 0) {
            place = bytes.find(name, place + 1);
        }
        EXPECT_NE(place, std::string::npos) << name;
        return place;
    }
};

TEST_F(StructureDamage, OfAnOlderFileUnderANewerOneIsTold) {
    struct Row {
        std::string name;
        std::string_view codecs;
        std::string_view told;
    };
    const Row rows[] = {{"over.avi", "-c:v mpeg4 -g 12 -b:v 800k -c:a mp2", "behind the end, which are read"},
                        {"over.webm", "-c:v libvpx -g 12 -b:v 800k -cpu-used 8 -deadline realtime -c:a libopus",
                         "behind the end, which are read"},
                        {"over.apng", "-an -r 5 -f apng", "behind the end, which are not read"},
                        {"over.wmv", "-c:v wmv2 -g 12 -b:v 800k -c:a wmav2", "behind the end, which are not read"},
                        {"over.rm", "-c:v rv20 -g 12 -b:v 600k -c:a ac3", "behind the end, which are read"}};
    for (const Row& row : rows) {
        ffmpeg(fmt::format("{} {} {}", sources, row.codecs, row.name));
        const std::string older = content(row.name);
        std::filesystem::remove(path(row.name));
        ffmpeg(fmt::format("{} -t 1.4 {} {}", sources, row.codecs, row.name));
        const std::string newer = content(row.name);
        ASSERT_GT(older.size(), newer.size() + 20'000);
        expect_whole(row.name);
        write(row.name, newer + older.substr(newer.size()));
        expect_told(row.name, row.told);
        write(row.name, newer + std::string(100'000, '\0'));
        expect_whole(row.name);
        write(row.name, newer + "\r\nMD5: d41d8cd98f00b204e9800998ecf8427e\r\n");
        expect_whole(row.name);
    }
}

TEST_F(StructureDamage, OfMovieTablesIsTold) {
    ffmpeg(fmt::format("{} -c:v libx264 -preset veryfast -g 12 -bf 2 -c:a aac -movflags faststart in.mp4", sources));
    const std::string whole = content("in.mp4");
    expect_whole("in.mp4");
    struct Row {
        std::string_view name;
        int number;
        std::size_t byte;
        char bits;
        std::string_view told;
    };
    const Row rows[] = {
        {"stsc", 2, 12 + 12 + 11, '\x20', "samples without a description"},
        {"stco", 2, 12 + 20 * 4 + 3, '\x40', "samples that lie in those of another track"},
        {"stsz", 2, 16 + 50 * 4 + 2, '\x04', "samples that"},
        {"ctts", 1, 12 + 7 - 4, '\x04', "hidden by their times"},
    };
    for (const Row& row : rows) {
        std::string bytes = whole;
        char& byte = bytes.at(table(bytes, row.name, row.number) + row.byte);
        byte = static_cast<char>(byte ^ row.bits);
        write("bit.mp4", bytes);
        expect_told("bit.mp4", row.told);
    }
}

TEST_F(StructureDamage, OfAProgramStreamIsTold) {
    ffmpeg(fmt::format("{} -c:v mpeg2video -g 12 -bf 2 -b:v 1M -c:a mp2 in.mpg", sources));
    const std::string whole = content("in.mpg");
    expect_whole("in.mpg");
    write("two.mpg", whole + whole);
    expect_whole("two.mpg");
    // A pack of sound, which is copied: no decoder misses anything.
    const std::string pack_start("\0\0\1\xBA", 4);
    std::size_t pack = whole.find(pack_start, whole.size() / 2);
    while (whole.substr(pack, 32).find(std::string("\0\0\1\xC0", 4)) == std::string::npos) {
        pack = whole.find(pack_start, pack + 1);
        ASSERT_NE(pack, std::string::npos);
    }
    std::string bytes = whole;
    std::fill_n(bytes.begin() + static_cast<std::ptrdiff_t>(pack), 512, '\0');
    write("sector.mpg", bytes);
    expect_told("sector.mpg", "no packet where one should begin");
    std::string noise(1 << 20, '\0');
    unsigned state = 1;
    for (char& byte : noise) {
        state = state * 1103515245U + 12345U;
        byte = static_cast<char>(state >> 16);
    }
    write("noise.mpg", whole.substr(0, pack + 300) + noise + whole.substr(pack + 300));
    expect_told("noise.mpg", "no packet where one should begin");
}

// Its demuxer refuses files whose parts are not where they say, and reads them from a pipe.
TEST_F(StructureDamage, OfMxfIsReadAsItComes) {
    ffmpeg(fmt::format("{} -c:v mpeg2video -g 12 -bf 2 -b:v 1M -c:a pcm_s16le one.mxf", sources));
    ffmpeg(fmt::format("{} -t 2 -c:v mpeg2video -g 12 -bf 2 -b:v 1M -c:a pcm_s16le half.mxf", sources));
    ASSERT_EQ(run("cat one.mxf half.mxf > two.mxf").code, 0);
    expect_told("two.mxf", "it is read as it comes");
    EXPECT_EQ(json_of("r.json").at("frames").at("out"), 150);
    EXPECT_EQ(vfilter("two.mxf --format null -q --start 1").code, 5);
    std::string bytes = content("one.mxf");
    bytes[8] = static_cast<char>(bytes[8] ^ 4);
    write("key.mxf", bytes);
    const Result result = vfilter("key.mxf out.mkv -y --identity --codec ffv1");
    EXPECT_TRUE(says(result, "is read as a bare stream (mpegvideo)")) << result;
}

// A demuxer that looks for a place to go on at says so of every byte.
TEST_F(StructureDamage, OfAWideHoleCountsEachComplaintOnce) {
    ffmpeg(fmt::format("{} -s 720x576 -an -c:v mpeg2video -g 12 -b:v 2M in.gxf", sources));
    const std::string whole = content("in.gxf");
    write("hole.gxf", whole.substr(0, whole.size() / 2) + std::string(1 << 20, '\0') + whole.substr(whole.size() / 2));
    const Result result = vfilter("hole.gxf out.mkv -y --identity --codec ffv1 --report r.json");
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_LT(json_of("r.json").at("damage").at("errors_logged"), 1000) << result;
}

// All pictures of what is behind bytes that were put in are counted, and those of DV that there is room for.
TEST_F(StructureDamage, CountsPicturesAsTheyAre) {
    ffmpeg(fmt::format("{} -c:v libx264 -preset veryfast -g 12 -bf 2 -c:a aac in.avi", sources));
    const std::string whole = content("in.avi");
    std::string noise(1 << 20, '\x9d');
    write("in.avi", whole.substr(0, whole.size() / 3) + noise + whole.substr(whole.size() / 3));
    expect_told("in.avi", "unknown chunk");
    const nlohmann::json report = json_of("r.json");
    EXPECT_LE(report.at("damage").at("pictures_missing").get<int>() + report.at("frames").at("out").get<int>(), 102)
        << report;
    ffmpeg("-f lavfi -i testsrc2=s=720x576:r=25:d=0.8 -pix_fmt yuv420p -c:v dvvideo in.dv");
    std::string dv = content("in.dv");
    dv.erase(370'000, 4096);
    write("in.dv", dv);
    expect_told("in.dv", "no picture's sequence");
    const nlohmann::json of_dv = json_of("r.json");
    EXPECT_GE(of_dv.at("damage").at("pictures_missing").get<int>() + of_dv.at("damage").at("packets").get<int>() +
                  of_dv.at("frames").at("out").get<int>(),
              19)
        << of_dv;
}

}  // namespace

}  // namespace vfilter::test
