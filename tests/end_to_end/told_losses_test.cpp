// What an input says beside its pictures and words, and outputs do not hold: each is told, or carried.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "tests/support/end_to_end.h"
#include "tests/support/pgs.h"

namespace vfilter::test {

namespace {

using namespace std::string_literals;

std::string big_number(std::uint32_t value) {
    std::string bytes;
    for (int shift = 24; shift >= 0; shift -= 8) {
        bytes += static_cast<char>(value >> static_cast<unsigned>(shift));
    }
    return bytes;
}

std::string movie_box(const std::string& type, const std::string& payload) {
    return big_number(static_cast<std::uint32_t>(payload.size() + 8)) + type + payload;
}

class ToldLosses : public EndToEnd {
protected:
    using Names = std::vector<std::string>;

    // Puts a box into the last one of such parents, of which each is in the one before; the index is behind all else.
    static void add_box(std::string& bytes, const Names& parents, const std::string& made) {
        std::size_t inner = 0;
        for (const std::string& parent : parents) {
            inner = bytes.rfind(parent);
            ASSERT_NE(inner, std::string::npos) << parent;
            bytes.replace(inner - 4, 4, big_number(size_at(bytes, inner) + static_cast<std::uint32_t>(made.size())));
        }
        bytes.insert(inner - 4 + size_at(bytes, inner) - made.size(), made);
    }
    static std::uint32_t size_at(const std::string& bytes, std::size_t type) {
        std::uint32_t size = 0;
        for (std::size_t i = 0; i < 4; ++i) {
            size = size << 8U | static_cast<unsigned char>(bytes.at(type - 4 + i));
        }
        return size;
    }
    [[nodiscard]] Names warnings(const std::string& arguments) const {
        return filter(arguments).at("warnings").get<Names>();
    }
    // Of lines of stderr those that have these words.
    [[nodiscard]] std::ptrdiff_t told(const std::string& arguments, const std::string& words) const {
        return std::ranges::count_if(warnings(arguments),
                                     [&](const std::string& line) { return line.find(words) != std::string::npos; });
    }
    [[nodiscard]] Names dropped(const std::string& arguments) const {
        return filter(arguments).at("tags_dropped").get<Names>();
    }
    [[nodiscard]] Names unread_of(const std::string& arguments) const {
        return filter(arguments).at("labels_unread").get<Names>();
    }
};

TEST_F(ToldLosses, OfAConversionAreWarnings) {
    ffmpeg("-f lavfi -i color=red@0.5:s=64x48:r=5:d=0.4,format=yuva420p -c:v ffv1 alpha.mkv");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=5:d=0.4 -pix_fmt rgb24 -c:v png rgb.mov");
    EXPECT_EQ(told("alpha.mkv out.mp4 --codec x264 --box 3", "with loss of alpha"), 1);
    EXPECT_EQ(warnings("alpha.mkv out.mkv --codec ffv1 --box 3"), Names());
    EXPECT_EQ(warnings("rgb.mov out.mkv --codec ffv1 --box 3"), Names()) << "without loss";
    EXPECT_EQ(warnings("alpha.mkv out.mp4 --codec x264 --box 3 --pix-fmt yuv420p"), Names()) << "as was asked for";
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=5:d=0.2 -pix_fmt yuv420p -c:v ffv1 one.mkv");
    EXPECT_EQ(told("one.mkv out.pgm --box 3", "the gray has the limited range"), 1);
}

TEST_F(ToldLosses, PicturesOfChaptersAreLeftOut) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=32x32:r=1:d=2 -f lavfi -i testsrc2=s=64x48:r=25:d=2 -map 0 -map 1 -c:v:0 mjpeg "
        "-c:v:1 libx264 in.mp4");
    std::string bytes = content("in.mp4");
    add_box(bytes, {"moov", "trak"}, movie_box("tref", movie_box("chap", big_number(1))));
    write("in.mp4", bytes);
    for (const std::string out : {"out.mkv", "out.mp4"}) {
        const nlohmann::json report = filter("in.mp4 --box 3 " + out);
        EXPECT_EQ(report.at("streams_dropped").size(), 1U) << report;
        EXPECT_NE(report.at("warnings").dump().find("a picture of each chapter"), std::string::npos) << report;
        EXPECT_EQ(probe(out).streams.size(), 1U);
    }
}

TEST_F(ToldLosses, ColoursOfCopiedVideosAreTold) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=5:d=0.4 -f lavfi -i testsrc2=s=32x32:r=5:d=0.4 -map 0 -map 1 -c:v ffv1 "
        "-pix_fmt:v:1 yuv420p10le -color_primaries:v:1 bt2020 -color_trc:v:1 arib-std-b67 -colorspace:v:1 bt2020nc "
        "-color_range:v:1 tv in.mkv");
    const std::string lost = "colours bt2020/arib-std-b67/bt2020nc of stream 1";
    EXPECT_EQ(dropped("in.mkv out.avi --codec ffv1 --box 3"), Names{lost});
    EXPECT_EQ(dropped("in.mkv out.nut --codec ffv1 --box 3"), Names{lost});
    EXPECT_EQ(dropped("in.mkv out.mkv --codec ffv1 --box 3"), Names());
    // The bit stream says it as well.
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=5:d=0.4 -f lavfi -i testsrc2=s=32x32:r=5:d=0.4 -map 0 -map 1 -c:v libx264 "
        "-color_primaries:v:1 bt709 -color_trc:v:1 bt709 -colorspace:v:1 bt709 -color_range:v:1 tv in.mp4");
    for (const std::string out : {"out.avi", "out.ts", "out.mkv", "out.nut"}) {
        EXPECT_EQ(dropped("in.mp4 --box 3 " + out), Names()) << out;
    }
}

TEST_F(ToldLosses, EndsAndTagsOfChaptersAreTold) {
    write("gaps.txt",
          ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=400\ntitle=One\nARTIST=Alice\n[CHAPTER]\n"
          "TIMEBASE=1/1000\nSTART=800\nEND=1000\ntitle=Two\n");
    write("close.txt",
          ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=500\ntitle=One\n[CHAPTER]\n"
          "TIMEBASE=1/1000\nSTART=500\nEND=1000\ntitle=Two\n");
    make_clip("clip.mp4");
    ffmpeg("-i clip.mp4 -i gaps.txt -map 0 -map_chapters 1 -c copy gaps.mkv");
    ffmpeg("-i clip.mp4 -i close.txt -map 0 -map_chapters 1 -c copy close.mkv");
    EXPECT_EQ(dropped("gaps.mkv out.mp4 --box 3"), (Names{"ends of chapters", "ARTIST of chapters"}));
    EXPECT_EQ(dropped("gaps.mkv out.mkv --box 3"), Names());
    for (const std::string out : {"out.mp4", "out.mov", "out.mkv", "out.nut"}) {
        EXPECT_EQ(dropped("close.mkv --box 3 " + out), Names()) << out;
    }
}

TEST_F(ToldLosses, NamesOfHandlersAreTitles) {
    make_clip("clip.mp4", 25, "-metadata:s:a handler_name='Director commentary'");
    make_clip("usual.mp4");
    EXPECT_EQ(dropped("clip.mp4 out.avi --box 3"), Names());
    EXPECT_EQ(probe("out.avi").of("audio").at(0).tag("title"), "Director commentary");
    EXPECT_EQ(dropped("clip.mp4 out.mp4 --box 3"), Names());
    EXPECT_EQ(probe("out.mp4").of("audio").at(0).tag("handler_name"), "Director commentary");
    EXPECT_EQ(dropped("clip.mp4 out.ts --box 3"), Names{"title of stream 1"});
    for (const std::string out : {"out.avi", "out.ts", "out.mkv"}) {
        EXPECT_EQ(dropped("usual.mp4 --box 3 " + out), Names()) << out;
    }
    EXPECT_EQ(probe("out.mkv").of("audio").at(0).tag("title"), "");
}

TEST_F(ToldLosses, TagsThatEndLikeIdentifiersAreTags) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v mpeg2video -metadata ASSET_UID=4711 in.mkv");
    EXPECT_EQ(dropped("in.mkv out.avi --box 3"), Names{"ASSET_UID"});
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v mpeg2video -f mxf in.mxf");
    EXPECT_EQ(filter("in.mxf out.avi --box 3").at("tags_dropped").dump().find("uid"), std::string::npos);
    EXPECT_EQ(filter("in.mxf out.avi --box 3").at("tags_dropped").dump().find("umid"), std::string::npos);
}

TEST_F(ToldLosses, PlacesAndColoursOfWordsAreTold) {
    write("in.srt",
          "1\n00:00:00,100 --> 00:00:00,400\n{\\an8}Top\n\n2\n00:00:00,500 --> 00:00:00,900\n<font "
          "color=\"#ff0000\">red</font>\n\n");
    write("plain.srt", "1\n00:00:00,100 --> 00:00:00,400\n<b>bold</b> <i>it</i>\n\n");
    make_clip("clip.mp4");
    for (const std::string name : {"in", "plain"}) {
        ffmpeg(fmt::format("-i clip.mp4 -i {0}.srt -map 0:v -map 1 -c copy {0}.mkv", name));
    }
    for (const std::string out : {"out.mp4", "out.webm --codec vp8"}) {
        EXPECT_EQ(told("in.mkv --box 3 " + out, "the places on the screen of the subtitles are lost"), 1) << out;
        EXPECT_EQ(told("in.mkv --box 3 " + out, "the colours of the subtitles are lost"), 1) << out;
        EXPECT_EQ(warnings("plain.mkv --box 3 " + out), Names()) << out;
    }
    EXPECT_EQ(warnings("in.mkv out.mkv --box 3"), Names());
}

// The palette stands beside a DVD's streams.
TEST_F(ToldLosses, PalettesOfDvdsAreTold) {
    write("words.sup", sup_file({{0, pgs_picture(1)}, {1, pgs_clear()}}));
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=2 -i words.sup -map 0 -map 1 -c:v libx264 -g 25 -c:s copy pgs.mkv");
    ffmpeg("-fix_sub_duration -i pgs.mkv -map 0 -c:v copy -c:s dvdsub in.mkv");
    EXPECT_EQ(told("in.mkv out.mpg --box 3", "the palette of stream 1"), 1);
    EXPECT_EQ(told("in.mkv out.mkv --box 3", "palette"), 0);
    EXPECT_EQ(told("out.mpg out.vob --box 3", "palette"), 0) << "which has none";
}

TEST_F(ToldLosses, NamesOfCoversAreTold) {
    ffmpeg("-f lavfi -i color=blue:s=32x32 -frames:v 1 -pix_fmt yuvj420p front.jpg");
    make_clip("clip.mp4", 5);
    const std::string attach =
        "-i clip.mp4 -map 0 -c copy -attach front.jpg -metadata:s:2 mimetype=image/jpeg "
        "-metadata:s:2 filename=";
    ffmpeg(attach + "front.jpg -metadata:s:2 title=Scan in.mkv");
    ffmpeg(attach + "cover.jpg usual.mkv");
    EXPECT_EQ(dropped("in.mkv out.mkv --box 3"), Names());
    Names lost = dropped("in.mkv out.mp4 --box 3");
    std::ranges::sort(lost);
    EXPECT_EQ(lost, (Names{"filename of stream 2", "title of stream 2"}));
    EXPECT_EQ(dropped("usual.mkv out.mp4 --box 3"), Names());
}

TEST_F(ToldLosses, ALaterRotationIsTold) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v libx264 -bf 0 in.h264");
    ffmpeg("-i in.h264 -c copy -bsf:v h264_metadata=display_orientation=insert:rotate=90 turned.h264");
    write("later.h264", content("in.h264") + content("turned.h264"));
    EXPECT_EQ(told("later.h264 out.mp4 --box 3", "rotation 90 degrees (first none)") +
                  told("later.h264 out.mp4 --box 3", "rotation -90 degrees (first none)"),
              1);
    EXPECT_EQ(told("turned.h264 out.mp4 --box 3", "labelled differently"), 0);
    EXPECT_EQ(told("in.h264 out.mp4 --box 3", "labelled differently"), 0);
}

TEST_F(ToldLosses, TimeCodesThatJumpAreTold) {
    for (const std::string hour : {"01", "10"}) {
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=64x48:r=25:d=2 -c:v mpeg2video -g 12 -bf 0 -timecode {0}:00:00:00 "
                        "-f mpeg2video {0}.m2v",
                        hour));
    }
    write("in.m2v", content("01.m2v") + content("10.m2v"));
    EXPECT_EQ(told("in.m2v out.ts --box 3", "the time code of the pictures jumps at 2.000 s, to 10:00:00"), 1);
    EXPECT_EQ(told("01.m2v out.ts --box 3", "jumps"), 0);
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=2 -c:v mpeg2video -g 12 -bf 0 -f mpeg2video plain.m2v");
    write("in.m2v", content("plain.m2v") + content("plain.m2v"));
    EXPECT_EQ(told("in.m2v out.ts --box 3", "jumps"), 0) << "which only count";
    for (const std::string hour : {"01", "10"}) {
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=720x576:r=25:d=0.4 -pix_fmt yuv420p -c:v dvvideo -timecode "
                        "{0}:00:00:00 -f dv {0}.dv",
                        hour));
    }
    write("in.dv", content("01.dv") + content("10.dv"));
    EXPECT_EQ(told("in.dv out.mov --box 3", "the time code of the pictures jumps at 0.400 s, to 10:00:00:00"), 1);
    EXPECT_EQ(told("01.dv out.mov --box 3", "time code"), 0);
}

TEST_F(ToldLosses, FurtherLayersAreTold) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.04 -c:v libx264 -bf 0 plain.h264");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.04 -c:v libx265 -x265-params log-level=error plain.hevc");
    write("in.h264", content("plain.h264") + "\0\0\0\1\x74\x40\x00\xc1"s + std::string(40, '\x55'));
    write("in.hevc", content("plain.hevc") + "\0\0\0\1\x02\x09"s + std::string(40, '\x55'));
    for (const std::string codec : {"h264", "hevc"}) {
        const std::string layer = "a second layer (alpha or another view) is left out";
        EXPECT_EQ(told(fmt::format("in.{} out.mkv --box 3", codec), layer), 1) << codec;
        EXPECT_EQ(told(fmt::format("plain.{} out.mkv --box 3", codec), layer), 0) << codec;
    }
}

// The header of a track begins with its flags, of which one is that it is enabled; its volume is behind 36 bytes.
TEST_F(ToldLosses, WhatFfmpegDoesNotReadOfMoviesIsTold) {
    make_clip("in.mp4", 25, "-metadata title=Name");
    const std::string plain = content("in.mp4");
    EXPECT_EQ(unread_of("in.mp4 out.mkv --box 3"), Names());
    std::string bytes = plain;
    add_box(bytes, {"moov", "trak", "mdia"}, movie_box("elng", big_number(0) + "pt-BR\0"s));
    const std::size_t header = bytes.rfind("tkhd") + 4;
    bytes[header + 3] = static_cast<char>(bytes[header + 3] & ~1);
    bytes.replace(header + 36, 2, "\x00\x40"s);
    bytes[bytes.rfind("\xa9nam") + 15] = '\x02';
    bytes += movie_box("uuid", "\xbe\x7a\xcf\xcb\x97\xa9\x42\xe8\x9c\x71\x99\x94\x91\xe3\xaf\xac<x/>"s);
    write("in.mp4", bytes);
    const Names found = unread_of("in.mp4 out.mkv --box 3");
    EXPECT_EQ(found, (Names{"XMP", "the tag \u00a9nam in UTF-16", "volume 0.25 of stream 1",
                            "language pt-BR of stream 1", "that stream 1 is disabled"}));
    EXPECT_EQ(unread_of("in.mp4 out.mkv --box 3 --streams video"), (Names{"XMP", "the tag \u00a9nam in UTF-16"}));
    bytes = plain;
    const std::size_t rate = bytes.rfind("elst") + 20;
    bytes.replace(rate, 4, big_number(0x8000));
    write("in.mp4", bytes);
    EXPECT_EQ(unread_of("in.mp4 out.mkv --box 3"), Names{"an edit at rate 0.5 of stream 1"});
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -f lavfi -i sine=d=0.4 -af 'pan=4c|c0=c0|c1=c0|c2=c0|c3=c0' -c:v "
        "libx264 -c:a aac in.mp4");
    bytes = content("in.mp4");
    const std::string order = big_number(0) + big_number(1) + big_number(2) + big_number(3);
    add_box(bytes, {"moov", "trak", "mdia", "minf", "stbl", "stsd", "mp4a"},
            movie_box("SA3D", "\0\0"s + big_number(1) + "\0\0"s + big_number(4) + order));
    write("in.mp4", bytes);
    EXPECT_EQ(unread_of("in.mp4 out.mkv --box 3"), Names{"ambisonic channels (SA3D) of stream 1"});
}

}  // namespace

}  // namespace vfilter::test
