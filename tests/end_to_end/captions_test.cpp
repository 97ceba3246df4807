// Closed captions within the pictures (ATSC A/53, part 4).

#include <string>
#include <utility>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

// An H.264 stream with a message of captions (user data of ITU-T T.35) before each picture from `first` on.
std::string with_captions(const std::string& h264, int first) {
    const std::string data = std::string("\xB5\0\x31GA94\x03\xC1\xFF\xFC\x94\x2C\xFF", 14);
    const std::string message =
        std::string("\0\0\0\1\6\4", 6) + static_cast<char>(data.size()) + data + static_cast<char>(0x80);
    std::string result;
    int picture = 0;
    std::size_t begin = 0;
    for (std::size_t at = h264.find(std::string("\0\0\1", 3)); at != std::string::npos;) {
        const std::size_t next = h264.find(std::string("\0\0\1", 3), at + 3);
        const int type = h264[at + 3] & 31;
        if ((type == 1 || type == 5) && picture++ >= first) {
            result += h264.substr(begin, at - begin) + message;
            begin = at;
        }
        at = next;
    }
    return result + h264.substr(begin);
}

class Captions : public EndToEnd {
protected:
    void make(const std::string& name, int first) const {
        ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v libx264 -x264-params slices=1:bframes=0:aud=0 plain.h264");
        write("captioned.h264", with_captions(content("plain.h264"), first));
        ffmpeg("-r 25 -i captioned.h264 -c copy " + name);
    }
    [[nodiscard]] std::int64_t count(const std::string& name) const {
        return std::stoll(run("ffprobe -v error -show_frames " + name + " | grep -c 'ATSC A53'").out);
    }
};

TEST_F(Captions, AreKeptOrToldWhereverTheyBegin) {
    for (const int first : {0, 20}) {
        make("in.mp4", first);
        ASSERT_EQ(count("in.mp4"), 25 - first);
        const Result kept = vfilter("in.mp4 out.mp4 -y --box 3");
        EXPECT_EQ(kept.code, 0) << kept;
        EXPECT_EQ(kept.err.find("captions"), std::string::npos) << kept;
        EXPECT_EQ(count("out.mp4"), 25 - first);
        for (const std::string out : {"out.mkv --codec ffv1", "out.mp4 --encoder-option a53cc=0"}) {
            const Result lost = vfilter("in.mp4 " + out + " -y --box 3");
            EXPECT_EQ(lost.code, 0) << lost;
            EXPECT_NE(lost.err.find("captions within the pictures (ATSC A/53) are left out"), std::string::npos)
                << lost;
        }
    }
}

// Each picture has a part of them.
TEST_F(Captions, AreToldWhereFiltersLeaveSomeOut) {
    make("in.mp4", 0);
    for (const auto& [graph, told] :
         {std::pair<std::string, std::string>{"fps=12.5",
                                              "are damaged: each picture has a part of them, and of 25 13 "},
          {"\"select='not(mod(n,2))'\"", "are damaged: each picture has a part of them, and of 25 13 came out"},
          {"tmix=frames=2", "are left out: its filters do not hand them on"}}) {
        SCOPED_TRACE(graph);
        const Result result = vfilter("in.mp4 out.mp4 -y --vf " + graph);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_NE(result.err.find("the captions within the pictures (ATSC A/53) " + told), std::string::npos) << result;
    }
}

// Also where each picture becomes two, one of which has them, or only the rate is another.
TEST_F(Captions, AreWholeBehindFiltersThatKeepThem) {
    make("in.mp4", 0);
    for (const std::string graph : {"bwdif", "fps=50", "loop=1:25", "dejudder", "hqdn3d"}) {
        SCOPED_TRACE(graph);
        const Result result = vfilter("in.mp4 out.mp4 -y --vf " + graph);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(result.err.find("captions"), std::string::npos) << result;
        EXPECT_EQ(count("out.mp4"), 25);
    }
}

}  // namespace

}  // namespace vfilter::test
