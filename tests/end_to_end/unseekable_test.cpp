// Containers that a pipe cannot have as a file has them, and files that are finished at their front.

#include <string>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class Unseekable : public EndToEnd {
protected:
    void SetUp() override { make_clip("in.mp4", 10); }
    [[nodiscard]] Result piped(const std::string& input, const std::string& options) const {
        return run("set -o pipefail; $VFILTER " + input + " - --gaussian 3 " + options + " | cat > out");
    }
};

TEST_F(Unseekable, ContainersThatAreFinishedAtTheirFrontAreRefused) {
    for (const std::string format : {"apng", "webp", "avif", "psp", "wtv",
                                     "mxf_opatom --codec dnxhd --encoder-option profile=dnxhr_lb", "film_cpk"}) {
        const Result result = piped("in.mp4", "--format " + format);
        EXPECT_EQ(result.code, 2) << result;
        EXPECT_EQ(complaints(result).size(), 1U) << result;
        EXPECT_NE(result.err.find("standard output: " + format.substr(0, format.find(' '))), std::string::npos)
            << result;
        EXPECT_NE(result.err.find("use --format "), std::string::npos) << result;
        EXPECT_EQ(content("out"), "");
    }
    // One picture needs no going back.
    for (const std::string format : {"apng", "webp"}) {
        ASSERT_EQ(vfilter("in.mp4 file --gaussian 3 -y --frames 1 --format " + format).code, 0);
        const Result result = piped("in.mp4", "--frames 1 --format " + format);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(content("out"), content("file")) << format;
    }
}

TEST_F(Unseekable, AWrongDurationIsTold) {
    for (const std::string format : {"avi", "ivf", "swf --audio none", "mxf --audio none", "smjpeg"}) {
        const Result result = piped("in.mp4", "--format " + format);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_NE(result.err.find("readers are told none, or a wrong one"), std::string::npos) << result;
    }
    for (const std::string format : {"mkv", "mp4", "mov", "flv", "mpegts", "nut", "ogg", "asf", "webm", "y4m"}) {
        const Result result = piped("in.mp4", "--format " + format);
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(result.err.find("readers are told"), std::string::npos) << result;
        EXPECT_EQ(count_pictures("out"), 10) << format;
    }
    ASSERT_EQ(vfilter("in.mp4 out.avi --gaussian 3").code, 0);
    const Result file = vfilter("in.mp4 out.avi --gaussian 3 -y");
    EXPECT_EQ(file.err.find("readers are told"), std::string::npos) << file;
}

// FFmpeg's demuxer stands anywhere after a search in vain, at the end or behind the first packet.
TEST_F(Unseekable, AStartInAFileThatCannotBeSoughtIsFound) {
    make_clip("in.swf", 10, "-c:v flv1 -bf 0 -an");
    make_clip("in.mkv", 10, "-c:v vc2 -pix_fmt yuv422p -an");
    for (const std::string name : {"in.swf", "in.mkv"}) {
        const auto all = picture_hashes(name);
        ASSERT_EQ(all.size(), 10U) << name;
        const Result result = vfilter(name + " out.nut -y --identity --codec ffv1 --start 4f");
        EXPECT_EQ(result.code, 0) << result;
        EXPECT_EQ(picture_hashes("out.nut"), std::vector(all.begin() + 4, all.end())) << name;
        EXPECT_NE(result.err.find("it is read from the beginning up to --start"), std::string::npos) << result;
    }
    // It is opened anew with all that is behind it and beside it.
    const auto all = picture_hashes("in.swf");
    auto both = std::vector(all.begin() + 4, all.end());
    both.insert(both.end(), all.begin(), all.end());
    write("in.srt", "1\n00:00:00,100 --> 00:00:00,900\nwords\n");
    const Result result = vfilter("in.swf out.mkv -y --identity --codec ffv1 --start 4f --append in.swf --add in.srt");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(picture_hashes("out.mkv"), both);
    EXPECT_EQ(run("ffprobe -v error -select_streams s -show_entries stream=codec_name -of csv=p=0 out.mkv").out,
              "subrip\n");
}

// Their muxers read again what they have written.
TEST_F(Unseekable, AFileIsFinishedAtItsFront) {
    for (const std::string out :
         {"out.cpk --format film_cpk --codec cinepak", "out.cpk --format film_cpk --codec cinepak --audio none",
          "out.mkv --codec ffv1 --muxer-option cues_to_front=1",
          "out.flv --codec flv --muxer-option flvflags=add_keyframe_index",
          "out.mp4 --codec mpeg4 --muxer-option movflags=dash+global_sidx+frag_keyframe"}) {
        SCOPED_TRACE(out);
        const Result result = vfilter("in.mp4 -y " + out);
        EXPECT_EQ(result.code, 0) << result;
        const std::string file = out.substr(0, out.find(' '));
        EXPECT_EQ(count_pictures(file), 10);
        EXPECT_EQ(ffmpeg_complaints(file), "");
        EXPECT_EQ(parts().size(), 0U);
    }
    const std::string bytes = content("out.mkv");
    EXPECT_LT(bytes.find("\x1c\x53\xbb\x6b"), bytes.find("\x1f\x43\xb6\x75")) << "Cues before clusters";
}

}  // namespace

}  // namespace vfilter::test
