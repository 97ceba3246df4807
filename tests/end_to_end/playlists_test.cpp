// Inputs that are playlists at an address (HLS, DASH), and the answers of HTTP that they and other inputs come in.

#include <fmt/format.h>

#include <regex>
#include <string>

#include "tests/support/end_to_end.h"
#include "tests/support/http_server.h"

namespace vfilter::test {

namespace {

class Playlists : public EndToEnd {
protected:
    // Six seconds in six segments.
    Playlists() {
        make_clip("clip.mp4", 150, "-g 25 -c:a aac");
        ffmpeg("-i clip.mp4 -c copy -f hls -hls_time 1 -hls_list_size 0 vod.m3u8");
    }
    // A copy of a file with every match replaced.
    void change(const std::string& name, const std::string& to, const std::string& what, const std::string& by) const {
        write(to, std::regex_replace(content(name), std::regex(what), by));
    }
    [[nodiscard]] Result filter_from(const std::string& name, const std::string& more = "") const {
        return vfilter(
            fmt::format("{} out.mkv -y --allow-network --codec ffv1 --progress none {}", server_.url(name), more));
    }
    void expect_missing(const std::string& name, const std::string& what, std::int64_t pictures) const {
        SCOPED_TRACE(name);
        const Result result = filter_from(name);
        EXPECT_EQ(result.code, 5) << result;
        EXPECT_NE(result.err.find(what), std::string::npos) << result;
        EXPECT_EQ(count_pictures("out.mkv"), pictures);
        EXPECT_EQ(filter_from(name, "--strict").code, 5);
        EXPECT_EQ(run("rm -f .out*").code, 0);
    }
    void expect_whole(const std::string& name, const std::string& told = "") const {
        SCOPED_TRACE(name);
        const Result result = filter_from(name);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(complaints(result).size(), told.empty() ? 1U : 2U) << result;
        EXPECT_NE(result.err.find(told), std::string::npos) << result;
        EXPECT_EQ(count_pictures("out.mkv"), 150);
    }

    HttpServer server_{folder()};
};

TEST_F(Playlists, SegmentsOfHlsThatAreMissingAreTold) {
    expect_whole("vod.m3u8");
    for (const std::string segment : {"vod0.ts", "vod3.ts", "vod5.ts"}) {
        change("vod.m3u8", "without.m3u8", segment, "no.ts");
        expect_missing("without.m3u8", "a segment is missing, " + server_.url("no.ts") + ": HTTP error 404", 125);
    }
    change("vod.m3u8", "nothing.m3u8", "vod[0-9].ts", "no.ts");
    const Result nothing = filter_from("nothing.m3u8");
    EXPECT_EQ(nothing.code, 3) << nothing;
    EXPECT_NE(nothing.err.find("no.ts: HTTP error 404"), std::string::npos) << nothing;
}

// Answered with 200 and a page of words, or with nothing: FFmpeg reads on in the next one without a word. Lengths that
// are whole seconds, as if they were rounded, promise nothing to a fraction.
TEST_F(Playlists, SegmentsWithoutPicturesAreTold) {
    make_clip("odd.mp4", 201, "-g 25 -c:a aac");
    ffmpeg("-i odd.mp4 -c copy -f hls -hls_time 1 -hls_list_size 0 odd.m3u8");
    ffmpeg("-i odd.mp4 -c copy -output_ts_offset 100 -f hls -hls_time 1 -hls_list_size 0 late.m3u8");
    write("page.ts", "<html><body>Your session has expired.</body></html>");
    write("empty.ts", "");
    for (const std::string list : {"odd", "late"}) {
        for (const std::string lost : {"page.ts", "empty.ts"}) {
            change(list + ".m3u8", "first.m3u8", list + "[012].ts", lost);
            expect_missing("first.m3u8", "s before the header's duration", 126);
            change(list + ".m3u8", "last.m3u8", list + "[678].ts", lost);
            expect_missing("last.m3u8", "s before the header's duration", 150);
        }
    }
}

// By time: a playlist has no bytes to go back to the beginning by.
TEST_F(Playlists, KeysThatAreMissingAreTold) {
    change("vod.m3u8", "locked.m3u8", "#EXTINF:[0-9.]*,\nvod0",
           "#EXT-X-KEY:METHOD=AES-128,URI=\"no.key\"\n#EXTINF:1,\nvod0");
    const Result result = filter_from("locked.m3u8");
    EXPECT_EQ(result.code, 3) << result;
    EXPECT_NE(result.err.find("the key of " + server_.url("vod0.ts") + " could not be had: HTTP error 404"),
              std::string::npos)
        << result;
}

TEST_F(Playlists, AreSought) {
    const Result result = filter_from("vod.m3u8", "--start 3");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(count_pictures("out.mkv"), 75);
}

// Where FFmpeg finds nothing any more.
TEST_F(Playlists, OfMp4AreSought) {
    ffmpeg("-i clip.mp4 -c copy -f hls -hls_time 1 -hls_list_size 0 -hls_segment_type fmp4 fragments.m3u8");
    const Result result = filter_from("fragments.m3u8", "--start 3");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(count_pictures("out.mkv"), 75);
}

TEST_F(Playlists, SegmentsThatAreCutAreTold) {
    change("vod.m3u8", "cut.m3u8", "vod3.ts", "cut/vod3.ts");
    const Result result = filter_from("cut.m3u8");
    EXPECT_EQ(result.code, 5) << result;
    EXPECT_TRUE(std::regex_search(result.err, std::regex("a segment ends after [0-9]+ of [0-9]+ bytes"))) << result;
}

TEST_F(Playlists, RenditionsAndVariantsThatAreMissingAreTold) {
    ffmpeg("-i clip.mp4 -an -c copy -f hls -hls_time 1 -hls_list_size 0 video.m3u8");
    ffmpeg("-i clip.mp4 -vn -c copy -f hls -hls_time 1 -hls_list_size 0 audio.m3u8");
    const std::string master =
        "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"en\",DEFAULT=YES,URI=\"audio.m3u8\"\n"
        "#EXT-X-STREAM-INF:BANDWIDTH=700000,AUDIO=\"a\"\nvideo.m3u8\n";
    write("master.m3u8", master);
    expect_whole("master.m3u8");
    change("master.m3u8", "silent.m3u8", "audio.m3u8", "no.m3u8");
    expect_missing("silent.m3u8", "a rendition of the playlist is missing, " + server_.url("no.m3u8"), 150);
    const Result later = filter_from("silent.m3u8", "--start 3");
    EXPECT_EQ(later.code, 5) << later;
    write("variants.m3u8",
          "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=700000\nno.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=300000\nvod.m3u8\n");
    expect_whole("variants.m3u8", "a variant of the playlist is left aside, " + server_.url("no.m3u8"));
    write("both.m3u8",
          "#EXTM3U\n#EXT-X-STREAM-INF:BANDWIDTH=700000\nvod.m3u8\n#EXT-X-STREAM-INF:BANDWIDTH=300000\nvideo.m3u8\n");
    EXPECT_EQ(filter_from("both.m3u8").err.find("left out: matroska has none"), std::string::npos)
        << "these are FFmpeg's, not the film's";
    write("subtitled.m3u8",
          "#EXTM3U\n#EXT-X-MEDIA:TYPE=SUBTITLES,GROUP-ID=\"s\",NAME=\"en\",URI=\"text.m3u8\"\n"
          "#EXT-X-STREAM-INF:BANDWIDTH=700000,SUBTITLES=\"s\"\nvod.m3u8\n");
    write("text.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:6\n#EXTINF:6,\ntext.vtt\n#EXT-X-ENDLIST\n");
    write("text.vtt", "WEBVTT\n\n00:00.000 --> 00:02.000\nhello\n");
    expect_whole("subtitled.m3u8", "subtitles are left out");
}

TEST_F(Playlists, SegmentsOfDashThatAreMissingAreTold) {
    // A playlist without a timeline promises one segment more than there are.
    for (const std::string timeline : {"1", "0"}) {
        ASSERT_EQ(run("rm -f *.m4s").code, 0);
        ffmpeg("-i clip.mp4 -c copy -f dash -seg_duration 1 -use_timeline " + timeline + " vod.mpd");
        expect_whole("vod.mpd");
        ASSERT_EQ(run("mkdir -p kept && mv chunk-stream1-00003.m4s kept").code, 0);
        expect_missing("vod.mpd", "a segment is missing, " + server_.url("chunk-stream1-00003.m4s"), 150);
        ASSERT_EQ(run("mv kept/*.m4s . && rm chunk-stream0-00006.m4s").code, 0);
        expect_missing("vod.mpd", "a segment is missing, " + server_.url("chunk-stream0-00006.m4s"), 125);
    }
}

// Clocks and counters begin anew there, before or behind where they were.
TEST_F(Playlists, AreJoinedAtDiscontinuities) {
    const std::string parts = "clip.mp4 -c copy -f hls -hls_time 1 -hls_list_size 0 ";
    ffmpeg("-i " + parts + "-hls_segment_filename later%d.ts -output_ts_offset 20 later.m3u8");
    const auto segments = [&](const std::string& name) {
        const std::string text = content(name);
        const std::size_t begin = text.find("#EXTINF");
        return text.substr(begin, text.find("#EXT-X-ENDLIST") - begin);
    };
    const std::string joint = "#EXT-X-DISCONTINUITY\n";
    write("joined.m3u8", "#EXTM3U\n#EXT-X-TARGETDURATION:1\n" + segments("vod.m3u8") + joint + segments("later.m3u8") +
                             joint + segments("vod.m3u8") + "#EXT-X-ENDLIST\n");
    const Result result = filter_from("joined.m3u8");
    EXPECT_EQ(result.code, 0) << result;
    const std::vector<double> times = picture_times("out.mkv");
    ASSERT_EQ(times.size(), 450U);
    for (std::size_t i = 1; i < times.size(); ++i) {
        EXPECT_GT(times[i], times[i - 1]);
        EXPECT_LT(times[i], times[i - 1] + 0.2) << i;
    }
}

// What is missing leaves its own hole, and joints are closed all the same. A list that names no joint twice counts
// each.
TEST_F(Playlists, AreJoinedBesideWhatIsMissing) {
    std::string list = "#EXTM3U\n#EXT-X-TARGETDURATION:1\n";
    for (int i = 0; i < 4; ++i) {
        ffmpeg(fmt::format("-i clip.mp4 -t 1 -c copy -output_ts_offset {} own{}.ts", 1 + 100 * i, i));
        list += fmt::format("{}#EXTINF:1,\n{}\n", i > 0 ? "#EXT-X-DISCONTINUITY\n" : "",
                            i == 1 ? "no.ts" : fmt::format("own{}.ts", i));
    }
    write("holed.m3u8", list + "#EXT-X-ENDLIST\n");
    const Result result = filter_from("holed.m3u8");
    EXPECT_EQ(result.code, 5) << result;
    const std::vector<double> times = picture_times("out.mkv");
    ASSERT_GE(times.size(), 75U);
    EXPECT_LT(times.back(), 10);
}

// Its demuxer ends with the stream that ends first.
TEST_F(Playlists, OfDashAreReadToTheEndOfEachStream) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=6.9 -f lavfi -i sine=d=6.1 -c:v libx264 -g 25 -c:a aac -f dash "
        "-seg_duration 2 long.mpd");
    const Result result = filter_from("long.mpd");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(count_pictures("out.mkv"), 173);
    EXPECT_EQ(filter_from("long.mpd", "--start 3").code, 0);
    EXPECT_EQ(count_pictures("out.mkv"), 98);
}

// A list without a timeline promises the same number of segments to all streams, and one more than there are.
TEST_F(Playlists, OfDashWithAShorterSoundAreWhole) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=7.4 -f lavfi -i sine=d=6 -c:v libx264 -g 25 -c:a aac -f dash "
        "-seg_duration 2 -use_timeline 0 uneven.mpd");
    const Result result = filter_from("uneven.mpd");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(count_pictures("out.mkv"), 185);
}

// Segments of several lists come at once, each with its own end.
TEST_F(Playlists, ChunkedSegmentsThatBreakOffAreTold) {
    ffmpeg("-i clip.mp4 -an -c copy -f hls -hls_time 1 -hls_list_size 0 video.m3u8");
    ffmpeg("-i clip.mp4 -vn -c copy -f hls -hls_time 1 -hls_list_size 0 audio.m3u8");
    const std::string master =
        "#EXTM3U\n#EXT-X-MEDIA:TYPE=AUDIO,GROUP-ID=\"a\",NAME=\"en\",DEFAULT=YES,URI=\"audio.m3u8\"\n"
        "#EXT-X-STREAM-INF:BANDWIDTH=700000,AUDIO=\"a\"\nvideo.m3u8\n";
    write("master.m3u8", master);
    for (const std::string how : {"chunked/", "chunked/closing/"}) {
        expect_whole(how + "master.m3u8");
        for (const std::string cut : {"video2.ts", "video5.ts", "audio1.ts"}) {
            change("video.m3u8", "v.m3u8", cut, "/" + how + "cut/" + cut);
            change("audio.m3u8", "a.m3u8", cut, "/" + how + "cut/" + cut);
            write("m.m3u8", std::regex_replace(std::regex_replace(master, std::regex("audio.m3u8"), "a.m3u8"),
                                               std::regex("video.m3u8"), "v.m3u8"));
            const Result result = filter_from(how + "m.m3u8");
            EXPECT_EQ(result.code, 5) << how << cut << result;
            EXPECT_NE(result.err.find("a segment breaks off"), std::string::npos) << how << cut << result;
        }
    }
    // One whose answers have no size does not speak for the other.
    change("audio.m3u8", "a.m3u8", "audio([0-9])", "/unsized/audio$1");
    write("m.m3u8", std::regex_replace(master, std::regex("audio.m3u8"), "a.m3u8"));
    expect_whole("chunked/m.m3u8");
}

// FFmpeg takes the end of an answer that has no size for an early one.
TEST_F(Playlists, AnswersWithoutASizeAreWhole) {
    ffmpeg("-i clip.mp4 -c copy clip.mkv");
    ffmpeg("-i clip.mp4 -c copy clip.ts");
    for (const std::string name : {"clip.mkv", "clip.ts", "vod.m3u8"}) {
        expect_whole("unsized/" + name);
        expect_whole("chunked/" + name);
    }
    for (const std::string name : {"cut/clip.mkv", "cut/clip.ts", "chunked/cut/clip.mkv", "chunked/cut/clip.ts"}) {
        const Result result = filter_from(name);
        EXPECT_EQ(result.code, 5) << result;
    }
}

}  // namespace

}  // namespace vfilter::test
