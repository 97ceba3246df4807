// What the output says: tags that are set, tags that are stripped to the last byte, and the container's own options.

#include <fmt/format.h>

#include <algorithm>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Tags : public EndToEnd {
protected:
    // Every kind of tag has a needle of its own, which must not be in the file's bytes once it is stripped.
    void make_tagged(const std::string& name) const;
    [[nodiscard]] bool holds(const std::string& name, const std::string& needle) const {
        return content(name).find(needle) != std::string::npos;
    }
    // The types of the boxes of an mp4, outermost, in order.
    [[nodiscard]] std::vector<std::string> boxes(const std::string& name) const;
};

void Tags::make_tagged(const std::string& name) const {
    make_clip("in0.mp4");
    write("font.ttf", "NeedleFont" + std::string(1000, 'f'));
    write("tags.txt",
          ";FFMETADATA1\ntitle=NeedleTitle\nlocation=+48.1372+011.5756/\nplace=-33.8688+151.2093/\n"
          "[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=NeedleChapter\n");
    ffmpeg(
        fmt::format("-i in0.mp4 -i tags.txt -map 0 -map_metadata 1 -attach font.ttf -metadata:s:t mimetype=font/ttf "
                    "-metadata:s:t title=NeedleAttachment -metadata:s:t filename=NeedleName.ttf "
                    "-metadata:s:v title=NeedleVideo -metadata:s:a title=NeedleSound -c copy {}",
                    name));
}

std::vector<std::string> Tags::boxes(const std::string& name) const {
    const std::string bytes = content(name);
    std::vector<std::string> types;
    for (std::size_t at = 0; at + 8 <= bytes.size();) {
        std::size_t size = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            size = size << 8U | static_cast<unsigned char>(bytes[at + i]);
        }
        types.push_back(bytes.substr(at + 4, 4));
        if (size < 8) {
            ADD_FAILURE() << types.back() << " of " << size << " bytes at " << at;
            break;
        }
        at += size;
    }
    return types;
}

// What says which program wrote the input is not true of the output, and is no reason to hide a title from players.
TEST_F(Tags, OfTheOldFileGoWithIt) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -metadata title=NeedleTitle -c:v mpeg4 in.avi");
    const Result plain = vfilter("in.avi out.mp4");
    ASSERT_EQ(plain.code, 0) << plain;
    EXPECT_EQ(plain.err.find("title"), std::string::npos) << plain;
    EXPECT_TRUE(holds("out.mp4", "\xa9nam"));
    EXPECT_FALSE(holds("out.mp4", "mdta"));
    const Result other = vfilter("in.avi other.mp4 --metadata year=2020");
    ASSERT_EQ(other.code, 0) << other;
    EXPECT_NE(other.err.find("iTunes' tags in mp4 have no place for year"), std::string::npos) << other;
    EXPECT_EQ(probe("other.mp4").tag("title"), "NeedleTitle");
    EXPECT_EQ(probe("other.mp4").tag("year"), "2020");
    filter("other.mp4 out.mkv --box 3");
    for (const char* const tag : {"MAJOR_BRAND", "MINOR_VERSION", "COMPATIBLE_BRANDS"}) {
        EXPECT_EQ(probe("out.mkv").tag(tag), "") << tag;
    }
    EXPECT_EQ(probe("out.mkv").tag("title"), "NeedleTitle");
}

TEST_F(Tags, AreSetAndRemoved) {
    make_tagged("in.mkv");
    for (const char* const out : {"out.mkv", "out.mp4"}) {
        filter(fmt::format("in.mkv {} --gaussian 5 --metadata comment=Mine --metadata TITLE=", out));
        EXPECT_EQ(probe(out).tag("comment"), "Mine") << out;
        EXPECT_EQ(probe(out).tag("title"), "") << out;
        EXPECT_FALSE(holds(out, "NeedleTitle")) << out;
    }
}

// Those of the user and of the input, of the file and of its streams.
TEST_F(Tags, ThatTheContainerDoesNotHoldAreNamed) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:d=0.4 -f lavfi -i sine=d=0.4 -f lavfi -i sine=500:d=0.4 -map 0 -map 1 -map 2 "
        "-c:v "
        "libx264 -c:a aac -metadata title=Name -metadata:s:a:0 language=deu -metadata:s:a:1 language=eng "
        "-metadata:s:a:1 title=Kommentar -disposition:a:0 0 -disposition:a:1 default+comment in.mkv");
    const auto left_out = [&](const std::string& out) {
        const nlohmann::json report = filter(fmt::format("in.mkv {} --gaussian 5 --metadata artist=Mine", out));
        auto tags = report.at("tags_dropped").get<std::vector<std::string>>();
        EXPECT_EQ(report.at("stderr").dump().find("does not hold, and leaves out: ") != std::string::npos,
                  !tags.empty());
        std::ranges::sort(tags);
        return tags;
    };
    using Names = std::vector<std::string>;
    EXPECT_EQ(left_out("out.mkv"), Names());
    EXPECT_EQ(left_out("out.mp4"), Names());
    EXPECT_EQ(left_out("out.ts"),
              (Names{"artist", "comment of stream 2", "default of stream 2", "title", "title of stream 2"}));
    EXPECT_EQ(left_out("out.avi"),
              (Names{"comment of stream 2", "default of stream 2", "language of stream 1", "language of stream 2"}));
    EXPECT_EQ(left_out("out.h264"), (Names{"artist", "title"}));
    // QuickTime's tracks have no titles but handlers.
    EXPECT_EQ(probe("out.mp4").of("audio").at(1).tag("handler_name"), "Kommentar");
}

TEST_F(Tags, LanguagesOfQuickTimeAreSpeltAsItsMuxerKnowsThem) {
    std::string streams;
    std::string labels;
    const std::vector<std::string> given{"fre", "fra", "deu", "ger", "cze", "nld", "zho", "eng", "swe", "hrv"};
    for (std::size_t i = 0; i < given.size(); ++i) {
        streams += " -map 1";
        labels += fmt::format(" -metadata:s:a:{} language={}", i, given[i]);
    }
    ffmpeg("-f lavfi -i testsrc2=s=64x64:d=0.1 -f lavfi -i sine=d=0.1 -map 0" + streams + " -c:v libx264 -c:a aac" +
           labels + " in.mkv");
    EXPECT_EQ(filter("in.mkv out.mov --gaussian 5").at("tags_dropped"), nlohmann::json::array());
    const std::vector<std::string> wanted{"fra", "fra", "ger", "ger", "ces", "dut", "chi", "eng", "sve", "hr "};
    const Media out = probe("out.mov");
    for (std::size_t i = 0; i < wanted.size(); ++i) {
        EXPECT_EQ(out.of("audio").at(i).tag("language"), wanted[i]) << given[i];
    }
    // Which nobody else writes.
    EXPECT_EQ(filter("out.mov out.mkv --box 3 --streams video,audio:hrv,audio:swe").at("tags_dropped"),
              nlohmann::json::array());
    EXPECT_EQ(probe("out.mkv").of("audio").at(0).tag("language"), "hrv");
    EXPECT_EQ(probe("out.mkv").of("audio").at(1).tag("language"), "swe");
}

TEST_F(Tags, PlacesAreTheSameInFewerDigits) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:d=0.2 -c:v libx264 -metadata location=+48.1+11.5/ in.mkv");
    EXPECT_EQ(filter("in.mkv out.mp4 --gaussian 5").at("tags_dropped").size(), 0U);
    EXPECT_EQ(probe("out.mp4").tag("location"), "+48.1000+011.5000/");
    EXPECT_EQ(filter("in.mkv out.avi --gaussian 5").at("tags_dropped").at(0), "LOCATION");
}

TEST_F(Tags, ShapesOfPixelsThatAreLostAreTold) {
    ffmpeg("-f lavfi -i testsrc2=s=96x64:d=0.2 -vf setsar=64/45 -c:v libx264 in.mkv");
    const auto left_out = [&](const std::string& out) {
        return filter("in.mkv " + out + " -y --gaussian 5").at("tags_dropped").dump();
    };
    for (const std::string out : {"out.mkv", "out.mp4", "out.mov", "out.ts", "out.avi", "out.flv", "out.nut", "out.y4m",
                                  "out.png --frames 1", "out.h264"}) {
        EXPECT_EQ(left_out(out), "[]") << out;
    }
    for (const std::string out : {"out.bmp --frames 1", "out_%02d.bmp", "out.ivf --codec libvpx"}) {
        EXPECT_NE(left_out(out).find("pixel aspect 64:45 of stream 0"), std::string::npos) << out;
    }
}

// FFmpeg's muxer of Ogg writes none with FLAC, and with Opus (5.1) at other times.
TEST_F(Tags, ChaptersThatAreNotThereAreTold) {
    make_tagged("in.mkv");
    for (const char* const out : {"out.ogv --audio flac", "out.ogv --audio opus", "out.mkv"}) {
        const auto tags =
            filter(fmt::format("in.mkv {} -y --gaussian 3", out)).at("tags_dropped").get<std::vector<std::string>>();
        const std::string name = std::string(out).substr(0, 7);
        const bool told = std::ranges::find(tags, "1 chapter") != tags.end();
        const bool there = probe(name).chapters.size() == probe("in.mkv").chapters.size();
        EXPECT_TRUE(told || there) << out;
        EXPECT_EQ(told, std::string(out) == "out.ogv --audio flac") << out;
    }
}

// The cover stays behind, and what mp4 could not hold beside it has not to.
TEST_F(Tags, OfTheUserStayWhereTheCoverDoesNot) {
    make_clip("clip.mp4", 5);
    ffmpeg("-f lavfi -i color=red:s=64x64 -frames:v 1 cover.jpg");
    ffmpeg("-i clip.mp4 -map 0 -c copy -metadata own=Mine -attach cover.jpg -metadata:s:t mimetype=image/jpeg in.mkv");
    filter("in.mkv out.mp4 --gaussian 3 --streams video,audio");
    EXPECT_EQ(probe("out.mp4").tag("OWN"), "Mine");
}

TEST_F(Tags, TellTheTimeOfAPart) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=30000/1001:d=4 -c:v libx264 -preset veryfast -timecode \"01:00:59;28\" in.mov");
    for (const auto& [part, code] : {std::pair("", "01:00:59;28"),
                                     {"--start 1", "01:01:01;00"},  // minutes begin with picture 2
                                     {"--start 2.5", "01:01:02;15"},
                                     {"--start 1 --metadata timecode=02:00:00:00", "02:00:00:00"}}) {
        filter(fmt::format("in.mov out.mov --gaussian 3 {}", part));
        EXPECT_EQ(probe("out.mov").video().tag("timecode"), code) << part;
    }
    for (const auto& [rate, code] : {std::pair("60000/1001", "01:00:59;56"), {"25", "01:00:59:23"}}) {
        EXPECT_EQ(vfilter(fmt::format("in.mov out.mov -y --vf fps={}", rate)).code, 0);
        EXPECT_EQ(probe("out.mov").video().tag("timecode"), code) << rate;
    }
}

TEST_F(Tags, AreStrippedToTheLastByte) {
    make_tagged("in.mkv");
    const std::vector<std::string> places{"48.1372", "151.2093"};
    const std::vector<std::string> tags{"NeedleTitle", "NeedleChapter",    "NeedleVideo",
                                        "NeedleSound", "NeedleAttachment", "NeedleName",
                                        "x264 - core", "Lavf59",           "Lavc59"};
    for (const std::string& needle :
         {places[0], places[1], tags[0], tags[1], tags[2], tags[3], tags[4], tags[5], tags[6]}) {
        ASSERT_TRUE(holds("in.mkv", needle)) << needle;
    }
    for (const char* const out : {"out.mkv", "out.mp4"}) {
        filter(fmt::format("in.mkv {} --gaussian 5 --strip gps", out));
        for (const std::string& needle : places) {
            EXPECT_FALSE(holds(out, needle)) << needle << " in " << out;
        }
        EXPECT_TRUE(holds(out, "NeedleTitle"));
        for (const char* const what : {"metadata", "all"}) {
            filter(fmt::format("in.mkv {} --gaussian 5 --strip {} --audio aac", out, what));
            for (const std::string& needle : tags) {
                EXPECT_FALSE(holds(out, needle)) << needle << " in " << out;
            }
            for (const std::string& needle : places) {
                EXPECT_FALSE(holds(out, needle)) << needle << " in " << out;
            }
            EXPECT_EQ(count_pictures(out), 25) << out;
            const bool all = std::string(what) == "all";
            EXPECT_EQ(holds(out, "NeedleFont"), !all && std::string(out) == "out.mkv") << out;
        }
    }
}

// A JPEG as a phone writes it: with EXIF behind its first two bytes.
TEST_F(Tags, PlacesInPicturesAreStripped) {
    ffmpeg("-f lavfi -i testsrc2=s=96x64 -frames:v 1 -bitexact plain.jpg");
    const std::string plain = content("plain.jpg");
    using namespace std::string_literals;
    const std::string exif = "\xFF\xE1\0\x22"s + "Exif\0\0"s + "II*\0\x08\0\0\0\0\0\0\0\0\0"s + "NeedlePlace1";
    write("in.jpg", plain.substr(0, 2) + exif + plain.substr(2));
    make_clip("in0.mp4", 5);
    ffmpeg("-i in0.mp4 -i in.jpg -map 0 -map 1 -c copy -disposition:v:1 attached_pic in.mp4");
    ASSERT_TRUE(holds("in.mp4", "NeedlePlace"));
    filter("in.mp4 kept.mp4 --gaussian 3");
    EXPECT_TRUE(holds("kept.mp4", "NeedlePlace"));
    for (const char* const out : {"out.mp4", "out.mkv"}) {
        filter(fmt::format("in.mp4 {} --gaussian 3 --strip gps", out));
        EXPECT_FALSE(holds(out, "NeedlePlace")) << out;
        EXPECT_TRUE(holds(out, plain.substr(20))) << "the cover's own bytes in " << out;
    }
    filter("in.jpg out.jpg --gaussian 3 --strip gps");
    EXPECT_FALSE(holds("out.jpg", "NeedlePlace"));
}

TEST_F(Tags, OfHevcEncodersAreStripped) {
    make_clip("in.mp4");
    filter("in.mp4 with.mp4 --gaussian 5 --codec x265 --preset ultrafast");
    filter("in.mp4 out.mp4 --gaussian 5 --codec x265 --preset ultrafast --strip metadata");
    EXPECT_TRUE(holds("with.mp4", "x265 (build"));
    EXPECT_FALSE(holds("out.mp4", "x265 (build"));
    EXPECT_EQ(picture_hashes("with.mp4"), picture_hashes("out.mp4"));
}

// Of a video that is copied, too.
TEST_F(Tags, OfEncodersAreStrippedOfCopies) {
    make_clip("in0.mp4");
    ffmpeg("-i in0.mp4 -map 0:v -map 0:v -c copy in.mkv");
    filter("in.mkv out.mkv --gaussian 5 --codec ffv1 --video-stream 0 --strip metadata");
    EXPECT_TRUE(holds("in.mkv", "x264 - core"));
    EXPECT_FALSE(holds("out.mkv", "x264 - core"));
    EXPECT_EQ(ffmpeg_output("-i in.mkv -map 0:v:1 -f framemd5 -"),
              ffmpeg_output("-i out.mkv -map 0:v:1 -f framemd5 -"));
}

TEST_F(Tags, HaveTheIndexInFront) {
    make_clip("in.mp4", 50);
    for (const char* const out : {"out.mp4", "out.mov"}) {
        filter(fmt::format("in.mp4 {} --gaussian 5", out));
        const std::vector<std::string> types = boxes(out);
        const auto at = [&](const char* type) { return std::ranges::find(types, type) - types.begin(); };
        EXPECT_EQ(at("ftyp"), 0);
        EXPECT_LT(at("moov"), at("mdat")) << out;
        EXPECT_LT(at("mdat"), std::ssize(types)) << out;
        EXPECT_EQ(count_pictures(out), 50) << out;
    }
    filter("in.mp4 out.mp4 --gaussian 5 --muxer-option movflags=-faststart");
    EXPECT_EQ(boxes("out.mp4").back(), "moov");
    filter("in.mp4 out.mp4 --gaussian 5 --muxer-option movflags=+faststart");
    EXPECT_NE(boxes("out.mp4").back(), "moov");
}

// Its length is known only at the end.
TEST_F(Tags, HaveTheIndexInFrontOfWhatCameThroughAPipe) {
    make_clip("in.mkv", 50);
    ffmpeg("-i in.mkv -c copy -f matroska -live 1 in.live");
    const Result result = run("cat in.live | \"$VFILTER\" - out.mp4 --gaussian 5 --progress none");
    ASSERT_EQ(result.code, 0) << result.err;
    const std::vector<std::string> types = boxes("out.mp4");
    EXPECT_EQ(types.at(1), "moov");
    EXPECT_EQ(count_pictures("out.mp4"), 50);
    EXPECT_EQ(parts(), std::vector<std::string>{});
    filter("in.mkv other.mp4 --gaussian 5");
    EXPECT_EQ(picture_hashes("out.mp4"), picture_hashes("other.mp4"));
    EXPECT_EQ(probe("out.mp4").of("audio").front().hashes(), probe("other.mp4").of("audio").front().hashes());
}

TEST_F(Tags, OptionsOfTheContainerReachIt) {
    make_clip("in.mp4");
    filter("in.mp4 out.mp4 --gaussian 5 --muxer-option movflags=frag_keyframe+empty_moov");
    const std::vector<std::string> types = boxes("out.mp4");
    EXPECT_NE(std::ranges::find(types, "moof"), types.end());
    const Result unknown = vfilter("in.mp4 other.mp4 --gaussian 5 --muxer-option nonsense=1");
    EXPECT_EQ(unknown.code, 2);
    EXPECT_NE(unknown.err.find("mp4 knows no option 'nonsense'"), std::string::npos) << unknown.err;
}

TEST_F(Tags, NameTheVideosCodec) {
    make_clip("in.mp4");
    const auto tag = [&](const std::string& arguments) {
        filter("in.mp4 out.mp4 --gaussian 5 --preset ultrafast " + arguments);
        return probe("out.mp4").video().facts.at("codec_tag_string").get<std::string>();
    };
    EXPECT_EQ(tag("--codec x265"), "hvc1");
    EXPECT_EQ(tag("--codec hevc --video-tag hev1"), "hev1");
    EXPECT_EQ(tag("--codec x264"), "avc1");
    const Result wrong = vfilter("in.mp4 other.mp4 --gaussian 5 --video-tag hvc1");
    EXPECT_EQ(wrong.code, 4) << wrong.err;
}

// By which nobody would find a decoder.
TEST_F(Tags, OfAnotherCodecAreRefused) {
    make_clip("in.mp4");
    for (const std::string output :
         {"out.avi --video-tag XXXX", "out.avi --codec x264 --video-tag XVID", "out.mov --video-tag XXXX",
          "out.nut --video-tag avc1", "out.mkv --codec ffvhuff --video-tag HFYU"}) {
        const Result result = vfilter("in.mp4 --box 3 " + output);
        EXPECT_EQ(result.code, 4) << output << result.err;
        EXPECT_NE(result.err.find("it stands for "), std::string::npos) << result.err;
    }
    EXPECT_EQ(vfilter("in.mp4 out.avi --box 3 --video-tag XVID").code, 0);
    EXPECT_EQ(vfilter("in.mp4 out.mp4 --box 3 --codec mpeg2video --video-tag mp4v").code, 0);
    const Result unused = vfilter("in.mp4 out.flv --box 3 --video-tag avc1");
    EXPECT_EQ(unused.code, 0) << unused.err;
    EXPECT_NE(unused.err.find("--video-tag changes nothing"), std::string::npos) << unused.err;
    EXPECT_EQ(count_pictures("out.flv"), count_pictures("in.mp4"));
}

}  // namespace

}  // namespace vfilter::test
