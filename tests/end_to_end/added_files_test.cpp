// Sound and subtitles of other files beside the input's own streams.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/end_to_end.h"
#include "tests/support/pgs.h"

namespace vfilter::test {

namespace {

class AddedFiles : public EndToEnd {
protected:
    // A film of two seconds with sound, and words.
    void make_film(const std::string& name = "in.mkv", const std::string& more = "") const {
        ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=2 -c:v libx264 -g 25 -bf 2 -c:a aac " + more +
               " " + name);
        write("words.srt", "1\n00:00:00,300 --> 00:00:00,900\none\n\n2\n00:00:01,000 --> 00:00:01,600\ntwo\n\n");
    }
    // A tone that begins after 1.2 seconds.
    void make_tone(const std::string& name, const std::string& more = "") const {
        ffmpeg("-f lavfi -i \"aevalsrc='0.5*sin(2*PI*1000*t)*gte(t,1.2)':s=48000:d=2\" " + more + " " + name);
    }
    // When the tone of a sound begins, by the clock of the output.
    [[nodiscard]] double begin_of_tone(const std::string& name, int sound) const {
        const Result samples = run(fmt::format(
            "ffmpeg -v error -copyts -i {} -map 0:a:{} -af aresample=async=1:min_hard_comp=0.001:first_pts=0 -ac 1 -ar "
            "48000 -f s16le -",
            name, sound));
        for (std::size_t i = 1; i < samples.out.size(); i += 2) {
            const int high = static_cast<signed char>(samples.out[i]);
            if (high > 15 || high < -16) {
                return static_cast<double>(i) / 2 / 48000;
            }
        }
        return -1;
    }
    [[nodiscard]] std::vector<std::string> codecs(const std::string& name) const {
        std::vector<std::string> found;
        for (const Stream& stream : probe(name).streams) {
            found.push_back(stream.facts.value("codec_name", ""));
        }
        return found;
    }
};

using Names = std::vector<std::string>;

TEST_F(AddedFiles, ComeBehindTheStreamsOfTheInput) {
    make_film();
    make_tone("mix.wav");
    filter("in.mkv out.mkv --box 3 --add words.srt --add mix.wav --metadata subtitles:0:language=ger");
    EXPECT_EQ(codecs("out.mkv"), (Names{"h264", "aac", "subrip", "pcm_s16le"}));
    EXPECT_EQ(probe("out.mkv").of("subtitle").at(0).tag("language"), "ger");
    EXPECT_NEAR(begin_of_tone("out.mkv", 1), 1.2, 0.001);
    filter("in.mkv out.mp4 --box 3 --add words.srt --add mix.wav --streams video,audio:1,subtitles --audio aac");
    EXPECT_EQ(codecs("out.mp4"), (Names{"h264", "mov_text", "aac"}));
    EXPECT_NEAR(begin_of_tone("out.mp4", 0), 1.2, 0.001);
    EXPECT_NE(run("ffmpeg -v error -i out.mp4 -f srt -").out.find("00:00:01,000 --> 00:00:01,600\ntwo"),
              std::string::npos);
}

// A movie's own clock is FFmpeg's of the input, but for one that counts nanoseconds: a second would overflow it.
TEST_F(AddedFiles, BeginWhereTheInputBeginsByAnyClockOfIt) {
    make_tone("tone.m4a", "-c:a aac");
    make_tone("tone.flac");
    for (const auto& [clock, kept] : {std::pair(90'000'000, 90'000'000), {1'000'000'000, 1'000'000}}) {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=64x48:r=25:d=2 -c:v libx264 -g 25 -bf 0 -enc_time_base 1/{} in.nut",
                           clock));
        for (const std::string added : {"tone.m4a", "tone.flac"}) {
            filter("in.nut out.mp4 --add -0.51=" + added);
            const Media made = probe("out.mp4");
            EXPECT_EQ(made.video().facts.value("time_base", ""), fmt::format("1/{}", kept)) << added;
            EXPECT_NEAR(made.pictures.at(0), 0, exactly) << clock << added;
            EXPECT_NEAR(made.pictures.at(49), 1.96, 1e-6) << clock << added;
            EXPECT_NEAR(begin_of_tone("out.mp4", 0), 0.69, 0.006) << clock << added;
        }
    }
}

// Whatever the clocks of both say, and wherever both are entered.
TEST_F(AddedFiles, BeginWhereTheInputBegins) {
    make_film("in.mp4");
    ffmpeg("-i in.mp4 -c copy in.ts");
    ffmpeg("-i in.mp4 -c copy plain.mkv");
    make_tone("tone.m4a", "-c:a aac");
    make_tone("tone.flac");
    make_tone("tone.ts", "-c:a ac3");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=2 -i tone.m4a -map 0 -map 1 -c:v libx264 -g 50 -c:a copy other.mp4");
    for (const std::string film : {"in.mp4", "in.ts", "plain.mkv"}) {
        const std::string told = run("ffprobe -v error -show_entries format=start_time -of csv=p=0 " + film).out;
        const double begin = std::max(std::stod(told), 0.0);  // below 0 is AAC's priming
        for (const std::string added : {"tone.m4a", "tone.flac", "tone.ts", "other.mp4"}) {
            filter(fmt::format("{} out.mov --streams video,audio:1 --audio pcm --add {}", film, added));
            EXPECT_NEAR(begin_of_tone("out.mov", 0) - begin, 1.2, 0.006) << film << " " << added;
            filter(fmt::format("{} out.mov --streams video,audio:1 --audio pcm --start 1 --add {}", film, added));
            EXPECT_NEAR(begin_of_tone("out.mov", 0), 0.2, 0.006) << film << " " << added;
            EXPECT_EQ(count_pictures("out.mov"), 25) << film << " " << added;
        }
    }
}

TEST_F(AddedFiles, BeginLaterOrEarlier) {
    make_film();
    make_tone("mix.wav");
    filter("in.mkv out.mov --streams video,audio:1,subtitles --audio pcm --add 0.5=mix.wav --add 0.25=words.srt");
    EXPECT_NEAR(begin_of_tone("out.mov", 0), 1.7, 0.001);
    filter("in.mkv out.mkv --streams video,audio:1,subtitles --add -0.5=mix.wav --add -0.5=words.srt");
    EXPECT_NEAR(begin_of_tone("out.mkv", 0), 0.7, 0.002);
    const Media earlier = probe("out.mkv");
    EXPECT_NEAR(earlier.pictures.at(0), probe("in.mkv").pictures.at(0), exactly);
    const std::vector<double> words = earlier.of("subtitle").at(0).times();
    ASSERT_EQ(words.size(), 2U);
    EXPECT_NEAR(words[0], 0, 0.001);
    EXPECT_NEAR(words[1], 0.5, 0.001);
}

// Up to a packet that lies on both sides of the beginning: what is heard is ffmpeg's, but for its moving all else.
TEST_F(AddedFiles, ThatBeginEarlierLoseNothingBehindTheBeginning) {
    make_film("in.mkv", "-an");
    const std::string tone = "-f lavfi -i \"aevalsrc='0.5*sin(2*PI*1000*t)':s=48000:d=2\" ";
    for (const auto& [name, codec] : {std::pair("t.m4a", "aac"), {"t.flac", "flac"}}) {
        ffmpeg(tone + "-c:a " + codec + " " + name);
        for (const std::string out : {"out.mkv", "out.mp4"}) {
            filter(fmt::format("in.mkv {} --streams video,audio --add -0.51={}", out, name));
            EXPECT_LT(begin_of_tone(out, 0), 0.003) << out << name;
            EXPECT_NEAR(probe(out).pictures.at(0), 0, exactly) << out << name;
            filter(fmt::format("in.mkv {} --streams video,audio --audio alac --add -0.51={}", out, name));
            const Result samples = run(fmt::format("ffmpeg -v error -i {} -map 0:a -ac 1 -f s16le - | wc -c", out));
            EXPECT_NEAR(std::stod(samples.out) / 2 / 48000, 1.49, 0.05) << out << name;
            EXPECT_LT(begin_of_tone(out, 0), 0.003) << out << name;
            const std::vector<Packet> packets = probe(out).of("audio").at(0).packets;
            EXPECT_EQ(packets.at(0).pts.value_or(-1), 0) << out << name;
        }
    }
}

// Of pictures without an end, each is shown until the next one comes.
TEST_F(AddedFiles, ShowFromTheBeginningWhatIsShownThere) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=6 -c:v libx264 -preset ultrafast -g 25 in.mkv");
    write("words.sup", sup_file({{0.5, pgs_picture(1)}, {1, pgs_clear()}, {2, pgs_picture(2)}, {4.5, pgs_clear()}}));
    filter("in.mkv out.mkv --add words.sup");
    EXPECT_NEAR(probe("out.mkv").of("subtitle").at(0).times().at(0), 0.5, 0.001) << "as the file's own clock says";
    const std::vector<std::string> commands{"--add words.sup --start 3", "--add -3=words.sup",
                                            "--add - --start 3 < words.sup", "--add -1=words.sup --start 2"};
    for (const std::string& command : commands) {
        filter("in.mkv out.mkv " + command);
        const Stream words = probe("out.mkv").of("subtitle").at(0);
        ASSERT_EQ(words.packets.size(), 2U) << command;
        EXPECT_NEAR(words.times()[0], 0, 0.001) << command;
        EXPECT_NEAR(words.times()[1], 1.5, 0.001) << command;
        EXPECT_EQ(words.packets[0].size, std::ssize(pgs_picture(2))) << command;
    }
    filter("in.mkv out.mkv --add words.sup --start 1.5");
    EXPECT_NEAR(probe("out.mkv").of("subtitle").at(0).times().at(0), 0.5, 0.001) << "nothing is shown at 1.5";
}

// As the streams of the input itself: in files, in pipes, and where clocks may jump.
TEST_F(AddedFiles, AndTheInputShowTheSame) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=6 -c:v libx264 -preset ultrafast -g 25 plain.mkv");
    write("words.sup", sup_file({{0, pgs_picture(1)}, {1, pgs_clear()}, {2, pgs_picture(2)}, {4.5, pgs_clear()}}));
    ffmpeg("-i plain.mkv -i words.sup -map 0 -map 1 -c copy in.mkv");
    ffmpeg("-i in.mkv -map 0 -c copy in.m2ts");
    ffmpeg("-fix_sub_duration -i in.mkv -map 0 -c:v copy -c:s dvbsub in.ts");  // else pages come at the end
    const Stream pages = probe("in.ts").of("subtitle").at(0);
    ASSERT_EQ(pages.packets.size(), 4U);
    ASSERT_NEAR(pages.times()[2] - pages.times()[0], 2, 0.001);
    ASSERT_NE(pages.packets[0].size, pages.packets[2].size);
    for (const std::string command :
         {"in.mkv out.mkv", "in.m2ts out.mkv", "in.ts out.mkv", "- out.mkv < in.mkv", "- out.mkv < in.m2ts"}) {
        const Result result = vfilter("-y --box 3 --start 3 " + command);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(count_pictures("out.mkv"), 75) << command;
        const Stream words = probe("out.mkv").of("subtitle").at(0);
        ASSERT_EQ(words.packets.size(), 2U) << command;
        EXPECT_NEAR(words.times()[0], 0, 0.001) << command;
        EXPECT_NEAR(words.times()[1], 1.5, 0.001) << command;
        EXPECT_EQ(words.packets[0].size,
                  command.starts_with("in.ts") ? pages.packets[2].size : std::ssize(pgs_picture(2)))
            << command;
    }
}

// A Blu-ray's segments are decoded before their picture is shown, each at a time of its own.
TEST_F(AddedFiles, AndTheInputShowPicturesWholeThatAreDecodedEarlier) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=6 -c:v libx264 -preset ultrafast -g 25 plain.mkv");
    write("words.sup", sup_file({{1, pgs_clear()}, {2, pgs_picture(2)}, {4.5, pgs_clear()}}, 0.2));
    ffmpeg("-copyts -i plain.mkv -i words.sup -map 0 -map 1 -c copy in.m2ts");
    for (const std::string command : {"plain.mkv out.mkv --add words.sup", "in.m2ts out.mkv", "- out.mkv < in.m2ts"}) {
        for (const double start : {1.85, 1.97, 4.4, 4.485}) {
            filter(fmt::format("--start {} {}", start, command));
            const Stream words = probe("out.mkv").of("subtitle").at(0);
            ASSERT_EQ(words.packets.size(), 2U) << command << start;
            EXPECT_NEAR(words.times()[0], std::max(2 - start, 0.0), 0.0011) << command << start;
            EXPECT_NEAR(words.times()[1], 4.5 - start, 0.0011) << command << start;
            EXPECT_EQ(words.packets[0].size, std::ssize(pgs_picture(2))) << command << start;
        }
    }
}

// And not a picture that something ends right there.
TEST_F(AddedFiles, AndTheInputShowNothingThatEndsWhereAPartBegins) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=6 -c:v libx264 -preset ultrafast -g 25 plain.mkv");
    write("words.sup", sup_file({{0, pgs_picture(1)}, {2, pgs_clear()}, {3, pgs_picture(2)}, {4.5, pgs_clear()}}));
    ffmpeg("-i plain.mkv -i words.sup -map 0 -map 1 -c copy in.mkv");
    ffmpeg("-i in.mkv -map 0 -c copy in.m2ts");
    ffmpeg("-fix_sub_duration -i in.mkv -map 0 -c:v copy -c:s dvbsub in.ts");
    for (const std::string command : {"in.mkv out.mkv", "in.m2ts out.mkv", "in.ts out.mkv", "- out.mkv < in.mkv",
                                      "plain.mkv out.mkv --add words.sup"}) {
        for (const std::string start : {"2", "50f"}) {
            filter("--box 3 --start " + start + " " + command);
            const std::vector<double> times = probe("out.mkv").of("subtitle").at(0).times();
            ASSERT_EQ(times.size(), 2U) << command << start;
            EXPECT_NEAR(times[0], 1, 0.0011) << command << start;
            EXPECT_NEAR(times[1], 2.5, 0.0011) << command << start;
        }
        filter("--box 3 --start 3 " + command);
        const std::vector<double> times = probe("out.mkv").of("subtitle").at(0).times();
        ASSERT_EQ(times.size(), 2U) << command << ": a picture that begins there";
        EXPECT_NEAR(times[0], 0, 0.0011) << command;
    }
}

// What ends a picture may lie in the file behind others that are shown later.
TEST_F(AddedFiles, AndTheInputEndWhatIsShownAlsoLate) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=6 -c:v libx264 -preset ultrafast -g 25 plain.mkv");
    write("words.sup", sup_file({{0, pgs_picture(1)}, {1, pgs_clear()}, {3, pgs_picture(2)}, {4.5, pgs_clear()}}));
    ffmpeg("-i plain.mkv -i words.sup -map 0 -map 1 -c copy in.mkv");
    ffmpeg("-i in.mkv -map 0 -c copy in.m2ts");
    const std::string bytes = content("in.m2ts");
    constexpr std::size_t size = 192;  // of a packet of the transport stream, with a time in front
    std::string late;
    std::string moved;
    int pictures = 0;
    for (std::size_t at = 0; at + size <= bytes.size(); at += size) {
        const bool of_words = (bytes[at + 5] & 0x1F) == 0x12 && bytes[at + 6] == 0;  // stream 0x1200
        pictures += of_words && (bytes[at + 5] & 0x40) != 0 ? 1 : 0;
        if (of_words && pictures == 3) {
            moved += std::exchange(late, "");
        }
        (of_words && pictures == 2 ? late : moved) += bytes.substr(at, size);
    }
    ASSERT_EQ(pictures, 4);
    write("late.m2ts", moved);
    for (const std::string command : {"late.m2ts out.mkv", "- out.mkv < late.m2ts"}) {
        filter("--box 3 --start 1.5 " + command);
        const Stream words = probe("out.mkv").of("subtitle").at(0);
        ASSERT_EQ(words.packets.size(), 4U) << command;
        EXPECT_EQ(words.packets[0].size, std::ssize(pgs_picture(1))) << command;
        EXPECT_NEAR(words.times()[1], 0, 0.001) << command << ", and nothing is shown";
        EXPECT_NEAR(words.times()[2], 1.5, 0.001) << command;
    }
}

TEST_F(AddedFiles, AreNamedByTheirNumber) {
    make_film();
    make_tone("one.mka", "-c:a libopus -metadata:s:a language=ger");
    make_tone("two.wav");
    filter("in.mkv out.mkv --add one.mka --add two.wav --streams video,audio:@2,audio:@1.ger");
    EXPECT_EQ(codecs("out.mkv"), (Names{"h264", "pcm_s16le", "opus"})) << "in the order of the names";
    filter("in.mkv out.mp4 --add one.mka --streams video,audio:@1,audio:@0 --audio @0=mp3 --metadata audio:@0:title=x");
    EXPECT_EQ(codecs("out.mp4"), (Names{"h264", "opus", "mp3"}));
    EXPECT_EQ(probe("out.mp4").of("audio").at(1).tag("handler_name"), "x");
    EXPECT_EQ(vfilter("-i in.mkv -i one.mka -map 1:a -map 0:a -map 0:v -c:v libx264 -y out.mkv").code, 0);
    EXPECT_EQ(codecs("out.mkv"), (Names{"h264", "opus", "aac"}));
    write("chapters.txt", ";FFMETADATA1\n[CHAPTER]\nTIMEBASE=1/1000\nSTART=0\nEND=1000\ntitle=One\n");
    ffmpeg("-i in.mkv -i chapters.txt -map 0:v -map 0:a -map_metadata 1 -c copy more.mkv");
    EXPECT_NE(filter("in.mkv out.mkv --add more.mkv")["warnings"].dump().find(
                  "more.mkv: --add leaves out its video, chapters"),
              std::string::npos);
    filter("in.mkv out.mkv --add one.mka --add two.wav --streams video,audio:@0 --metadata audio:@0:title=x");
    EXPECT_EQ(codecs("out.mkv"), (Names{"h264", "aac"}));
    EXPECT_EQ(probe("out.mkv").of("audio").at(0).tag("title"), "x");
    const Result none = vfilter("in.mkv none.mkv --add two.wav --streams video,subtitles:@1");
    EXPECT_EQ(none.code, 2) << none;
    EXPECT_NE(none.err.find("--streams subtitles:@1: there are none"), std::string::npos) << none;
    const nlohmann::json report = filter("in.mkv out.mkv --add -0.5=two.wav");
    EXPECT_EQ(report["added"].dump(), fmt::format(R"([{{"file":"two.wav","later_seconds":-0.5,"sha256":"{}"}}])",
                                                  run("sha256sum two.wav").out.substr(0, 64)));
}

TEST_F(AddedFiles, OfOldTextBecomeUtf8) {
    make_film();
    write("old.srt", "1\n00:00:00,300 --> 00:00:00,900\nGr\xfc\xdf\x65\n");
    for (const std::string out : {"out.mkv", "out.mp4"}) {
        const nlohmann::json report = filter("in.mkv " + out + " --add old.srt");
        EXPECT_NE(report["warnings"].dump().find("old.srt: the subtitles are not UTF-8"), std::string::npos);
        EXPECT_NE(run("ffmpeg -v error -i " + out + " -f srt -").out.find("Gr\u00fc\u00dfe"), std::string::npos);
    }
}

// Formats whose places are known by what is before are read from their beginning, of which nothing is kept.
TEST_F(AddedFiles, AreEnteredFarBehindTheirBeginning) {
    ffmpeg("-f lavfi -i testsrc2=s=32x32:r=5:d=200 -c:v libx264 -preset ultrafast -g 25 in.mkv");
    ffmpeg("-f lavfi -i sine=d=200:r=48000 -c:a ac3 in.ac3");
    write("late.srt", "1\n00:02:00,000 --> 00:03:19,000\nlong\n");
    filter("in.mkv out.mkv --start 198 --add in.ac3 --add late.srt");
    const Media made = probe("out.mkv");
    EXPECT_EQ(made.pictures.size(), 10U);
    EXPECT_NEAR(static_cast<double>(made.of("audio").at(0).packets.size()), 2 * 48000.0 / 1536, 2);
    EXPECT_EQ(made.of("subtitle").at(0).packets.size(), 1U);
}

TEST_F(AddedFiles, ThatAreDamagedAreDamage) {
    make_film();
    make_tone("mix.wav");
    make_tone("mix.m4a", "-c:a aac -movflags +faststart");
    make_tone("mix.flac");
    ASSERT_EQ(run("ffmpeg -v error -i mix.wav -f wav - | cat > piped.wav").code, 0);
    EXPECT_EQ(vfilter("in.mkv whole.mkv -y --add piped.wav").code, 0) << "no length was told";
    for (const std::string name : {"mix.wav", "mix.m4a", "mix.flac"}) {
        EXPECT_EQ(vfilter("in.mkv whole.mkv -y --add " + name).code, 0) << name;
        ASSERT_EQ(run(fmt::format("head -c $(($(stat -c %s {0}) * 7 / 10)) {0} > cut.{0}", name)).code, 0);
        const nlohmann::json cut = filter("in.mkv out.mkv --add cut." + name, Damage::expected);
        EXPECT_EQ(cut["exit_code"], 5) << name << cut;
        EXPECT_NE(cut["stderr"].dump().find("cut." + name + " is damaged: "), std::string::npos) << cut;
        const Result strict = vfilter("in.mkv strict.mkv --strict --add cut." + name);
        EXPECT_EQ(strict.code, 5) << strict;
        EXPECT_NE(strict.err.find("cut." + name), std::string::npos) << strict;
        EXPECT_FALSE(exists("strict.mkv"));
    }
}

TEST_F(AddedFiles, ThatCannotBeAddedAreToldBeforeTheWork) {
    make_film("in.mkv");
    make_film("silent.mkv", "-an");
    ffmpeg("-f lavfi -i anullsrc -t 1 silence.wav");
    struct Mistake {
        std::string words;
        int code;
        std::string told;
    };
    const std::vector<Mistake> mistakes{
        {"in.mkv out.mkv --add missing.srt", 3, "missing.srt: No such file"},
        {"in.mkv out.mkv --add silent.mkv", 3, "silent.mkv: holds no sound, subtitles or attachments"},
        {"in.mkv out.mkv --add rtsp://host/x", 2, "rtsp://host/x: files are added"},
        {"in.mkv words.srt -y --format matroska --add words.srt", 2, "words.srt"},
        {"lavfi:testsrc2=d=1 out.mkv --live --add words.srt", 2, "is live"},
        {"in.mkv --output-dir done --add words.srt", 2, "--add is for one input"},
        {"in.mkv out.mkv --add 1.5=", 2, "which file?"},
        {"in.mkv out.mkv --add -2=words.srt", 3, "words.srt: nothing of it is left: it ends before 2 s"},
        {"in.mkv out.mkv --add -9=silence.wav", 3, "silence.wav: nothing of it is left"},
        {"in.mkv out.mkv --codec x264 --bitrate 100k --two-pass --add - < words.srt", 2,
         "--two-pass reads all files twice: what --add names"},
    };
    for (const Mistake& mistake : mistakes) {
        const Result result = vfilter(mistake.words);
        EXPECT_EQ(result.code, mistake.code) << result;
        EXPECT_NE(result.err.find(mistake.told), std::string::npos) << result;
        EXPECT_FALSE(exists("out.mkv")) << result;
    }
}

// Its pictures lie in a .sub, which nobody has named.
TEST_F(AddedFiles, TheIndexOfVobSubIsRefusedWithAWayOut) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v mpeg4 in.mkv");
    write("film.idx", "# VobSub index file, v7 (do not modify this line!)\nsize: 320x240\nid: en, index: 0\n");
    for (const std::string arguments : {"in.mkv out.mkv --box 3 --add film.idx", "film.idx out.mkv --box 3"}) {
        const Result result = vfilter(arguments);
        EXPECT_EQ(result.code, 3) << result;
        EXPECT_NE(result.err.find("ffmpeg -i FILE.idx -map 0 -c copy FILE.mkv"), std::string::npos) << result;
    }
}

TEST_F(AddedFiles, OfWhichNothingIsKeptAreTold) {
    make_film();
    make_tone("mix.wav");
    for (const std::string options : {"--add mix.wav --audio none", "--add words.srt --streams video,audio",
                                      "--add mix.wav --streams video,audio:0"}) {
        const Result result = vfilter("in.mkv out.mkv -y " + options);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_TRUE(says(result, ": nothing of it is in the output: ")) << result;
    }
    EXPECT_FALSE(says(vfilter("in.mkv out.mkv -y --add mix.wav --streams video,audio:@1"), "nothing of it"));
}

}  // namespace

}  // namespace vfilter::test
