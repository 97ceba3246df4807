// Nothing of a file is lost: streams, their tags and dispositions, chapters, attachments, and what is known of the
// picture.

#include <fmt/format.h>

#include <algorithm>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Streams : public EndToEnd {
protected:
    void make_parts() const;
    // Every stream of the input is in the output or named, on stderr and in the report.
    void expect_all_told(const std::string& in, const std::vector<std::string>& outputs) const;
    static void expect_same_stream(const Stream& in, const Stream& out);
    static void expect_same_chapters(const Media& in, const Media& out);
    std::string attachment(const std::string& name, int number) const;
};

// Subtitles, a cover, a font (any bytes will do), tags with chapters.
void Streams::make_parts() const {
    write("words.srt", "1\n00:00:00,100 --> 00:00:00,800\nHello\n\n2\n00:00:01,000 --> 00:00:01,900\nW<i>or</i>ld\n");
    ffmpeg("-f lavfi -i color=red:s=64x64 -frames:v 1 cover.jpg");
    ffmpeg("-f lavfi -i color=blue:s=400x400 -frames:v 1 cover.png");
    write("font.ttf", std::string(5000, 'f') + std::string(1, '\0') + "end");
    write("tags.txt",
          ";FFMETADATA1\ntitle=The title\nartist=Me\ncomment=\xc3\x9cn\xc3\xaf\n"
          "[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=700\ntitle=One\n"
          "[CHAPTER]\nTIMEBASE=1/1000\nSTART=700\nEND=2000\ntitle=Two\n");
}

void Streams::expect_all_told(const std::string& in, const std::vector<std::string>& outputs) const {
    const std::size_t streams = probe(in).streams.size();
    for (const std::string& out : outputs) {
        SCOPED_TRACE(fmt::format("{} -> {}", in, out));
        const nlohmann::json report = filter(fmt::format("{} {}", in, out));
        const nlohmann::json& dropped = report.at("streams_dropped");
        EXPECT_EQ(streams, probe(out).streams.size() + dropped.size()) << dropped;
        for (const nlohmann::json& name : dropped) {
            EXPECT_EQ(1, std::ranges::count_if(report.at("stderr"),
                                               [&](const nlohmann::json& line) {
                                                   return line.get<std::string>().find(name.get<std::string>() +
                                                                                       " is left out") !=
                                                          std::string::npos;
                                               }))
                << name << " in " << report.at("stderr");
        }
    }
}

void Streams::expect_same_stream(const Stream& in, const Stream& out) {
    EXPECT_EQ(in.type(), out.type());
    const bool filtered = in.type() == "video" && !in.has_disposition("attached_pic");
    if (!filtered) {
        EXPECT_EQ(in.codec(), out.codec());
        EXPECT_TRUE(in.hashes() == out.hashes());
    }
    for (const char* const key : {"language", "title", "handler_name", "creation_time", "filename", "mimetype"}) {
        EXPECT_EQ(in.tag(key), out.tag(key)) << key;
    }
    EXPECT_EQ(in.facts.at("disposition"), out.facts.at("disposition"));
}

void Streams::expect_same_chapters(const Media& in, const Media& out) {
    ASSERT_EQ(in.chapters.size(), out.chapters.size());
    for (std::size_t i = 0; i < in.chapters.size(); ++i) {
        EXPECT_EQ(in.chapters[i].at("start_time"), out.chapters[i].at("start_time"));
        EXPECT_EQ(in.chapters[i].at("end_time"), out.chapters[i].at("end_time"));
        EXPECT_EQ(in.chapters[i].at("tags"), out.chapters[i].at("tags"));
    }
}

std::string Streams::attachment(const std::string& name, int number) const {
    // ffmpeg complains that there is no output, after it has written the attachment.
    const Result result =
        run(fmt::format("ffmpeg -nostdin -v error -y -dump_attachment:t:{} dumped -i {}", number, name));
    return exists("dumped") ? content("dumped") : fmt::format("nothing: {}", result.err);
}

// Its table of programs names a stream before anything of it comes.
TEST_F(Streams, ThatBeginLateInATransportStreamAreThere) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=10:d=14 -itsoffset 10 -f lavfi -i sine=d=3 -map 0 -map 1 -c:v libx264 -c:a "
        "mp2 in.ts");
    filter("in.ts out.mp4");
    const std::vector<Stream> sound = probe("out.mp4").of("audio");
    ASSERT_EQ(sound.size(), 1U);
    EXPECT_EQ(sound[0].hashes(), probe("in.ts").of("audio").at(0).hashes());
}

TEST_F(Streams, ThatNobodyCouldKnowAreTold) {
    const std::string picture = "-f lavfi -i testsrc2=s=64x64:r=10:d=9 ";
    ffmpeg("-f lavfi -i testsrc2=s=160x120:r=25:d=20 -c:v libx264 a.ts");
    ffmpeg(picture + "-f lavfi -i sine=d=9 -c:v libx264 -c:a mp2 b.ts");
    ffmpeg(picture + "-f lavfi -i sine=d=9 -c:v libx264 -c:a ac3 c.ts");
    const Result later = run("cat a.ts b.ts a.ts > in.ts && $VFILTER in.ts out.mkv");
    EXPECT_EQ(later.code, 5) << later;
    EXPECT_NE(later.err.find("stream 1 (mp2) is left out: it begins only at"), std::string::npos) << later;
    const Result other = run("cat b.ts c.ts > in.ts && $VFILTER in.ts out.mkv -y");
    EXPECT_EQ(other.code, 5) << other;
    EXPECT_NE(other.err.find("on it is no mp2 any more"), std::string::npos) << other;
    const Result same = run("cat b.ts b.ts > in.ts && $VFILTER in.ts out.mkv -y --strict");
    EXPECT_EQ(same.code, 0) << same;
}

TEST_F(Streams, AllOfMatroskaSurvive) {
    make_parts();
    make_clip("clip.mkv", 50);
    ffmpeg(
        "-i clip.mkv -f lavfi -i sine=600:r=48000:d=2 -i words.srt -i tags.txt -map 0:v -map 0:a -map 1:a -map 2 "
        "-map_metadata 3 "
        "-map_chapters 3 -c copy -c:a:1 flac -c:s srt -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu "
        "-metadata:s:a:1 title=Kommentar -metadata:s:v title=Bild -metadata own=mine -metadata:s:s language=fra "
        "-disposition:a:0 0 -disposition:a:1 default+comment -disposition:s forced+hearing_impaired "
        "-attach font.ttf -metadata:s:t:0 mimetype=application/x-truetype-font -metadata:s:t:0 filename=font.ttf "
        "-attach cover.jpg -metadata:s:t:1 mimetype=image/jpeg -metadata:s:t:1 filename=cover.jpg in.mkv");
    const nlohmann::json report = filter("in.mkv out.mkv --gaussian 3");
    EXPECT_EQ(report.at("streams_dropped"), nlohmann::json::array());
    const Media in = probe("in.mkv");
    const Media out = probe("out.mkv");
    ASSERT_EQ(in.streams.size(), 6U);
    ASSERT_EQ(out.streams.size(), 6U);
    EXPECT_EQ(out.of("video").size(), 1U) << "the cover has become a video";
    for (const Stream& stream : in.streams) {
        SCOPED_TRACE(stream.facts.dump());
        const auto same = std::ranges::find_if(out.streams, [&](const Stream& other) {
            return other.type() == stream.type() && (other.codec() == stream.codec() || stream.type() == "video") &&
                   other.has_disposition("attached_pic") == stream.has_disposition("attached_pic");
        });
        ASSERT_NE(same, out.streams.end());
        expect_same_stream(stream, *same);
    }
    expect_same_chapters(in, out);
    for (const char* const key : {"title", "artist", "comment", "own"}) {
        EXPECT_EQ(in.tag(key), out.tag(key)) << key;
    }
    EXPECT_EQ(attachment("out.mkv", 0), content("font.ttf"));
}

TEST_F(Streams, AllOfMp4Survive) {
    make_parts();
    make_clip("clip.mp4", 50);
    ffmpeg(
        "-i clip.mp4 -f lavfi -i sine=600:r=48000:d=2 -i cover.png -i words.srt -i tags.txt -map 0 -map 1 -map 2 -map "
        "3 "
        "-map_metadata 4 -c copy -c:a:1 ac3 -c:s mov_text -disposition:v:1 attached_pic -metadata:s:a:0 language=eng "
        "-metadata:s:a:1 language=deu -metadata:s:a:1 handler_name=Kommentar -metadata:s:s language=fra "
        "-metadata creation_time=2020-01-02T03:04:05Z -timecode 01:02:03:04 in.mp4");
    const nlohmann::json report = filter("in.mp4 out.mp4 --gaussian 3");
    EXPECT_EQ(report.at("streams_dropped"), nlohmann::json::array());
    const Media in = probe("in.mp4");
    const Media out = probe("out.mp4");
    for (const std::string type : {"audio", "subtitle"}) {
        ASSERT_EQ(in.of(type).size(), out.of(type).size());
        for (std::size_t i = 0; i < in.of(type).size(); ++i) {
            expect_same_stream(in.of(type)[i], out.of(type)[i]);
        }
    }
    expect_same_stream(in.video(), out.video());
    ASSERT_TRUE(out.streams.back().has_disposition("attached_pic"));
    EXPECT_TRUE(in.streams.back().hashes() == out.streams.back().hashes());
    expect_same_chapters(in, out);
    for (const char* const key : {"title", "artist", "comment", "creation_time"}) {
        EXPECT_EQ(in.tag(key), out.tag(key)) << key;
    }
    EXPECT_EQ(out.video().tag("timecode"), "01:02:03:04");
    EXPECT_NE(in.video().tag("encoder"), "");
    EXPECT_EQ(out.video().tag("encoder"), "") << "tells of the old encoding";
}

// What phones write: keys that are not among iTunes'.
TEST_F(Streams, TagsOfOneKindOrAnotherSurviveInMp4) {
    make_clip("clip.mp4");
    ffmpeg(
        "-i clip.mp4 -c copy -movflags use_metadata_tags -metadata com.apple.quicktime.make=Maker -metadata own=mine "
        "-metadata title=T "
        "in.mp4");
    for (const std::string output : {"out.mp4", "out.mov", "out.mkv"}) {
        SCOPED_TRACE(output);
        filter("in.mp4 " + output);
        const Media out = probe(output);
        for (const auto& [key, value] :
             {std::pair{"com.apple.quicktime.make", "Maker"}, {"own", "mine"}, {"title", "T"}}) {
            EXPECT_EQ(out.tag(key), value) << key;
        }
    }
}

TEST_F(Streams, ThatTheContainerCannotHoldAreNamed) {
    make_parts();
    make_clip("clip.mkv", 10);
    ffmpeg(
        "-i clip.mkv -i words.srt -i words.srt -map 0 -map 1 -map 2 -c copy -c:s:0 srt -c:s:1 ass -metadata:s:s:0 "
        "language=fra "
        "-attach font.ttf -metadata:s:t:0 mimetype=application/x-truetype-font in.mkv");
    expect_all_told("in.mkv", {"out.mp4", "out.mov", "out.ts", "out.avi", "out.y4m", "out.webm", "out.mkv"});
    ffmpeg(
        "-i clip.mkv -i cover.png -i words.srt -map 0 -map 1 -map 2 -c copy -c:s mov_text -disposition:v:1 "
        "attached_pic in.mp4");
    expect_all_told("in.mp4", {"out.mkv", "out.mov", "out.ts", "out.mp4"});
    ffmpeg(
        "-f lavfi -i testsrc2=s=160x120:d=0.4 -f lavfi -i sine=d=0.4 -c:v libvpx-vp9 -cpu-used 8 -c:a libopus in.webm");
    expect_all_told("in.webm", {"out.mov", "out.mp4", "out.avi", "out.ts"});
    ffmpeg("-i clip.mkv -f data -i font.ttf -map 0 -map 1 -c copy in.ts");
    expect_all_told("in.ts", {"out.ts"});
}

TEST_F(Streams, DataOfATransportStreamThatNothingDescribesAreToldAsWhatTheyAre) {
    make_clip("clip.ts", 10, "-bf 0");
    write("data", std::string(500, 'd'));
    ffmpeg("-i clip.ts -f data -i data -map 0 -map 1 -c copy in.ts");
    const Result result = vfilter("in.ts out.ts --gaussian 3");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_NE(result.err.find("is left out: nothing would say there what these data are"), std::string::npos) << result;
}

TEST_F(Streams, ChaptersThatTheContainerCannotHoldAreNamed) {
    make_parts();
    make_clip("clip.mkv", 50);
    ffmpeg("-i clip.mkv -i tags.txt -map_metadata 1 -map_chapters 1 -c copy in.mkv");
    for (const std::string out : {"out.avi", "out.ts", "out.flv", "out.mp4", "out.mkv"}) {
        const nlohmann::json report = filter("in.mkv " + out + " --audio none");
        const bool told = report.at("stderr").dump().find("2 chapters are left out") != std::string::npos;
        EXPECT_EQ(told ? 0U : 2U, probe(out).chapters.size()) << out;
    }
    const Result nowhere = vfilter("in.mkv --format null");
    EXPECT_EQ(nowhere.err.find("chapters"), std::string::npos) << nowhere;
}

// Beside the pictures, where FFmpeg's own decoders do not look.
TEST_F(Streams, TransparencyOfWebmSurvives) {
    for (const std::string codec : {"libvpx", "libvpx-vp9"}) {
        ffmpeg(
            "-f lavfi -i \"testsrc2=s=160x120:r=25:d=0.4,format=yuva420p,geq=lum='lum(X,Y)':cb='cb(X,Y)':cr='cr(X,Y)'"
            ":a='if(lt(X,80),0,255)'\" -auto-alt-ref 0 -b:v 1M -c:v " +
            codec + " in.webm");
        filter("in.webm out.mkv --vf null --codec ffv1");
        ASSERT_EQ(run(fmt::format("ffmpeg -v error -y -c:v {} -i in.webm -f framemd5 in.txt", codec)).code, 0);
        ASSERT_EQ(run("ffmpeg -v error -y -i out.mkv -f framemd5 out.txt").code, 0);
        const auto hashes = [&](const std::string& name) {
            std::vector<std::string> found;
            for (const std::string& line : lines_of(content(name))) {
                if (!line.starts_with('#')) {
                    found.push_back(line.substr(line.rfind(' ')));
                }
            }
            return found;
        };
        EXPECT_EQ(probe("out.mkv").video().facts.at("pix_fmt"), "yuva420p");
        ASSERT_EQ(hashes("in.txt").size(), 10U);
        EXPECT_TRUE(hashes("in.txt") == hashes("out.txt")) << codec;
    }
}

// As text, with their moments, from Matroska's form into QuickTime's and back.
TEST_F(Streams, SubtitlesSurviveBetweenContainers) {
    make_parts();
    make_clip("clip.mkv", 50);
    ffmpeg("-i clip.mkv -i words.srt -map 0 -map 1 -c copy -c:s srt -metadata:s:s language=fra in.mkv");
    const auto text = [&](const std::string& name) {
        return ffmpeg_output(fmt::format("-i {} -map 0:s -f srt -", name));
    };
    const std::string wanted = text("in.mkv");
    EXPECT_NE(wanted.find("00:00:01,000 --> 00:00:01,900\nW<i>or</i>ld"), std::string::npos) << wanted;
    std::string from = "in.mkv";
    for (const std::string output : {"out.mp4", "back.mkv", "out.mov", "again.mov"}) {
        SCOPED_TRACE(output);
        EXPECT_EQ(filter(fmt::format("{} {}", from, output)).at("streams_dropped"), nlohmann::json::array());
        EXPECT_EQ(text(output), wanted);
        EXPECT_EQ(probe(output).of("subtitle").at(0).tag("language"), "fra");
        from = output;
    }
}

// AAC stands in MPEG-TS in another form than elsewhere.
TEST_F(Streams, SoundOfATransportStreamSurvives) {
    make_clip("in.ts", 50);
    const std::string wanted = ffmpeg_output("-i in.ts -map 0:a -c copy -bsf:a aac_adtstoasc -f streamhash -");
    for (const std::string line :
         {"$VFILTER in.ts out.mkv", "$VFILTER in.ts out.mp4", "$VFILTER - out.mkv < in.ts",
          "$VFILTER in.ts - | cat > out.mkv", "$VFILTER in.ts - --format mp4 | cat > out.mp4"}) {
        const std::string output =
            line.ends_with("mkv") || line.find("out.mkv <") != std::string::npos ? "out.mkv" : "out.mp4";
        std::filesystem::remove(path(output));
        EXPECT_EQ(run("set -o pipefail; " + line).code, 0) << line;
        EXPECT_EQ(ffmpeg_output(fmt::format("-i {} -map 0:a -c copy -f streamhash -", output)), wanted) << line;
        EXPECT_EQ(probe(output).pictures.size(), 50U) << line;
    }
    filter("in.ts out.ts");
    EXPECT_TRUE(probe("in.ts").of("audio").at(0).hashes() == probe("out.ts").of("audio").at(0).hashes());
}

TEST_F(Streams, CoversSurviveBetweenContainers) {
    make_parts();
    make_clip("clip.mkv");
    ffmpeg("-i clip.mkv -i cover.png -map 0 -map 1 -c copy -disposition:v:1 attached_pic in.mp4");
    ffmpeg(
        "-i clip.mkv -c copy -attach cover.jpg -metadata:s:t mimetype=image/jpeg -metadata:s:t filename=cover.jpg "
        "in.mkv");
    for (const auto& [input, output] : {std::pair{"in.mp4", "out.mkv"}, {"in.mkv", "out.mp4"}}) {
        SCOPED_TRACE(output);
        filter(fmt::format("{} {}", input, output));
        const Media out = probe(output);
        const Stream cover = out.streams.back();
        EXPECT_TRUE(cover.has_disposition("attached_pic")) << cover.facts;
        EXPECT_TRUE(cover.hashes() == probe(input).streams.back().hashes());
        EXPECT_EQ(out.pictures.size(), 25U);
    }
}

// The default one is filtered, the other one is copied.
TEST_F(Streams, OneOfSeveralVideosIsFiltered) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=80x60:r=25:d=1 -f lavfi -i testsrc2=s=160x120:r=25:d=1 -map 0 -map 1 -c:v libx264 "
        "-preset veryfast "
        "-disposition:v:0 0 -disposition:v:1 default in.mkv");
    filter("in.mkv out.mkv --gaussian 3 --codec ffv1");
    const std::vector<Stream> in = probe("in.mkv").of("video");
    const std::vector<Stream> out = probe("out.mkv").of("video");
    ASSERT_EQ(out.size(), 2U);
    EXPECT_TRUE(out[0].hashes() == in[0].hashes());
    EXPECT_EQ(out[1].codec(), "ffv1");
    EXPECT_EQ(out[1].packets.size(), 25U);
}

}  // namespace

}  // namespace vfilter::test
