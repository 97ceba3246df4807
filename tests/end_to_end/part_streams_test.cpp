// Parts of videos whose streams do not begin and end together.

#include <fmt/format.h>

#include "tests/support/end_to_end.h"
#include "tests/support/pgs.h"

namespace vfilter::test {

namespace {

using PartStreams = EndToEnd;

TEST_F(PartStreams, SoundBeforeALateVideoStays) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=2 -f lavfi -i sine=d=6 -c:v libx264 -c:a aac even.mp4");
    for (const std::string in : {"late.mp4", "late.mkv"}) {
        ffmpeg("-itsoffset 3 -i even.mp4 -i even.mp4 -map 0:v -map 1:a -c copy " + in);
        const Result result = vfilter(in + " out.mkv -y --start 1");
        EXPECT_EQ(result.code, 0) << result;
        const Result sound = run("ffmpeg -v error -i out.mkv -map 0:a -f s16le - | wc -c");
        EXPECT_NEAR(std::stod(sound.out) / 2 / 44100, 5, 0.1) << in;
    }
}

// The track of an mp4's chapters is made anew.
TEST_F(PartStreams, ChaptersAreNoEmptyStream) {
    write("chapters",
          ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=1\ntitle=one\n[CHAPTER]\nTIMEBASE=1/1\nSTART=1\n"
          "END=3\ntitle=two\n");
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=3 -i chapters -map 0 -map_metadata 1 -c:v mpeg4 in.mp4");
    for (const std::string out : {"out.mp4", "out.mov"}) {
        const auto report = filter("in.mp4 " + out + " --box 3 --start 1.5");
        EXPECT_EQ(report["stderr"].dump().find("empty"), std::string::npos) << report["stderr"];
        EXPECT_EQ(probe(out).chapters.size(), 1U) << out;
    }
}

// Subtitles are looked for where a part begins, and then it is read from its own beginning.
TEST_F(PartStreams, SubtitlesCostNoSoundAndNoPictures) {
    write("s.srt", "1\n00:00:00,500 --> 00:00:02,500\nhi\n\n2\n00:00:03,000 --> 00:00:04,000\nho\n");
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=2 -f lavfi -i sine=d=6 -c:v libx264 -c:a aac even.mp4");
    for (const std::string in : {"late.mp4 -c:s mov_text", "late.mkv -c:s srt"}) {
        const std::string name = in.substr(0, in.find(' '));
        ffmpeg("-itsoffset 3 -i even.mp4 -i even.mp4 -i s.srt -map 0:v -map 1:a -map 2 -c copy" +
               in.substr(in.find(' ')) + " " + name);
        for (const int start : {1, 3}) {
            const Result result = vfilter(fmt::format("{} out.mkv -y --start {}", name, start));
            EXPECT_EQ(result.code, 0) << result;
            EXPECT_EQ(count_pictures("out.mkv"), 50) << in;
            const Result sound = run("ffmpeg -v error -i out.mkv -map 0:a -f s16le - | wc -c");
            EXPECT_NEAR(std::stod(sound.out) / 2 / 44100, 6 - start, 0.1) << in << start;
        }
    }
    // A pipe is read from its beginning on.
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=6 -i s.srt -c:v libx264 -g 50 -c:s srt piped.mkv");
    ASSERT_EQ(vfilter("piped.mkv file.mkv --codec ffv1 --start 0.6").code, 0);
    const Result piped = run("cat piped.mkv | $VFILTER - pipe.mkv --codec ffv1 --start 0.6");
    EXPECT_EQ(piped.code, 0) << piped;
    EXPECT_EQ(count_pictures("pipe.mkv"), 135);
    EXPECT_EQ(picture_hashes("pipe.mkv"), picture_hashes("file.mkv"));
    EXPECT_EQ(probe("pipe.mkv").of("subtitle").at(0).packets.size(), 2U);
}

TEST_F(PartStreams, SubtitlesThatAreShownForLongAreThere) {
    write("s.srt", "1\n00:00:00,500 --> 00:00:40,000\nlong\n\n2\n00:00:41,000 --> 00:00:42,000\nnext\n");
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=5:d=45 -i s.srt -c:v libx264 -g 25 -c:s srt long.mkv");
    ffmpeg("-i long.mkv -c:v copy -c:s mov_text long.mp4");
    for (const std::string name : {"long.mkv", "long.mp4"}) {
        ASSERT_EQ(vfilter(name + " out.mkv -y --start 30").code, 0);
        const std::vector<double> times = probe("out.mkv").of("subtitle").at(0).times();
        ASSERT_EQ(times.size(), 2U) << name;
        EXPECT_NEAR(times[0], 0, 0.01);
        EXPECT_NEAR(times[1], 11, 0.01);
    }
}

// In a pipe nothing is sought: all of a fragment's pictures come, and then its sound.
// They are shown until something else is.
TEST_F(PartStreams, SubtitlesWithoutAnEndAreThere) {
    write("s.srt",
          "1\n00:00:00,200 --> 00:00:00,400\nGone\n\n2\n00:00:00,500 --> 00:00:02,500\nShown\n\n"
          "3\n00:00:03,000 --> 00:00:03,500\nNext\n");
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=4 -i s.srt -c:v libx264 -c:s srt whole.mkv");
    ffmpeg("-i whole.mkv -map 0 -c copy -bsf:s setts=duration=0 in.mkv");
    ASSERT_EQ(vfilter("in.mkv out.mkv --start 1").code, 0);
    const std::vector<double> times = probe("out.mkv").of("subtitle").at(0).times();
    ASSERT_EQ(times.size(), 2U);
    EXPECT_NEAR(times[0], 0, 0.01);
    EXPECT_NEAR(times[1], 2, 0.01);
    ASSERT_EQ(vfilter("in.mkv out.mp4 --start 1").code, 0);
    EXPECT_NE(run("ffmpeg -v error -i out.mp4 -f srt -").out.find("00:00:00,000 --> 00:00:0"), std::string::npos);
    EXPECT_NE(run("ffmpeg -v error -i out.mp4 -f srt -").out.find("Shown"), std::string::npos);
}

TEST_F(PartStreams, StreamsThatLieApartInAPipeAreThere) {
    write("chapters.txt",
          ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=5000\ntitle=One\n"
          "[CHAPTER]\nTIMEBASE=1/1000\nSTART=5000\nEND=12000\ntitle=Two\n");
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=12 -f lavfi -i sine=d=12 -c:v libx264 -bf 0 -g 250 -c:a aac whole.mp4");
    ffmpeg("-i whole.mp4 -c copy -movflags frag_keyframe+empty_moov pictures.mp4");
    ffmpeg("-i whole.mp4 -map 0:a -map 0:v -c copy -movflags frag_keyframe+empty_moov sound.mp4");
    ffmpeg("-i whole.mp4 -i chapters.txt -map 0 -map_metadata 1 -c copy -movflags +faststart chapters.mp4");
    for (const std::string in : {"pictures.mp4", "sound.mp4", "chapters.mp4"}) {
        for (const std::string part : {"--duration 3", "--frames 75"}) {
            const Result result = run("cat " + in + " | $VFILTER - out.mkv -y --codec ffv1 " + part);
            EXPECT_EQ(result.code, 0) << in << result;
            EXPECT_EQ(count_pictures("out.mkv"), 75) << in;
            const Result sound = run("ffmpeg -v error -i out.mkv -map 0:a -f s16le - | wc -c");
            EXPECT_NEAR(std::stod(sound.out) / 2 / 44100, 3, 0.1) << in << part;
        }
    }
}

TEST_F(PartStreams, EndWithWhatComesFirst) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=4 -f lavfi -i sine=d=4 -c:v libx264 -c:a aac in.mp4");
    for (const auto& [part, pictures] : {std::pair("--duration 1 --frames 60", 25), {"--end 2 --frames 10", 10}}) {
        EXPECT_EQ(vfilter(fmt::format("in.mp4 out.mkv -y {}", part)).code, 0);
        EXPECT_EQ(count_pictures("out.mkv"), pictures) << part;
    }
}

TEST_F(PartStreams, SubtitlesThatEndAtTheBeginningAreNotThere) {
    write("s.srt", "1\n00:00:01,000 --> 00:00:02,000\nGone\n\n2\n00:00:03,000 --> 00:00:04,000\nNext\n");
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=5 -i s.srt -c:v libx264 -c:s srt in.mkv");
    EXPECT_EQ(vfilter("in.mkv out.mkv --start 2").code, 0);
    EXPECT_EQ(probe("out.mkv").of("subtitle").at(0).packets.size(), 1U);
}

TEST_F(PartStreams, CoversBelongToEachPart) {
    ffmpeg("-f lavfi -i color=red:s=40x30 -frames:v 1 cover.jpg");
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=3 -i cover.jpg -map 0 -map 1 -c:v:0 libx264 -c:v:1 copy "
        "-disposition:v:1 attached_pic in.mp4");
    for (const std::string out : {"out.mp4", "out.mkv"}) {
        EXPECT_EQ(vfilter("in.mp4 " + out + " --start 1").code, 0);
        EXPECT_EQ(run("ffprobe -v error -show_entries stream=codec_name -of csv=p=0 " + out).out, "h264\nmjpeg\n");
    }
}

TEST_F(PartStreams, ThatHaveNothingInItAreNamed) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=4 -f lavfi -i sine=d=2 -f lavfi -i sine=880:d=4 -map 0 -map 1 -map 2 "
        "-c:v libx264 -c:a aac -metadata:s:a:0 language=eng -metadata:s:a:1 language=deu -disposition:a:1 comment "
        "in.mp4");
    const nlohmann::json report = filter("in.mp4 out.mp4 --start 3");
    EXPECT_EQ(report.at("streams_dropped").at(0), "stream 1 (audio, aac, eng)");
    EXPECT_EQ(report.at("tags_dropped"), nlohmann::json::array()) << report;
    EXPECT_NE(report.at("stderr").dump().find("is left out: nothing of it was to be written"), std::string::npos);
    EXPECT_EQ(run("ffprobe -v error -show_entries stream=codec_name -of csv=p=0 out.mp4").out, "h264\naac\n");
}

// When they go: the first one 0.99 s after it has come, in ticks of 1024/90000 s.
TEST_F(PartStreams, PicturesOfDvdsSayWhatIsLeftOfTheirTime) {
    write("words.sup", sup_file({{0, pgs_picture(1)}, {1, pgs_clear()}, {3, pgs_picture(2)}, {4.5, pgs_clear()}}));
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=6 -i words.sup -map 0 -map 1 -c:v libx264 -g 25 -c:s copy pgs.mkv");
    ffmpeg("-fix_sub_duration -i pgs.mkv -map 0 -c:v copy -c:s dvdsub in.mkv");
    filter("in.mkv out.mkv --box 3 --start 0.4");
    const Stream words = probe("out.mkv").of("subtitle").at(0);
    ASSERT_EQ(words.packets.size(), 2U);
    EXPECT_NEAR(words.times()[0], 0, 0.001);
    // The block in which it goes is the last one: its date, itself as the next, the command, the end.
    const auto goes_at = [](char ticks) { return std::string{'\0', ticks, '\0', '\x2c', '\x02', '\xff'}; };
    ASSERT_NE(content("in.mkv").find(goes_at('\x57')), std::string::npos);
    EXPECT_NE(content("out.mkv").find(goes_at('\x35')), std::string::npos);
    EXPECT_EQ(content("out.mkv").find(goes_at('\x57')), std::string::npos);
}

// Where the container keeps them, and nothing is said of one that was empty before.
TEST_F(PartStreams, ThatAreEmptyAreNamed) {
    write("s.srt", "1\n00:00:00,500 --> 00:00:01,000\nhi\n");
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=4 -f lavfi -i sine=d=2 -i s.srt -map 0 -map 1 -map 2 -c:v libx264 -g 25 "
        "-c:a aac -c:s srt in.mkv");
    const std::string words =
        "empty in the output, as nothing of them lies in the wanted part: stream 1 (audio, aac); "
        "stream 2 (subtitle, subrip)";
    for (const std::string command : {"in.mkv out.mkv --start 3", "- out.mkv --start 3 < in.mkv"}) {
        const Result result = vfilter("-y --box 3 " + command);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_NE(result.err.find(words), std::string::npos) << command << result;
    }
    const Result again = vfilter("out.mkv again.mkv --box 3 --start 0.2");
    EXPECT_EQ(again.err.find("empty"), std::string::npos) << again;
    EXPECT_EQ(vfilter("in.mkv out.mkv -y --box 3").err.find("empty"), std::string::npos);
}

// QuickTime's chapters are a track that FFmpeg reads for itself.
TEST_F(PartStreams, HaveChaptersAndNoFurtherTrack) {
    write("chapters.txt",
          ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1\nSTART=0\nEND=2\ntitle=a\n[CHAPTER]\nTIMEBASE=1/1\nSTART=2\nEND=4\n"
          "title=b\n");
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=4 -i chapters.txt -map_chapters 1 -c:v libx264 in.mp4");
    for (const std::string part : {"", " --start 1 --duration 2"}) {
        const nlohmann::json report = filter("in.mp4 out.mp4" + part);
        EXPECT_EQ(probe("out.mp4").streams.size(), 2U) << part;
        EXPECT_EQ(probe("out.mp4").chapters.size(), 2U) << part;
    }
}

TEST_F(PartStreams, BeginAnewAtMidnight) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=3 -c:v libx264 -timecode 23:59:59:00 in.mov");
    EXPECT_EQ(vfilter("in.mov out.mov --start 2").code, 0);
    const Result code =
        run("ffprobe -v error -select_streams v -show_entries stream_tags=timecode -of csv=p=0 out.mov");
    EXPECT_EQ(code.out, "00:00:01:00\n");
}

// Sound, subtitles and chapters end where the last picture does, and not half a picture before or seconds behind.
TEST_F(PartStreams, AllOfANumberOfFramesEndTogether) {
    write("s.srt", "1\n00:00:00,200 --> 00:00:03,000\nlong\n\n2\n00:00:00,790 --> 00:00:00,795\nlate\n");
    write("c.txt", ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=500\nEND=3000\ntitle=b\n");
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=3 -f lavfi -i sine=d=3:samples_per_frame=441 -i s.srt -i c.txt -map 0 "
        "-map "
        "1 -map 2 -map_chapters 3 -c:v libx264 -c:a pcm_s16le -c:s srt in.mkv");
    struct Row {
        std::string part;
        double begin, end;
    };
    for (const Row& row : {Row{"--frames 20", 0, 0.8},
                           {"--duration 20f", 0, 0.8},
                           {"--end 0.8", 0, 0.8},
                           {"--start 0.09 --frames 20", 0.09, 0.92}}) {
        SCOPED_TRACE(row.part);
        filter("in.mkv out.mkv " + row.part);
        const Media out = probe("out.mkv");
        const double end = row.end - row.begin;
        const auto end_of = [&](const Stream& stream) { return stream.times().back() + stream.durations().back(); };
        EXPECT_NEAR(end_of(out.of("audio").at(0)), end, 0.0101);
        EXPECT_GE(end_of(out.of("audio").at(0)), end - 0.0011);
        const Stream words = out.of("subtitle").at(0);
        EXPECT_EQ(words.packets.size(), 2U);
        EXPECT_NEAR(words.times().front() + words.durations().front(), end, 0.0011);
        EXPECT_NEAR(std::stod(out.chapters.at(0).at("end_time").get<std::string>()), end, 0.0011);
    }
}

TEST_F(PartStreams, EndsBeyondAllTimeAreTheEnd) {
    ffmpeg("-f lavfi -i testsrc2=s=64x64:r=25:d=0.4 -f lavfi -i sine=d=0.4 -c:v libx264 -c:a aac in.mp4");
    for (const std::string part : {"--end 1e300", "--duration 9223372036854775807f", "--start 0.2 --duration 1e13",
                                   "--frames 1099511627776 --end 9e18", "--end 1e12 --audio aac"}) {
        const Result result = vfilter("in.mp4 out.mp4 -y " + part);
        EXPECT_EQ(result.code, 0) << part << result;
        EXPECT_EQ(count_pictures("out.mp4"), part.starts_with("--start") ? 5 : 10) << part;
    }
    const Result none = vfilter("in.mp4 none.mp4 --start 1e300");
    EXPECT_EQ(none.code, 3) << none;
}

// As decoders do.
TEST_F(PartStreams, TrueHdBeginsWithAMajorSync) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=1 -f lavfi -i sine=r=48000:d=1 -c:v libx264 -g 25 -c:a truehd -strict -2 "
        "in.mkv");
    for (const std::string start : {"0.3", "0.7071"}) {
        const std::string lines = filter("in.mkv out.mkv --start " + start).at("stderr").dump();
        EXPECT_TRUE(start != "0.3" || lines.find("s later, with its first major sync") != std::string::npos) << lines;
        const Result first = run("ffmpeg -v error -i out.mkv -map 0:a -c copy -f truehd - | od -A n -t x1 -j 4 -N 4");
        EXPECT_EQ(first.out, " f8 72 6f ba\n") << start;
        EXPECT_LT(probe("out.mkv").of("audio").at(0).times().front(), 0.11) << start;
    }
    const std::string lines = filter("in.mkv out.mkv").at("stderr").dump();
    EXPECT_EQ(lines.find("later"), std::string::npos) << lines;
    EXPECT_EQ(probe("out.mkv").of("audio").at(0).hashes(), probe("in.mkv").of("audio").at(0).hashes());
}

// Packets are shorter than the milliseconds in which Matroska counts.
TEST_F(PartStreams, OfTrueHdThatIsEncodedAnewDoNotStandStill) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x64:r=25:d=1 -f lavfi -i sine=d=1 -c:v libx264 -c:a truehd -strict -2 "
        "in.mkv");
    const Result result = vfilter("in.mkv out.mp4 --box 3 --end 0.5");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(result.err.find("stand still"), std::string::npos) << result;
}

}  // namespace

}  // namespace vfilter::test
