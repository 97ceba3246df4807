// Chapters as places: --start chapter:2 --end chapter:4.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

using Hashes = std::vector<std::string>;

class PartsByChapters : public EndToEnd {
protected:
    static constexpr int pictures = 90;
    static constexpr std::int64_t ticks = 1001;  // of 1/30000 s that a picture is shown

    struct Chapter {
        std::int64_t begin;  // ticks of 1/30000 s
        std::int64_t end;
        std::string title{};
    };

    void write_chapters(const std::vector<Chapter>& chapters, int clock = 30000) const {
        std::string text = ";FFMETADATA1\n";
        for (const Chapter& chapter : chapters) {
            text += fmt::format("[CHAPTER]\nTIMEBASE=1/{}\nSTART={}\nEND={}\n{}", clock, chapter.begin, chapter.end,
                                chapter.title.empty() ? "" : "title=" + chapter.title + "\n");
        }
        write("chapters.txt", text);
    }
    // Pictures of 30000/1001 a second, sound, and those chapters.
    void make_film(const std::string& name, const std::vector<Chapter>& chapters, const std::string& how = "") const {
        write_chapters(chapters);
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=64x48:r=30000/1001 -f lavfi -i sine=r=48000 -frames:v {0} -t {1} "
                        "-c:v libx264 -preset ultrafast -bf 2 -g 12 -c:a {3} plain_{2}",
                        pictures, pictures * ticks / 30000.0, name, name.ends_with("mkv") ? "pcm_s16le" : "aac"));
        ffmpeg(fmt::format("{0} -i plain_{1} -i chapters.txt -map 0 -map_chapters 1 -c copy {0} {1}", how, name));
    }
    [[nodiscard]] Hashes pictures_of(const std::string& name, const std::string& part) const {
        filter(fmt::format("{} out.mkv --codec ffv1 {}", name, part));
        return picture_hashes("out.mkv");
    }
    [[nodiscard]] std::string samples() const { return ffmpeg_output("-i out.mkv -map 0:a:0 -f s16le -"); }
    // What stderr says of a run that is refused.
    [[nodiscard]] std::string refusal_of(const std::string& arguments, int code = 2) const {
        const Result result = vfilter(arguments);
        EXPECT_EQ(result.code, code) << arguments << result;
        EXPECT_FALSE(exists("no.mkv")) << arguments;
        return result.err;
    }
    static Hashes between(const Hashes& all, std::int64_t first, std::int64_t end) {
        return {all.begin() + first, all.begin() + std::min<std::int64_t>(end, std::ssize(all))};
    }
};

// The first three boundaries lie on pictures whose times milliseconds round up, down and not at all; the others a tick
// before one, a tick after one, and in the middle.
TEST_F(PartsByChapters, BeginWithThePictureOnTheBoundary) {
    struct Boundary {
        std::int64_t time;  // ticks
        std::int64_t picture;
    };
    const std::vector<Boundary> boundaries{{0, 0},
                                           {17 * ticks, 17},
                                           {31 * ticks, 31},
                                           {40 * ticks, 40},
                                           {50 * ticks - 60, 50},
                                           {60 * ticks + 60, 61},
                                           {70 * ticks + 500, 71}};
    std::vector<Chapter> chapters;
    for (std::size_t i = 0; i < boundaries.size(); ++i) {
        // Chapters without a title are no track of an mp4.
        chapters.push_back({boundaries[i].time, i + 1 < boundaries.size() ? boundaries[i + 1].time : pictures * ticks,
                            fmt::format("c{}", i)});
    }
    for (const std::string name : {"in.mkv", "in.mp4"}) {
        make_film(name, chapters);
        const Hashes all = picture_hashes(name);
        ASSERT_EQ(all.size(), std::size_t{pictures}) << name;
        for (std::size_t i = 0; i < boundaries.size(); ++i) {
            const std::int64_t first = boundaries[i].picture;
            const std::int64_t end = i + 1 < boundaries.size() ? boundaries[i + 1].picture : pictures;
            const auto number = i + 1;
            EXPECT_EQ(pictures_of(name, fmt::format("--start chapter:{0} --end chapter:{0}", number)),
                      between(all, first, end))
                << name << " " << number;
            EXPECT_EQ(pictures_of(name, fmt::format("--end chapter:{}", number)), between(all, 0, end))
                << name << " " << number;
            EXPECT_EQ(pictures_of(name, fmt::format("--start chapter:{}", number)), between(all, first, pictures))
                << name << " " << number;
        }
    }
}

TEST_F(PartsByChapters, AreThoseOfTheirSeconds) {
    make_film("in.mkv", {{0, 30 * ticks, "One"},
                         {30 * ticks, 45 * ticks, "Two"},
                         {45 * ticks, 60 * ticks, "Three"},
                         {60 * ticks, 90 * ticks, "Four"}});
    const Hashes wanted = pictures_of("in.mkv", "--start 1.001 --end 2.002");
    const std::string sound = samples();
    const std::vector<double> times = picture_times("out.mkv");
    EXPECT_EQ(wanted.size(), 30U);
    EXPECT_EQ(pictures_of("in.mkv", "--start chapter:2 --end chapter:3"), wanted);
    EXPECT_EQ(samples(), sound);
    EXPECT_TRUE(same_seconds(times, picture_times("out.mkv"), exactly));
    const nlohmann::json chapters = probe("out.mkv").chapters;
    ASSERT_EQ(chapters.size(), 2U) << chapters;
    EXPECT_EQ(chapters[0].at("tags").at("title"), "Two");
    EXPECT_EQ(chapters[0].at("start_time"), "0.000000");
    EXPECT_EQ(chapters[1].at("tags").at("title"), "Three");
    EXPECT_EQ(chapters[1].at("start_time"), "0.500500");
    EXPECT_EQ(chapters[1].at("end_time"), "1.001000");
    // With other limits, and in a file.
    EXPECT_EQ(pictures_of("in.mkv", "--start chapter:2 --duration 1.001"), wanted);
    EXPECT_EQ(pictures_of("in.mkv", "--start chapter:2 --frames 30"), wanted);
    EXPECT_EQ(pictures_of("in.mkv", "--start 30f --end chapter:3"), wanted);
    write("part.toml", "start = \"chapter:2\"\nend = \"chapter:3\"\n");
    EXPECT_EQ(pictures_of("in.mkv", "--config part.toml"), wanted);
    const Result printed = vfilter("in.mkv out.mkv --codec ffv1 --start chapter:2 --end chapter:3 --print-config");
    EXPECT_NE(printed.out.find("start = \"chapter:2\""), std::string::npos) << printed;
    write("printed.toml", printed.out);
    filter("--config printed.toml");
    EXPECT_EQ(picture_hashes("out.mkv"), wanted);
    // The last one ends with the input, sound and all.
    EXPECT_EQ(pictures_of("in.mkv", "--start 2.002").size(), 30U);
    const std::string rest = samples();
    EXPECT_EQ(pictures_of("in.mkv", "--start chapter:4 --end chapter:4").size(), 30U);
    EXPECT_EQ(samples(), rest);
}

// Chapters have the clock of the pictures, which need not begin with 0.
TEST_F(PartsByChapters, AreCountedByTheInputsClock) {
    const std::int64_t later = 5 * 30000;
    make_film("in.mkv", {{later, later + 30 * ticks}, {later + 30 * ticks, later + 90 * ticks}},
              "-copyts -output_ts_offset 5");
    ASSERT_NEAR(picture_times("in.mkv").front(), 5, 0.001);
    const Hashes all = picture_hashes("in.mkv");
    EXPECT_EQ(pictures_of("in.mkv", "--end chapter:1"), between(all, 0, 30));
    EXPECT_EQ(pictures_of("in.mkv", "--start chapter:2"), between(all, 30, pictures));
    EXPECT_NEAR(picture_times("out.mkv").front(), 0, 0.001);
    // One that begins before anything is there begins with the input.
    make_film("early.mkv", {{0, later + 30 * ticks}, {later + 30 * ticks, later + 90 * ticks}},
              "-copyts -output_ts_offset 5");
    EXPECT_EQ(pictures_of("early.mkv", "--start chapter:1"), all);
    EXPECT_NEAR(picture_times("out.mkv").front(), 0, 0.001);
}

TEST_F(PartsByChapters, EndWhereTheNextOneBegins) {
    // An end behind the next beginning, one before it, and one that is not there.
    make_film("in.mkv",
              {{0, 40 * ticks}, {30 * ticks, 50 * ticks}, {60 * ticks, 70 * ticks}, {75 * ticks, 90 * ticks}});
    const Hashes all = picture_hashes("in.mkv");
    EXPECT_EQ(pictures_of("in.mkv", "--end chapter:1"), between(all, 0, 30));
    EXPECT_EQ(pictures_of("in.mkv", "--start chapter:2 --end chapter:2"), between(all, 30, 50));
    EXPECT_EQ(pictures_of("in.mkv", "--start chapter:3 --end chapter:3"), between(all, 60, 70));
    std::string bytes = content("in.mkv");
    std::size_t at = bytes.find("\x10\x43\xA7\x70");
    ASSERT_NE(at, std::string::npos);
    int ends = 0;
    for (at = bytes.find('\x91', at); at < bytes.find("\x1F\x43\xB6\x75", at); at = bytes.find('\x91', at + 1)) {
        const std::size_t end = at + 2 + static_cast<std::size_t>(bytes[at + 1] & 0x7F);
        if (bytes[end] == '\x92') {
            bytes[end] = '\xEC';  // Void
            ++ends;
        }
    }
    ASSERT_EQ(ends, 4);
    write("endless.mkv", bytes);
    EXPECT_EQ(pictures_of("endless.mkv", "--start chapter:2 --end chapter:2"), between(all, 30, 60));
    EXPECT_EQ(pictures_of("endless.mkv", "--start chapter:3 --end chapter:3"), between(all, 60, 75));
    EXPECT_EQ(pictures_of("endless.mkv", "--start chapter:4 --end chapter:4"), between(all, 75, 90));
}

TEST_F(PartsByChapters, AreRefusedWhereThereIsNone) {
    make_film("in.mkv", {{0, 30 * ticks, "Opening"}, {30 * ticks, 45 * ticks}, {45 * ticks, 90 * ticks, "The end"}});
    EXPECT_NE(
        refusal_of("in.mkv no.mkv --start chapter:4")
            .find("--start chapter:4: the input has 3 chapters: 1 'Opening' at 0.000 s, 2 at 1.001 s, 3 'The end' "
                  "at 1.502 s"),
        std::string::npos);
    EXPECT_NE(refusal_of("in.mkv no.mkv --end chapter:12").find("--end chapter:12: the input has 3 chapters"),
              std::string::npos);
    EXPECT_NE(refusal_of("plain_in.mkv no.mkv --end chapter:1").find("--end chapter:1: the input has no chapters"),
              std::string::npos);
    EXPECT_NE(refusal_of("in.mkv no.mkv --live --end chapter:1").find("a live input has no chapters"),
              std::string::npos);
    EXPECT_NE(refusal_of("in.mkv no.mkv --start chapter:3 --end chapter:2").find("--end is not after --start"),
              std::string::npos);
    EXPECT_NE(refusal_of("in.mkv no.mkv --start 1.2 --end chapter:1").find("--end is not after --start"),
              std::string::npos);
    for (const std::string wrong : {"chapter:0", "chapter:", "chapter:2-4", "chapter:-1", "chapter:x"}) {
        EXPECT_NE(refusal_of("in.mkv no.mkv --start " + wrong).find("is not a chapter by its number, from 1"),
                  std::string::npos)
            << wrong;
    }
    EXPECT_NE(refusal_of("in.mkv no.mkv --duration chapter:2").find("a place, which --start and --end alone take"),
              std::string::npos);
    EXPECT_NE(refusal_of("-ss chapter:2 -i in.mkv no.mkv").find("is neither seconds nor"), std::string::npos);
    EXPECT_NE(refusal_of("in.mkv no.mkv --chapters 2-4").find("that is --start chapter:2 --end chapter:4"),
              std::string::npos);
    EXPECT_NE(refusal_of("-i in.mkv -o no.mkv -c 2-4").find("--start chapter:2 --end chapter:4"), std::string::npos);
}

// Those of all files, one behind the other, to the picture: a file may be longer than its header says, and than its
// pictures are.
TEST_F(PartsByChapters, GoOnInAppendedFiles) {
    make_film("in.mp4", {{0, 30 * ticks, "a1"}, {30 * ticks, 90 * ticks, "a2"}});
    make_film("b.mp4", {{0, 20 * ticks, "b1"}, {20 * ticks, 90 * ticks, "b2"}});
    const Hashes all = picture_hashes("in.mp4");
    EXPECT_EQ(pictures_of("in.mp4", "--append b.mp4 --start chapter:3 --end chapter:3"), between(all, 0, 20));
    EXPECT_EQ(pictures_of("in.mp4", "--append b.mp4 --start chapter:4"), between(all, 20, 90));
    Hashes both = all;
    both.insert(both.end(), all.begin(), all.begin() + 20);
    EXPECT_EQ(pictures_of("in.mp4", "--append b.mp4 --end chapter:3"), both);
    // Of two, the first of which says that it is half a second long.
    ffmpeg("-i in.mp4 -c:v copy -c:a pcm_s16le -write_crc32 0 short.mkv");
    std::string bytes = content("short.mkv");
    const std::size_t at = bytes.find("\x44\x89\x88");  // Duration, a double
    ASSERT_NE(at, std::string::npos);
    write("short.mkv", bytes.replace(at + 3, 8, std::string("\x40\x7F\x40\0\0\0\0\0", 8)));
    Hashes joint = picture_hashes("short.mkv");
    const Hashes first = between(joint, 0, 30);
    joint.insert(joint.end(), first.begin(), first.end());
    EXPECT_EQ(pictures_of("short.mkv", "--append short.mkv --end chapter:3"), joint);
    EXPECT_NE(refusal_of("in.mp4 no.mkv --append b.mp4 --start chapter:5").find("the input has 4 chapters"),
              std::string::npos);
}

TEST_F(PartsByChapters, AreEachFilesOwnWhereThereAreMany) {
    make_film("in.mkv", {{0, 30 * ticks}, {30 * ticks, 90 * ticks}});
    make_film("other.mkv", {{0, 45 * ticks}, {45 * ticks, 90 * ticks}});
    const Result result = vfilter(
        "plain_in.mkv in.mkv other.mkv --output-dir done --keep-going --codec ffv1 --start chapter:2 --report r.json");
    EXPECT_EQ(result.code, 2) << result;
    EXPECT_FALSE(exists("done/plain_in.mkv"));
    const Hashes all = picture_hashes("in.mkv");
    EXPECT_EQ(picture_hashes("done/in.mkv"), between(all, 30, 90));
    EXPECT_EQ(picture_hashes("done/other.mkv"), between(all, 45, 90));
    EXPECT_EQ(json_of("r.json").at("files").at(0).at("error"), "--start chapter:2: the input has no chapters");
}

}  // namespace

}  // namespace vfilter::test
