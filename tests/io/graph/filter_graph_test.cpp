// Graphs of libavfilter's: what is understood, what is refused, and pictures through them.

#include "io/graph/filter_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/input/complaints.h"
#include "tests/support/folder.h"

namespace vfilter {
namespace {

class FilterGraphs : public ::testing::Test {
protected:
    static void SetUpTestSuite() { connect_ffmpeg_log(false); }

    static FramePtr picture(std::int64_t pts, int width = 32) {
        FramePtr picture = make_frame();
        picture->format = AV_PIX_FMT_YUV420P;
        picture->width = width;
        picture->height = 16;
        av_check(av_frame_get_buffer(picture.get(), 0), "av_frame_get_buffer");
        for (int plane = 0; plane < 3; ++plane) {
            const int rows = plane == 0 ? 16 : 8;
            std::fill_n(picture->data[plane], picture->linesize[plane] * rows, std::uint8_t{128});
        }
        picture->data[0][0] = 200;  // at the top, on the left
        picture->pts = pts;
        return picture;
    }
    // All that comes out of pictures at 0, 40, ...
    static std::vector<FramePtr> through(FilterGraph& graph, int pictures) {
        std::vector<FramePtr> made;
        for (int i = 0; i <= pictures; ++i) {
            graph.send(i < pictures ? picture(i * 40) : nullptr);
            while (FramePtr result = graph.receive()) {
                made.push_back(std::move(result));
            }
        }
        return made;
    }
    std::string refusal(const std::string& text) {
        try {
            const FilterGraph graph(text, place_);
            return "accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            return error.what();
        }
    }

    GraphPlace place_{.pictures = {.format = AV_PIX_FMT_YUV420P,
                                   .width = 32,
                                   .height = 16,
                                   .time_base = {1, 1000},
                                   .frame_rate = {25, 1},
                                   .sample_aspect = {1, 1},
                                   .matrix = AVCOL_SPC_SMPTE170M,
                                   .range = AVCOL_RANGE_MPEG},
                      .threads = 1};
};

// libvidstab keeps the address of a picture that it may not change, and writes there once it may change one.
TEST_F(FilterGraphs, OfOthersPicturesNoneIsChanged) {
    const test::Folder folder;
    {
        FilterGraph seen("vidstabdetect=result=" + (folder / "moves"), place_);
        through(seen, 4);
    }
    FilterGraph graph("vidstabtransform=smoothing=1:input=" + (folder / "moves"), place_);
    const FramePtr held = picture(0);
    graph.send(FramePtr(av_frame_clone(held.get())));
    for (int i = 1; i <= 4; ++i) {
        FramePtr next = picture(i * 40);
        std::fill_n(next->data[0], next->linesize[0] * 16, std::uint8_t{50});
        graph.send(i < 4 ? std::move(next) : nullptr);
        while (graph.receive()) {
        }
    }
    EXPECT_EQ(held->data[0][0], 200);
    EXPECT_EQ(held->data[0][1], 128);
}

TEST_F(FilterGraphs, TellWhatTheyMake) {
    FilterGraph graph("scale=64:-2,fps=50", place_);
    EXPECT_EQ(graph.made().width, 64);
    EXPECT_EQ(graph.made().height, 32);
    EXPECT_EQ(av_cmp_q(graph.made().frame_rate, {50, 1}), 0);
    const std::vector<FramePtr> made = through(graph, 3);
    EXPECT_EQ(made.size(), 6U);
    EXPECT_TRUE(graph.ended());
    for (std::size_t i = 0; i < made.size(); ++i) {
        EXPECT_EQ(made[i]->width, 64);
        EXPECT_EQ(av_rescale_q(made[i]->pts, graph.made().time_base, {1, 1000}), static_cast<std::int64_t>(i) * 20);
    }
}

TEST_F(FilterGraphs, GiveTheFormatsThatAreTaken) {
    place_.taken = {AV_PIX_FMT_YUV444P, AV_PIX_FMT_GRAY8};
    EXPECT_EQ(FilterGraph("null", place_).made().format, AV_PIX_FMT_YUV444P);
    EXPECT_EQ(FilterGraph("format=gray", place_).made().format, AV_PIX_FMT_GRAY8);
}

TEST_F(FilterGraphs, TurnPicturesFirst) {
    place_.turn = {.quarter_turns = 1};
    FilterGraph graph("null", place_);
    EXPECT_EQ(graph.made().width, 16);
    EXPECT_EQ(graph.made().height, 32);
    const std::vector<FramePtr> made = through(graph, 1);
    ASSERT_EQ(made.size(), 1U);
    EXPECT_EQ(made[0]->data[0][15], 200) << "clockwise: what was on the left at the top is on the right";
}

TEST_F(FilterGraphs, EndBeforeTheirInput) {
    FilterGraph graph("trim=end_frame=2", place_);
    EXPECT_EQ(through(graph, 5).size(), 2U);
    EXPECT_TRUE(graph.ended());
    EXPECT_EQ(graph.receive(), nullptr);
}

TEST_F(FilterGraphs, RefuseWhatIsNoStepOfPictures) {
    EXPECT_NE(refusal("nonsense").find("No such filter: 'nonsense'"), std::string::npos) << refusal("nonsense");
    EXPECT_NE(refusal("crop=64:64").find("crop: "), std::string::npos) << refusal("crop=64:64");
    EXPECT_NE(refusal("split").find("several open outputs"), std::string::npos);
    EXPECT_NE(refusal("hstack").find("several open inputs"), std::string::npos);
    EXPECT_NE(refusal("testsrc2").find("takes no pictures"), std::string::npos);
    EXPECT_NE(refusal("nullsink").find("gives no pictures"), std::string::npos);
    EXPECT_NE(refusal("volume=2").find("is no filter of pictures"), std::string::npos);
    EXPECT_NE(refusal("hwupload").find("memory of a device"), std::string::npos);
}

TEST_F(FilterGraphs, ReachFilesOnlyWhereTheyMay) {
    InputOptions options;
    const auto refused = [&] {
        try {
            check_graph("lut3d=file=missing.cube", GraphKind::pictures, options);
            return std::string("accepted");
        } catch (const Error& error) {
            return std::string(error.what());
        }
    };
    EXPECT_NE(refused().find("--allow-files"), std::string::npos) << refused();
    options.allow_files = true;
    EXPECT_NE(refused().find("No such file"), std::string::npos) << "it was looked for: " << refused();
    EXPECT_NO_THROW(check_graph("scale=64:-2", GraphKind::pictures, {}));
}

TEST_F(FilterGraphs, TryTellsOfPicturesWithoutAny) {
    const FramePtr first = picture(0);
    first->color_range = AVCOL_RANGE_MPEG;
    const FramePtr facts = try_graph("scale=64:-2:out_range=full", place_, *first);
    EXPECT_EQ(facts->width, 64);
    EXPECT_EQ(facts->color_range, AVCOL_RANGE_JPEG);
    EXPECT_EQ(facts->data[0], nullptr);
    EXPECT_EQ(try_graph("select=0", place_, *first)->width, 32) << "those of the first where none comes out";
}

}  // namespace
}  // namespace vfilter
