// Subtitles keep their times: those of parts, those that overlap, those of fragments.

#include <fmt/format.h>

#include <algorithm>
#include <regex>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

using Subtitles = EndToEnd;

// One that is shown when the part begins is shown from there on, and not for longer.
TEST_F(Subtitles, OfAPartEndWhereTheyEnded) {
    write("long.srt", "1\n00:00:00,500 --> 00:00:01,500\nHello\n\n2\n00:00:01,700 --> 00:00:02,000\nWorld\n");
    make_clip("clip.mkv", 75, "-g 100");
    ffmpeg("-i clip.mkv -i long.srt -map 0 -map 1 -c copy -c:s srt in.mkv");
    for (const std::string out : {"out.mkv", "out.mp4"}) {
        filter(fmt::format("in.mkv {} --start 1.2 --audio none", out));
        ffmpeg(fmt::format("-i {} out.srt", out));
        EXPECT_NE(content("out.srt").find("00:00:00,000 --> 00:00:00,300"), std::string::npos) << content("out.srt");
        EXPECT_NE(content("out.srt").find("00:00:00,500 --> 00:00:00,800"), std::string::npos) << content("out.srt");
    }
}

TEST_F(Subtitles, OfAPartEndWithIt) {
    write("long.srt", "1\n00:00:00,500 --> 00:00:02,500\nHello\n");
    make_clip("clip.mkv", 75);
    ffmpeg("-i clip.mkv -i long.srt -map 0 -map 1 -c copy -c:s srt in.mkv");
    for (const std::string out : {"out.mkv", "out.mp4"}) {
        filter(fmt::format("in.mkv {} --duration 1.2", out));
        const std::vector<double> shown = probe(out).of("subtitle").at(0).durations();
        EXPECT_NEAR(*std::ranges::max_element(shown), 0.7, 0.03) << out;
    }
}

// One that begins before the key frame that the part is entered by.
TEST_F(Subtitles, OfAPartAreThereThoughTheyBeganLongBefore) {
    write("long.srt",
          "1\n00:00:00,200 --> 00:00:00,900\nGone\n\n2\n00:00:01,000 --> 00:00:05,000\nHello\n\n"
          "3\n00:00:05,100 --> 00:00:05,500\nWorld\n");
    make_clip("clip.mkv", 150, "-g 10");
    ffmpeg("-i clip.mkv -i long.srt -map 0 -map 1 -c copy -c:s srt in.mkv");
    ffmpeg("-i clip.mkv -i long.srt -map 0 -map 1 -c copy -c:s mov_text in.mp4");
    for (const auto& [in, out] : {std::pair("in.mkv", "out.mkv"), {"in.mkv", "out.mp4"}, {"in.mp4", "out.mp4"}}) {
        SCOPED_TRACE(fmt::format("{} {}", in, out));
        for (const auto& [start, hello, world] :
             {std::tuple("4.5", "00:00:00,000 --> 00:00:00,500\nHello", "00:00:00,600 --> 00:00:01,000\nWorld"),
              {"4.7", "00:00:00,000 --> 00:00:00,300\nHello", "00:00:00,400 --> 00:00:00,800\nWorld"}}) {
            filter(fmt::format("{} {} --start {} --audio none", in, out, start));
            ffmpeg(fmt::format("-i {} out.srt", out));
            const std::string text = content("out.srt");
            EXPECT_NE(text.find(hello), std::string::npos) << text;
            EXPECT_NE(text.find(world), std::string::npos) << text;
            EXPECT_EQ(text.find("Gone"), std::string::npos) << text;
            EXPECT_EQ(text.find("Hello", text.find("Hello") + 1), std::string::npos) << text;
        }
    }
}

// mp4's subtitles have durations and no times, so that one that overlaps another would begin at its end.
TEST_F(Subtitles, ThatOverlapKeepTheirTimes) {
    write("words.srt",
          "1\n00:00:00,500 --> 00:00:02,500\nlong\n\n2\n00:00:01,000 --> 00:00:01,500\nshort\n\n"
          "3\n00:00:03,000 --> 00:00:04,000\nlast\n");
    make_clip("clip.mkv", 150);
    for (const std::string form : {"srt", "ass"}) {
        ffmpeg("-i clip.mkv -i words.srt -map 0:v -map 1 -c copy -c:s " + form + " in.mkv");
        const nlohmann::json report = filter("in.mkv out.mp4");
        EXPECT_EQ(report.at("stderr").dump().find("layout") != std::string::npos, form == "ass");
        ffmpeg("-i out.mp4 out.srt");
        EXPECT_EQ(std::regex_replace(content("out.srt"), std::regex("\r"), ""),
                  "1\n00:00:00,500 --> 00:00:01,000\nlong\n\n2\n00:00:01,000 --> 00:00:01,500\nlong\nshort\n\n"
                  "3\n00:00:01,500 --> 00:00:02,500\nlong\n\n4\n00:00:03,000 --> 00:00:04,000\nlast\n\n");
        filter("in.mkv out.webm");
        ffmpeg("-copyts -i out.webm web.srt");
        EXPECT_EQ(content("web.srt"), content("words.srt") + "\n");
    }
}

// Of which FFmpeg tells no durations.
TEST_F(Subtitles, OfFragmentsKeepTheirTimes) {
    write("words.srt", "1\n00:00:00,500 --> 00:00:01,500\none\n\n2\n00:00:03,000 --> 00:00:04,500\ntwo\n\n");
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=6 -c:v libx264 -bf 0 clip.mkv");
    ffmpeg("-i clip.mkv -i words.srt -map 0:v -map 1 -c copy -c:s mov_text -movflags frag_keyframe+empty_moov in.mp4");
    for (const std::string out : {"out.mp4", "out.mkv", "out.webm"}) {
        filter("in.mp4 " + out);
        ffmpeg("-copyts -i " + out + " out.srt");
        const std::string text = content("out.srt");
        EXPECT_NE(text.find("00:00:00,500 --> 00:00:01,500\none"), std::string::npos) << out << text;
        EXPECT_NE(text.find("00:00:03,000 --> 00:00:04,500\ntwo"), std::string::npos) << out << text;
    }
}

// Some writers fill their packets up.
TEST_F(Subtitles, EndWithTheirText) {
    write("words.srt", "1\n00:00:00,100 --> 00:00:00,300\nHi@@@@\n\n");
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=0.4 -i words.srt -c:v mpeg4 -c:s srt -write_crc32 0 in.mkv");
    std::string bytes = content("in.mkv");
    bytes.replace(bytes.find("@@@@"), 4, std::string("\0\xff\xfe\0", 4));
    write("in.mkv", bytes);
    const Result result = vfilter("in.mkv out.mp4 -y --box 3");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(result.err.find("Windows-1252"), std::string::npos) << result;
    ffmpeg("-i out.mp4 out.srt");
    EXPECT_NE(content("out.srt").find("Hi\n"), std::string::npos) << content("out.srt");
}

// DivX calls them videos, and their chunks by another name.
TEST_F(Subtitles, OfDivxAreNoDamage) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -map 0 -map 0 -c:v mpeg4 -vtag FMP4 in.avi");
    std::string bytes = content("in.avi");
    const auto put = [&](const std::string& before, const std::string& after, std::size_t at) {
        for (at = bytes.find(before, at); at != std::string::npos; at = bytes.find(before, at)) {
            bytes.replace(at, after.size(), after);
        }
    };
    put("FMP4", "DXSB", bytes.find("strh", bytes.find("strh") + 1));
    put("01dc", "01sb", 0);
    write("in.avi", bytes);
    const Result result = vfilter("in.avi out.avi -y --box 3");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_NE(result.err.find("xsub) is left out: its pictures tell by themselves"), std::string::npos) << result;
}

}  // namespace

}  // namespace vfilter::test
