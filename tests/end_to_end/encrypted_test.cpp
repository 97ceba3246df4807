// Inputs that nobody can read without a key.

#include <string>

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
    EXPECT_EQ(run("ffmpeg -v error -i out.mkv -f null -").err, "");
}

TEST_F(Encrypted, SoundIsLeftOutAndMissing) {
    make_encrypted("-f lavfi -i sine=d=1 -c:a aac", "in.m4a");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v mpeg4 in.mkv");
    const auto report = filter("in.mkv out.mkv --box 3 --add in.m4a", Damage::expected);
    EXPECT_EQ(report["damage"]["packets"], 45) << report["damage"];
    EXPECT_NE(report["stderr"].dump().find("stream 0 (aac) is left out: it is encrypted"), std::string::npos);
    EXPECT_EQ(vfilter("in.mkv out.mkv -y --box 3 --add in.m4a --strict").code, 5);
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
    EXPECT_NE(report["stderr"].dump().find("stream 1 (ac3) is left out: it is encrypted"), std::string::npos);
}

}  // namespace

}  // namespace vfilter::test
