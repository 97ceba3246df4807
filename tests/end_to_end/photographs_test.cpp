// What lies behind the picture in a JPEG of a photograph, and what only seems to.

#include <cstdint>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

using namespace std::string_literals;

class Photographs : public EndToEnd {
protected:
    void SetUp() override {
        EndToEnd::SetUp();
        ffmpeg("-f lavfi -i testsrc2=s=64x48 -frames:v 1 photo.jpg");
        ffmpeg("-f lavfi -i testsrc=s=32x24 -frames:v 1 small.jpg");
        ffmpeg("-f lavfi -i testsrc=s=128x96 -frames:v 1 large.jpg");
        photo_ = content("photo.jpg");
        small_ = content("small.jpg");
    }
    static std::string number(std::uint64_t value, int bytes) {
        std::string text;
        for (int shift = 8 * (bytes - 1); shift >= 0; shift -= 8) {
            text += static_cast<char>(value >> shift & 0xFFU);
        }
        return text;
    }
    static std::string segment(char marker, const std::string& content) {
        return "\xFF"s + marker + number(content.size() + 2, 2) + content;
    }
    static std::string with(const std::string& segment, const std::string& jpeg) {
        return jpeg.substr(0, 2) + segment + jpeg.substr(2);
    }
    // The photograph with an index, of what lies right behind it.
    [[nodiscard]] std::string indexed(std::uint32_t type, std::size_t size) const {
        constexpr std::size_t before = 2 + 4 + 4;  // to where places are counted from
        const auto index = [&](std::size_t place) {
            return segment('\xE2', "MPF\0MM\0*"s + number(8, 4) + number(1, 2) + number(0xB002, 2) + number(7, 2) +
                                       number(32, 4) + number(26, 4) + number(0, 4) + number(0x30000, 4) +
                                       std::string(12, '\0') + number(type, 4) + number(size, 4) + number(place, 4) +
                                       number(0, 4));
        };
        return with(index(photo_.size() + index(0).size() - before), photo_);
    }
    static std::string box(const std::string& content) { return number(content.size() + 4, 4) + content; }
    static std::string movie(const std::string& data) {
        return box("ftypmp42\0\0\0\0mp42"s) + box("mdat" + data) + box("moov" + box("free"));
    }
    // Of a file with these bytes.
    int pictures_of(const std::string& bytes, int code = 0) {
        write("in.jpg", bytes);
        const Result result = vfilter("in.jpg out.mkv -y --identity --codec ffv1");
        EXPECT_EQ(result.code, code) << result;
        told_ = result.err.find("left out") != std::string::npos;
        return static_cast<int>(count_pictures("out.mkv"));
    }

    std::string photo_;
    std::string small_;
    bool told_ = false;
};

TEST_F(Photographs, AreNotTheirPreviews) {
    EXPECT_EQ(pictures_of(photo_ + small_), 1);
    EXPECT_TRUE(told_);
    for (const std::uint32_t type : {0x0U, 0x10001U}) {
        EXPECT_EQ(pictures_of(indexed(type, small_.size()) + small_), 1);
        EXPECT_TRUE(told_);
    }
    EXPECT_EQ(pictures_of(indexed(0x10001, photo_.size()) + photo_), 1);
    const std::string gains = with(segment('\xE1', "http://ns.adobe.com/xap/1.0/\0 hdrgm:GainMapMax='1'"s), photo_);
    EXPECT_EQ(pictures_of(indexed(0, gains.size()) + gains), 1);
    EXPECT_TRUE(told_);
    const Result result = vfilter("in.jpg out.png -y --identity");
    EXPECT_EQ(result.code, 0) << result;
}

TEST_F(Photographs, ThatFollowAreNoPreviews) {
    EXPECT_EQ(pictures_of(photo_ + photo_), 2);
    EXPECT_EQ(vfilter("- < in.jpg out.mkv -y --identity --codec ffv1").code, 0);
    EXPECT_EQ(count_pictures("out.mkv"), 2);
    EXPECT_EQ(pictures_of(photo_ + content("large.jpg") + photo_), 3);
    // Of two cameras, and of a kind that nobody told.
    EXPECT_EQ(pictures_of(indexed(0x20002, small_.size()) + small_), 2);
    EXPECT_EQ(pictures_of(indexed(0, photo_.size()) + photo_), 2);
    // Their preview was taken away.
    EXPECT_EQ(pictures_of(indexed(0x10001, small_.size()) + photo_ + photo_), 3);
    EXPECT_EQ(pictures_of(indexed(0x10001, 1000000) + photo_ + photo_), 3);
    EXPECT_FALSE(told_);
}

TEST_F(Photographs, ThatAreDamagedAreNoPreviews) {
    std::string frameless = photo_;
    frameless[frameless.find("\xFF\xC0") + 1] = '\xC8';
    EXPECT_EQ(pictures_of(photo_ + frameless + photo_, 5), 2);
    EXPECT_EQ(pictures_of(photo_ + "\xFF\xD8\xFF\xDB"s + std::string(99, '\x7F'), 5), 1);
}

TEST_F(Photographs, WithAVideoAreToldToBeMore) {
    EXPECT_EQ(pictures_of(photo_ + movie("\xFF\xD8\xFF\xE0"s)), 1);
    EXPECT_TRUE(told_);
    EXPECT_EQ(pictures_of(with(segment('\xFE', movie("")), photo_) + photo_), 2);
    EXPECT_FALSE(told_);
    // The last bytes look like a segment, over which the parser goes on.
    for (const std::string& data : {"\xFF\xD8\xFF\xE0"s, "\xFF\xD8\xFF\xE0\x40\0"s, "\xFF\xE0\x40\0"s}) {
        EXPECT_EQ(pictures_of(photo_ + movie(data) + photo_ + photo_), 3);
        EXPECT_TRUE(told_);
        EXPECT_EQ(probe("out.mkv").video().facts.value("avg_frame_rate", ""), "25/1");
    }
}

TEST_F(Photographs, InSequencesAreToldToBeMore) {
    for (const std::string& behind : {photo_, movie("")}) {
        write("s1.jpg", photo_);
        write("s2.jpg", photo_ + behind);
        write("s3.jpg", photo_ + behind);
        const Result result = vfilter("s%d.jpg out.mkv -y --identity --codec ffv1");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_NE(result.err.find("s2.jpg: what lies behind the picture"), std::string::npos) << result;
        EXPECT_EQ(result.err.find("s3.jpg: what lies"), std::string::npos) << result;
    }
}

}  // namespace

}  // namespace vfilter::test
