// What a file says of its pictures is not lost: rotation, colours, shape, fields, HDR.

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class PictureFacts : public EndToEnd {};

TEST_F(PictureFacts, OfRotationSurviveOrAreNamed) {
    make_clip("clip.mp4");
    // The option came with FFmpeg 6; before, the tag did the same.
    ASSERT_EQ(run("ffmpeg -v quiet -y -display_rotation 90 -i clip.mp4 -c copy in.mp4 || "
                  "ffmpeg -v error -y -i clip.mp4 -c copy -metadata:s:v:0 rotate=270 in.mp4")
                  .code,
              0);
    const nlohmann::json matrix = probe("in.mp4").video().side_data("Display Matrix");
    ASSERT_TRUE(matrix.is_object());
    for (const std::string output : {"out.mp4", "out.mov", "out.mkv"}) {
        SCOPED_TRACE(output);
        const nlohmann::json report = filter("in.mp4 " + output);
        const nlohmann::json seen = probe(output).video().side_data("Display Matrix");
        const bool told = report.at("stderr").dump().find("rotat") != std::string::npos;
        EXPECT_TRUE(output == "out.mkv" && told ? seen.is_null()
                                                : seen.is_object() && seen.at("rotation") == matrix.at("rotation"))
            << seen << report.at("stderr");
    }
}

// The video's own data say it in H.264, not in these.
TEST_F(PictureFacts, OfWholePicturesIsToldByTheContainer) {
    for (const auto& [field, wanted] : {std::pair<std::string, std::string>{"prog", "progressive"}, {"tff", "tt"}}) {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=160x120:r=25:d=0.12 -vf setfield={} {} -c:v libx264 in.mp4", field,
                           field == "tff" ? "-flags +ildct+ilme" : ""));
        ASSERT_EQ(probe("in.mp4").video().facts.value("field_order", ""), wanted);
        for (const std::string output : {"out.mkv --codec ffv1", "out.mov --codec ffv1", "again.mkv --codec utvideo"}) {
            filter("in.mp4 -y --gaussian 3 " + output);
            EXPECT_EQ(probe(output.substr(0, output.find(' '))).video().facts.value("field_order", ""), wanted)
                << output;
        }
    }
}

// Words that are reserved say nothing, which is not lost.
TEST_F(PictureFacts, OfColoursThatAreReservedAreNone) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.2 -c:v libx264 -pix_fmt yuv420p plain.h264");
    for (const std::string words : {"colour_primaries=3:transfer_characteristics=3:matrix_coefficients=3",
                                    "colour_primaries=0:transfer_characteristics=0"}) {
        ffmpeg("-i plain.h264 -c copy -bsf:v h264_metadata=" + words + " in.h264");
        for (const std::string out : {"out.avi --codec mpeg4", "out.mkv --codec ffv1", "out.jpg --frames 1"}) {
            const Result result = vfilter("in.h264 -y --identity " + out);
            EXPECT_EQ(result.code, 0) << result;
            EXPECT_EQ(result.err.find("colours"), std::string::npos) << result;
        }
    }
    ffmpeg("-i plain.h264 -c copy -bsf:v h264_metadata=colour_primaries=9 in.h264");
    EXPECT_NE(vfilter("in.h264 out.avi -y --identity --codec mpeg4").err.find("colours (bt2020)"), std::string::npos);
}

TEST_F(PictureFacts, OfColoursAspectAndFieldsSurvive) {
    struct Row {
        std::string make;
        std::string key;  // which the input has for certain
        std::string value;
    };
    // Options for FFmpeg 5, setparams for 7.
    const Row rows[] = {
        {"-vf setsar=16/11,setparams=range=tv:colorspace=bt709:color_primaries=bt709:color_trc=bt709 -color_range tv "
         "-colorspace bt709 -color_primaries bt709 -color_trc bt709",
         "color_space", "bt709"},
        {"-vf scale=out_range=full,format=yuv420p,setparams=range=pc:colorspace=smpte170m -color_range pc -colorspace "
         "smpte170m",
         "color_range", "pc"},
        {"-vf format=yuv420p10le,setparams=range=tv:colorspace=bt2020nc:color_primaries=bt2020:color_trc=arib-std-b67 "
         "-color_range tv -colorspace bt2020nc -color_primaries bt2020 -color_trc arib-std-b67 -chroma_sample_location "
         "topleft",
         "color_transfer", "arib-std-b67"},
        {"-pix_fmt yuv422p -vf setfield=tff -flags +ildct+ilme", "field_order", "tt"},
        {"-vf setsar=4/3", "sample_aspect_ratio", "4:3"},
    };
    for (const Row& row : rows) {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=160x120:r=25:d=0.4 {} -c:v libx264 in.mp4", row.make));
        const nlohmann::json in = probe("in.mp4").video().facts;
        ASSERT_EQ(in.value(row.key, ""), row.value) << row.make;
        for (const std::string output : {"out.mp4", "out.mkv", "out.mov", "out.ts"}) {
            SCOPED_TRACE(fmt::format("{} -> {}", row.make, output));
            filter(fmt::format("in.mp4 {} --gaussian 3", output));
            const nlohmann::json out = probe(output).video().facts;
            for (const char* const key :
                 {"sample_aspect_ratio", "color_range", "color_space", "color_primaries", "color_transfer",
                  "chroma_location", "pix_fmt", "field_order", "width", "height", "avg_frame_rate"}) {
                EXPECT_EQ(in.value(key, nlohmann::json()), out.value(key, nlohmann::json())) << key;
            }
        }
    }
}

TEST_F(PictureFacts, OfEachFieldOrderSurvive) {
    for (const std::string field : {"tff", "bff"}) {
        ffmpeg(fmt::format(
            "-f lavfi -i testsrc2=s=160x120:r=25:d=0.4 -vf setfield={0} -flags +ildct+ilme -c:v libx264 -x264-params "
            "{0}=1 {0}.mp4",
            field));
        filter(fmt::format("{0}.mp4 {0}.mkv --gaussian 3 --verify", field));
        const std::string line =
            "ffprobe -v error -select_streams v -show_entries frame=interlaced_frame,top_field_first -of compact ";
        const Result wanted = run(line + field + ".mp4");
        EXPECT_NE(wanted.out.find(field == "tff" ? "interlaced_frame=1|top_field_first=1"
                                                 : "interlaced_frame=1|top_field_first=0"),
                  std::string::npos)
            << wanted;
        EXPECT_EQ(wanted.out, run(line + field + ".mkv").out);
    }
}

TEST_F(PictureFacts, OfHdrSurvive) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:d=0.4 -vf "
        "format=yuv420p10le,setparams=color_primaries=bt2020:color_trc=smpte2084:colorspace=bt2020nc -c:v libx265 "
        "-color_primaries bt2020 -color_trc "
        "smpte2084 "
        "-colorspace bt2020nc -x265-params \"log-level=0:hdr10=1:master-display="
        "G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,50):max-cll=1000,400\" in.mkv");
    // From the bit stream into the container, and from container to container.
    for (const auto& [input, output] :
         {std::pair{"in.mkv", "out.mkv"}, {"in.mkv", "out.mp4"}, {"out.mkv", "second.mp4"}}) {
        SCOPED_TRACE(output);
        filter(fmt::format("{} {} --gaussian 3", input, output));
        const Stream video = probe(output).video();
        EXPECT_EQ(video.facts.at("color_transfer"), "smpte2084");
        EXPECT_EQ(video.facts.at("pix_fmt"), "yuv420p10le");
        const nlohmann::json light = video.side_data("Content light level metadata");
        ASSERT_TRUE(light.is_object()) << video.facts;
        EXPECT_EQ(light.at("max_content"), 1000);
        EXPECT_EQ(light.at("max_average"), 400);
        const nlohmann::json display = video.side_data("Mastering display metadata");
        ASSERT_TRUE(display.is_object()) << video.facts;
        const auto ratio = [&](const char* key) {
            const std::string text = display.at(key);
            return std::stod(text) / std::stod(text.substr(text.find('/') + 1));
        };
        EXPECT_NEAR(ratio("red_x"), 0.68, 1e-4);
        EXPECT_NEAR(ratio("white_point_y"), 0.329, 1e-4);
        EXPECT_NEAR(ratio("min_luminance"), 0.005, 1e-4);
        EXPECT_NEAR(ratio("max_luminance"), 1000, 1e-4);
    }
}

using namespace std::string_literals;

// What files of pictures say beside the samples, where FFmpeg does not look.
class PictureSections : public EndToEnd {
protected:
    static std::string big(std::uint32_t value, int bytes) {
        std::string text;
        for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
            text += static_cast<char>(value >> shift & 0xFFU);
        }
        return text;
    }
    static std::string little(std::uint32_t value) {
        const std::string text = big(value, 4);
        return {text.rbegin(), text.rend()};
    }
    static std::string profile(const std::string& space = "RGB ") {
        std::string made(132, '\0');
        made[3] = '\x84';
        made.replace(16, 4, space);
        made.replace(36, 4, "acsp");
        return made;
    }
    // 2x2, with a header of version 5.
    static std::string bmp(const std::string& colours, const std::string& behind) {
        const std::string samples = "\1\2\3\4\5\6\0\0\x10\x20\x30\x40\x50\x60\0\0"s;
        const std::string header = little(124) + little(2) + little(2) + "\1\0\x18\0"s + little(0) + little(16) +
                                   std::string(32, '\0') + colours + std::string(52, '\0') + little(124 + 16) +
                                   little(static_cast<std::uint32_t>(behind.size())) + little(0);
        return "BM" + little(static_cast<std::uint32_t>(14 + 124 + 16 + behind.size())) + little(0) + little(14 + 124) +
               header + samples + behind;
    }
    // 2x2, of three planes that are not compressed.
    static std::string psd(const std::string& resources) {
        return "8BPS"s + big(1, 2) + std::string(6, '\0') + big(3, 2) + big(2, 4) + big(2, 4) + big(8, 2) + big(3, 2) +
               big(0, 4) + big(static_cast<std::uint32_t>(resources.size()), 4) + resources + big(0, 4) + big(0, 2) +
               "\1\2\3\4\x10\x20\x30\x40\x50\x60\x70\x7F";
    }
    static std::string resource(std::uint32_t number, const std::string& data, const std::string& owner = "8BIM") {
        return owner + big(number, 2) + "\1n"s + big(static_cast<std::uint32_t>(data.size()), 4) + data +
               std::string(data.size() % 2, '\0');
    }
    static std::string box(const std::string& content) {
        return big(static_cast<std::uint32_t>(content.size() + 4), 4) + content;
    }
    // As ffmpeg writes it, with the profile in place of the number of a colour space, and words behind it.
    std::string jpeg_2000(const std::string& colours) {
        ffmpeg("-f lavfi -i testsrc2=s=64x48 -pix_fmt rgb24 -frames:v 1 -y plain.jp2");
        std::string file = content("plain.jp2");
        const std::size_t colr = file.find("colr") - 4;
        const std::size_t head = file.find("jp2h") - 4;
        const std::string added = box("colr\2\0\0"s + colours);
        file.replace(colr, 15, added);
        const auto size = static_cast<std::uint32_t>(static_cast<unsigned char>(file[head + 3]) + added.size() - 15);
        return file.replace(head, 4, big(size, 4)) + box("xml <a/>");
    }
    static bool told(const Result& result, const std::string& what) {
        return result.err.find(what) != std::string::npos;
    }
};

// Masks of 1, 5, 5 and 5 bits.
TEST_F(PictureSections, OfBmpTellTransparencyOf16Bits) {
    const auto made = [](const std::string& samples) {
        const std::string header = little(124) + little(2) + little(2) + "\1\0\x10\0"s + little(3) + little(8) +
                                   std::string(16, '\0') + little(0x7C00) + little(0x3E0) + little(0x1F) +
                                   little(0x8000) + std::string(68, '\0');
        return "BM" + little(14 + 124 + 8) + little(0) + little(14 + 124) + header + samples;
    };
    const std::pair<std::string, bool> rows[] = {
        {"\1\x80\2\0\3\x80\4\x80"s, true}, {"\1\x80\2\x80\3\x80\4\x80"s, false}, {"\1\0\2\0\3\0\4\0"s, false}};
    for (const auto& [samples, tells] : rows) {
        write("in.bmp", made(samples));
        const Result result = vfilter("in.bmp out.png -y --identity");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(told(result, "is left out: transparency"), tells) << result;
    }
}

TEST_F(PictureSections, OfBmpPsdAndJpeg2000KeepTheirProfiles) {
    write("in.bmp", bmp("DEBM", profile()));
    write("in.psd", psd(resource(1005, "abc") + resource(1039, "abc", "MeSa") + resource(1039, profile()) +
                        resource(1060, "<x/>")));
    write("in.jp2", jpeg_2000(profile()));
    for (const std::string name : {"bmp", "psd", "jp2"}) {
        SCOPED_TRACE(name);
        const Result kept = vfilter("in." + name + " out.png -y --identity");
        EXPECT_EQ(kept.code, 0) << kept;
        EXPECT_NE(content("out.png").find("iCCP"), std::string::npos) << kept;
        EXPECT_EQ(told(kept, "is left out: XMP"), name == "psd") << kept;
        EXPECT_EQ(told(kept, "is left out: XML"), name == "jp2") << kept;
        const Result lost = vfilter("in." + name + " out.bmp -y --identity");
        EXPECT_TRUE(told(lost, "the ICC profile of the colours is lost")) << lost;
    }
    write("in.bmp", bmp("KNIL", "a.icc\0"s));
    EXPECT_TRUE(told(vfilter("in.bmp out.png -y --identity"), "is left out: name of an ICC profile"));
    for (const std::string& broken : {bmp("DEBM", profile().substr(0, 90)), bmp("DEBM", ""), psd("8BIM\4\x0F"s)}) {
        write("broken", broken);
        const Result result = vfilter("broken out.png -y --identity");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(content("out.png").find("iCCP"), std::string::npos);
    }
    write("plain.bmp", bmp(std::string(4, '\0'), ""));
    EXPECT_FALSE(told(vfilter("plain.bmp out.png -y --identity"), "left out"));
}

// What FFmpeg 5 takes for a movie without its index, or reads from anywhere.
TEST_F(PictureSections, OfHeifThatIsNotReadAreRefusedWithItsReason) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48 -c:v libaom-av1 -cpu-used 8 -still-picture 1 -frames:v 1 in.avif");
    EXPECT_EQ(vfilter("in.avif out.png --identity").code, 0);
    const std::string file = content("in.avif");
    std::string branded = file;
    write("heic.avif", branded.replace(8, 4, "mif1"));
    const std::size_t number = file.find("pitm") - 4;
    const std::size_t places = file.find("iloc") - 4;
    const std::size_t entries = file.find("iinf") - 4;
    ASSERT_TRUE(number < places && places < entries);
    write("order.avif", file.substr(0, number) + file.substr(places, entries - places) +
                            file.substr(number, places - number) + file.substr(entries));
    std::string kind = file;
    write("kind.avif", kind.replace(file.find("av01", entries), 4, "jpeg"));
    // An FFmpeg that reads no such file is told; newer ones read both.
    bool refuses = false;
    for (const std::string& name : {"heic.avif"s, "order.avif"s}) {
        const Result result = vfilter(name + " " + name + ".png --identity");
        const bool refused = told(result, "which this FFmpeg does not read");
        EXPECT_EQ(result.code, refused ? 3 : 0) << result;
        refuses = refuses || refused;
    }
    EXPECT_EQ(told(vfilter("kind.avif kind.png --identity"), "of the kind 'jpeg'"), refuses);
    // With its size in 64 bits in front, and the table behind, to the end.
    const std::size_t meta = kind.find("meta") - 4;
    const std::size_t data = kind.find("mdat") - 4;
    ASSERT_LT(meta, data);
    write("long.avif", big(1, 4) + "ftyp" + big(0, 4) + big(static_cast<std::uint32_t>(meta + 8), 4) +
                           kind.substr(8, meta - 8) + kind.substr(data) + big(0, 4) +
                           kind.substr(meta + 4, data - meta - 4));
    EXPECT_EQ(told(vfilter("long.avif long.png --identity"), "of the kind 'jpeg'"), refuses);
    write("empty.swf", "FWS\6"s + little(21) + "\x30\0\0\0\0\0\0\0\0\x0C\0\0\0"s);
    const Result empty = vfilter("empty.swf out.mkv --identity");
    EXPECT_EQ(empty.code, 3) << empty;
    EXPECT_FALSE(told(empty, ": End of file")) << empty;
}

// FFmpeg writes animations in WebP, and says of them only what it has not found.
TEST_F(PictureSections, OfAnAnimationInWebpAreReadOrTold) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=5:d=0.4 in.webp");
    const Result result = vfilter("in.webp out.mkv --identity --codec ffv1");
    EXPECT_TRUE(result.code == 0 || told(result, "animations in WebP are not read by this FFmpeg")) << result;
}

TEST_F(PictureSections, OfWhatFfmpegDoesNotImplementAreRefusedWithItsReason) {
    std::string file = bmp(std::string(4, '\0'), "");
    write("in.bmp", file.replace(14, 4, little(52)));
    const Result result = vfilter("in.bmp out.png --identity");
    EXPECT_EQ(result.code, 3) << result;
    EXPECT_TRUE(told(result, "header size 52 is not implemented")) << result;
}

// What FFmpeg would leave out. It says that in two pieces, of which the second one is ", skipping".
TEST_F(PictureSections, OfPngWithAWrongSumAreDecodedAllTheSame) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 -pix_fmt pal8 in.png");
    ASSERT_EQ(vfilter("in.png whole.png --identity").code, 0);
    const std::string whole = content("in.png");
    for (const std::string chunk : {"IHDR", "IDAT", "pHYs"}) {
        SCOPED_TRACE(chunk);
        std::string bytes = whole;
        const std::size_t at = whole.find(chunk);
        ASSERT_NE(at, std::string::npos);
        bytes[at + 4 + (static_cast<unsigned char>(bytes[at - 2]) << 8) + static_cast<unsigned char>(bytes[at - 1])] ^=
            1;
        write("in.png", bytes);
        const Result result = vfilter("in.png out.png -y --identity");
        EXPECT_EQ(result.code, 5) << result;
        EXPECT_TRUE(chunk == "pHYs" || content("out.png") == content("whole.png"));
        EXPECT_TRUE(told(result, "damaged: 1 error while")) << result;
        EXPECT_TRUE(chunk == "pHYs" ? told(result, "CRC mismatch in chunk") : told(result, "checksum of " + chunk))
            << result;
    }
    EXPECT_EQ(vfilter("i?.png out.mkv --codec ffv1 --identity").code, 5);
    // What cannot be inflated is left out, and what came before it is there.
    ffmpeg("-f lavfi -i testsrc2=s=256x256,noise=all_seed=1:alls=99 -frames:v 1 -pix_fmt rgb24 -y big.png");
    std::string bytes = content("big.png");
    const std::size_t last = bytes.rfind("IDAT");
    ASSERT_NE(last, bytes.find("IDAT"));
    bytes.replace(last + 4, 40, std::string(40, '\xFF'));
    write("big.png", bytes);
    EXPECT_EQ(vfilter("big.png out.png -y --identity").code, 5);
}

// Of MP4, where the last box tells no size.
TEST_F(PictureSections, OfMoviesMayReachToTheEnd) {
    make_clip("clip.mp4");
    std::string file = content("clip.mp4");
    const std::size_t moov = file.rfind("moov") - 4;
    file.replace(moov, 4, std::string(4, '\0'));
    write("in.mp4", file);
    const Result plain = vfilter("in.mp4 out.mkv -y --identity");
    EXPECT_EQ(plain.code, 0) << plain;
    // As sequences of AVIF have it, with a cover.
    const std::string cover = box("meta\0\0\0\0"s + box("hdlr\0\0\0\0\0\0\0\0pict"s + std::string(13, '\0')));
    file.insert(moov, cover);
    write("in.mp4", file.replace(8, 4, "avis"));
    const Result pictures = vfilter("in.mp4 out.mkv -y --identity");
    EXPECT_EQ(pictures.code, 0) << pictures;
    write("cut.mp4", file.substr(0, file.size() - 40));
    EXPECT_EQ(vfilter("cut.mp4 out.mkv -y --identity").code, 5);
}

TEST_F(PictureSections, OfPngMayComeBeforeItsHeader) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 -pix_fmt rgb24 in.png");
    std::string file = content("in.png");
    file.insert(8 + 25, big(10, 4) + "iTXtNote\0\0\0\0\0x\xE2\x6C\x25\x8A"s);
    write("text.png", file.insert(8, big(3, 4) + "tEXta\0b\xDC\x49\xA2\x3B"s));
    const Result result = vfilter("text.png out.png -y --identity");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_NE(result.err.find("Note"), std::string::npos) << result;
}

}  // namespace

}  // namespace vfilter::test
