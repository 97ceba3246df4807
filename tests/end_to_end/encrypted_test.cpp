// Inputs that nobody can read without a key.

#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

constexpr const char* key = "76a6c65c5ea762046bd749a2e632ccbb";

class Encrypted : public EndToEnd {
protected:
    void make_encrypted(const std::string& what, const std::string& name) const {
        ffmpeg(what + " -encryption_scheme cenc-aes-ctr -encryption_key " + key +
               " -encryption_kid a7e61c373e219033c21091fa607bf3b8 " + name);
    }
    // Makes pictures `first` to `end` of the first track what they are in the clear file, which differs in nothing
    // else.
    void clear_video(const std::string& name, const std::string& clear, int first, int end) const {
        std::string bytes = content(name);
        const std::string from = content(clear);
        const auto places = [&](const std::string& file) {
            std::vector<std::pair<std::size_t, std::size_t>> found;
            std::istringstream lines(
                run("ffprobe -v error -select_streams v -show_entries packet=pos,size -of csv=p=0 " + file).out);
            for (std::string line; std::getline(lines, line);) {
                if (line.empty() || line.front() < '0' || line.front() > '9') {
                    continue;  // of side data
                }
                std::size_t comma = 0;
                const std::size_t size = std::stoul(line, &comma);
                found.emplace_back(std::stoul(line.substr(comma + 1)), size);
            }
            return found;
        };
        const auto to = places(name);
        const auto with = places(clear);
        // senc: version and flags, a count, and for each sample 8 bytes, how many parts, and 2 + 4 bytes of each.
        std::size_t at = bytes.find("senc") + 12;
        for (int i = 0; i < end; ++i) {
            const auto number = static_cast<std::size_t>(i);
            const auto parts =
                static_cast<unsigned char>(bytes.at(at + 8)) * 256U + static_cast<unsigned char>(bytes[at + 9]);
            at += 10;
            for (unsigned part = 0; part < parts; ++part, at += 6) {
                bytes.replace(at + 2, i < first ? 0 : 4, i < first ? 0 : 4, 0);
            }
            if (i >= first) {
                bytes.replace(to.at(number).first, to[number].second,
                              from.substr(with.at(number).first, with[number].second));
            }
        }
        write(name, bytes);
    }
};

TEST_F(Encrypted, VideoIsRefusedAndReadWithItsKey) {
    make_encrypted("-f lavfi -i testsrc2=s=64x48:r=25:d=2 -f lavfi -i sine=d=2 -c:v libx264 -g 25 -c:a aac", "in.mp4");
    for (const char* const more : {"", " --start 1", " --decode cpu --strict"}) {
        const Result refused = vfilter(std::string("in.mp4 out.mkv --box 3") + more);
        EXPECT_EQ(refused.code, 3) << more;
        EXPECT_NE(refused.err.find("the video is encrypted"), std::string::npos) << refused.err;
        EXPECT_FALSE(exists("out.mkv"));
    }
    filter(std::string("in.mp4 out.mkv --box 3 --input-option decryption_key=") + key);
    EXPECT_EQ(count_pictures("out.mkv"), 50);
    EXPECT_EQ(ffmpeg_complaints("out.mkv"), "");
}

TEST_F(Encrypted, SoundOfAnotherFileIsLeftOutAndMissing) {
    make_encrypted("-f lavfi -i sine=d=1 -c:a aac", "in.m4a");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v mpeg4 in.mkv");
    const auto report = filter("in.mkv out.mkv --box 3 --add in.m4a", Damage::expected);
    EXPECT_EQ(report["damage"]["packets"], 45) << report["damage"];
    const std::string said = report["stderr"].dump();
    EXPECT_NE(said.find("in.m4a: audio (aac) is left out"), std::string::npos) << said;
    EXPECT_NE(said.find("--add-option decryption_key=HEX"), std::string::npos) << said;
    EXPECT_EQ(vfilter("in.mkv out.mkv -y --box 3 --add in.m4a --strict").code, 5);
    filter("in.mkv out.mkv --box 3 --add in.m4a --streams video");
}

TEST_F(Encrypted, SoundOfAnotherFileIsReadWithItsKey) {
    make_encrypted("-f lavfi -i sine=d=1 -c:a aac", "in.m4a");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v mpeg4 in.mkv");
    write("in.srt", "1\n00:00:00,000 --> 00:00:00,500\nHello\n");
    const std::string option = std::string("decryption_key=") + key;
    filter("in.mkv out.mkv --box 3 --add in.m4a --add-option " + option);
    EXPECT_EQ(ffmpeg_complaints("out.mkv"), "");
    filter("in.mkv out.mkv --box 3 --add in.srt --add in.m4a --add-option @2:" + option);
    EXPECT_EQ(ffmpeg_complaints("out.mkv"), "");
    const Result unknown = vfilter("in.mkv out.mkv -y --box 3 --add in.m4a --add in.srt --add-option " + option);
    EXPECT_EQ(unknown.code, 2) << unknown;
    EXPECT_NE(unknown.err.find("in.srt has no option 'decryption_key'; @N:decryption_key"), std::string::npos)
        << unknown;
    for (const std::string number : {"@3:", "@0:", "@x:", "@"}) {
        EXPECT_EQ(vfilter("in.mkv out.mkv -y --box 3 --add in.m4a --add in.srt --add-option " + number + option).code,
                  2);
    }
    EXPECT_NE(vfilter("in.mkv out.mkv -y --box 3 --add-option a=b").err.find("no file is added"), std::string::npos);
}

// Of copied sound nothing else shows it.
TEST_F(Encrypted, AWrongKeyIsNamed) {
    const std::string wrong = "76a6c65c5ea762046bd749a2e632cc00";
    make_encrypted("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=d=1 -c:v libx264 -c:a aac", "in.mp4");
    // Each file is encrypted in another way: now and then the garbage begins like a picture.
    const Result refused = vfilter("in.mp4 out.mkv -y --box 3 --input-option decryption_key=" + wrong);
    EXPECT_TRUE(refused.code == 3 || refused.code == 5) << refused;
    EXPECT_NE(refused.err.find("the key may be a wrong one"), std::string::npos) << refused;
    make_encrypted("-f lavfi -i sine=d=1 -c:a aac", "in.m4a");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v mpeg4 in.mkv");
    const std::string added = "in.mkv out.mkv --box 3 --add in.m4a --add-option decryption_key=" + wrong;
    const auto report = filter(added, Damage::expected);
    EXPECT_NE(report["stderr"].dump().find("it cannot be decoded with the given key"), std::string::npos) << report;
    EXPECT_EQ(vfilter(added + " -y --strict").code, 5);
    filter(added + " --streams video");
}

// Clear packets of an encrypted file: their samples, and no protected byte by the table of subsamples.
TEST_F(Encrypted, PartsThatAreClearAreWhole) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=16 -f lavfi -i sine=d=16 -c:v libx264 -g 25 -bf 0 -c:a aac clear.mp4");
    make_encrypted("-i clear.mp4 -c copy", "in.mp4");
    clear_video("in.mp4", "clear.mp4", 100, 250);
    // The sound is encrypted all the way.
    const auto whole = filter("in.mp4 out.mkv --box 3 --start 5 --duration 4 --streams video");
    EXPECT_EQ(whole["frames"]["out"], 100) << whole;
    filter("in.mp4 out.mkv --box 3 --start 5 --frames 50 --streams video --strict");
    const auto part = filter("in.mp4 out.mkv --box 3 --start 5 --duration 1", Damage::expected);
    EXPECT_GT(part["damage"]["packets"], 40) << part["damage"];
    EXPECT_LT(part["damage"]["packets"], 60) << "the sound of the part alone: " << part["damage"];
    const std::string said = part["stderr"].dump();
    EXPECT_NE(said.find("it is encrypted"), std::string::npos) << said;
    EXPECT_EQ(said.find("nothing of it lies in the wanted part"), std::string::npos) << said;
    const auto late = filter("in.mp4 out.mkv --box 3 --streams video", Damage::expected);
    EXPECT_EQ(late["damage"]["packets"], 250) << late["damage"];
    EXPECT_EQ(late["frames"]["out"], 150) << late;
    EXPECT_EQ(count_pictures("out.mkv"), 150);
}

TEST_F(Encrypted, TagsThatLookLikeItAreNone) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v mpeg4 -metadata:s:v enc_key_id=abc in.nut");
    filter("in.nut out.mkv --box 3");
}

// A track's name makes room for its ContentEncodings, with ContentEncryption by AES, in its place.
TEST_F(Encrypted, TracksOfMatroskaAreKnownByTheirHeader) {
    const std::string name(30, 'x');
    ffmpeg(
        "-f lavfi -i testsrc2=s=64x48:r=25:d=1 -f lavfi -i sine=d=1 -c:v mpeg4 -c:a ac3 -write_crc32 0 "
        "-metadata:s:a:0 title=" +
        name + " in.mkv");
    std::string bytes = content("in.mkv");
    const std::size_t at = bytes.find("\x53\x6e\x9e" + name);
    ASSERT_NE(at, std::string::npos);
    using namespace std::string_literals;
    bytes.replace(at, 33,
                  "\x6d\x80\x9e\x62\x40\x92\x50\x33\x81\x01\x50\x35\x8b\x47\xe1\x81\x05\x47\xe2\x84KEY1"
                  "\xec\x87\0\0\0\0\0\0\0"s);
    write("in.mkv", bytes);
    const auto report = filter("in.mkv out.mkv --box 3", Damage::expected);
    EXPECT_EQ(report["damage"]["packets"], 29) << report["damage"];
    EXPECT_NE(report["stderr"].dump().find("stream 1, audio (ac3) is left out from 0.000 s on: it is encrypted"),
              std::string::npos);
}

}  // namespace

}  // namespace vfilter::test
