// Graphs of libavfilter's: what is understood, what is refused, and pictures through them.

#include "io/graph/filter_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "io/graph/fine_times.h"
#include "io/log/complaints.h"
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

// What becomes of setpts in a graph whose clock is no finer than the pictures' rate.

using Clocks = std::vector<AVRational>;

TEST(FineTimes, ClocksHoldTheOldTicks) {
    for (const AVRational clock : {AVRational{1, 25}, {1001, 30000}, {1, 1000}, {1, 15}, {1000, 23976}, {1, 1}}) {
        const AVRational fine = finer_clock(clock);
        EXPECT_EQ(av_div_q(clock, fine).den, 1) << clock.num << '/' << clock.den;
        EXPECT_LT(av_q2d(fine), 1e-4);
    }
    EXPECT_EQ(av_cmp_q(finer_clock({1, 25}), {1, 90000}), 0);
    for (const AVRational clock : {AVRational{1, 12800}, {1, 90000}, {1, 1'000'000}, {0, 1}}) {
        EXPECT_EQ(finer_clock(clock).den, clock.den);
    }
}

TEST(FineTimes, ExpressionsMeanWhatTheyDid) {
    const Clocks rough{{1, 25}};
    EXPECT_EQ(with_fine_times("setpts=PTS/2", rough), "settb=1/90000,setpts='round(3600*((PTS/3600)/2))'");
    EXPECT_EQ(with_fine_times("hflip,[in] setpts@a=expr='N/60/TB'[a];[a]vflip", rough),
              "hflip,[in] settb=1/90000,setpts@a='round(3600*(N/60/(TB*3600)))'[a];[a]vflip");
    EXPECT_EQ(with_fine_times("setpts='expr=PREV_OUTPTS+STARTPTS'", rough),
              "settb=1/90000,setpts='round(3600*((PREV_OUTPTS/3600)+(STARTPTS/3600)))'");
    EXPECT_EQ(with_fine_times("drawtext=text='setpts=1\\,[',setpts=PTS", rough),
              "drawtext=text='setpts=1\\,[',settb=1/90000,setpts='round(3600*((PTS/3600)))'");
    EXPECT_EQ(with_fine_times("setpts=PTS,setpts=2*PTS", {{1, 12800}, {1, 25}}),
              "setpts=PTS,settb=1/90000,setpts='round(3600*(2*(PTS/3600)))'");
    // As libavfilter reads it, whatever is quoted.
    for (const std::string graph :
         {"'setpts'=PTS/2", "set\\pts=PTS/2", "setpts='expr'=PTS/2", "setpts= expr = PTS/2"}) {
        EXPECT_TRUE(with_fine_times(graph, rough).ends_with("='round(3600*((PTS/3600)/2))'")) << graph;
    }
}

TEST(FineTimes, GraphsStayWhereTicksAreCounted) {
    const Clocks rough{{1, 25}};
    for (const std::string graph :
         {"setpts=PTS/2,trim=end_pts=10", "setpts=N,select='gt(pts,3)'", "setpts=PTS/2:strip=1",
          "setpts=PTS,settb=intb/2", "setpts=N,setpts=N", "scale=80:60"}) {
        EXPECT_EQ(with_fine_times(graph, rough), graph);
    }
    EXPECT_EQ(with_fine_times("setpts=PTS/2", {{1, 90000}}), "setpts=PTS/2");
    EXPECT_NE(with_fine_times("select='gt(pts,3)',setpts=PTS/2", rough), "select='gt(pts,3)',setpts=PTS/2");
}

// The times of pictures at 0, 1, ... on a clock of their rate, in seconds.
std::vector<double> times_through(const std::string& text, AVRational clock, int pictures) {
    connect_ffmpeg_log(false);
    FilterGraph graph(text, {.pictures = {.format = AV_PIX_FMT_GRAY8,
                                          .width = 16,
                                          .height = 16,
                                          .time_base = clock,
                                          .frame_rate = av_inv_q(clock),
                                          .sample_aspect = {1, 1}},
                             .threads = 1});
    std::vector<double> times;
    for (int i = 0; i <= pictures; ++i) {
        FramePtr picture;
        if (i < pictures) {
            picture = make_frame();
            picture->format = AV_PIX_FMT_GRAY8;
            picture->width = 16;
            picture->height = 16;
            av_check(av_frame_get_buffer(picture.get(), 0), "av_frame_get_buffer");
            picture->pts = i;
        }
        graph.send(std::move(picture));
        while (const FramePtr made = graph.receive()) {
            times.push_back(static_cast<double>(made->pts) * av_q2d(graph.made().time_base));
        }
    }
    EXPECT_EQ(graph.text(), text);
    return times;
}

TEST(FineTimes, PicturesComeBetweenTheTicksOfTheInput) {
    struct Row {
        std::string graph;
        AVRational clock;
        double step;  // seconds
        double first = 0;
    };
    const Row rows[] = {{"setpts=PTS/2", {1, 25}, 0.02},
                        {"setpts=N/60/TB", {1, 25}, 1.0 / 60},
                        {"setpts=N/(24000/1001)/TB", {1, 25}, 1001.0 / 24000},
                        {"setpts=PTS/2", {1001, 30000}, 1001.0 / 60000},
                        {"setpts=PTS+1", {1, 25}, 0.04, 0.04},
                        {"setpts=PTS+0.5/TB", {1, 25}, 0.04, 0.5},
                        {"setpts=if(eq(N\\,0)\\,0\\,PREV_OUTPTS+0.5)", {1, 25}, 0.02},
                        {"setpts=PTS+1/TB,setpts=(PTS-STARTPTS)/4", {1, 25}, 0.01},
                        {"fps=50,setpts=PTS/2", {1, 50}, 0.01},
                        {"settb=1/10,setpts=N", {1, 25}, 0.1},
                        {"setpts=expr='PTS/2'", {1000, 23976}, 500.0 / 23976}};
    for (const Row& row : rows) {
        const std::vector<double> times = times_through(row.graph, row.clock, 5);
        ASSERT_EQ(times.size(), 5U) << row.graph;
        for (std::size_t i = 0; i < times.size(); ++i) {
            EXPECT_NEAR(times[i], row.first + static_cast<double>(i) * row.step, 1.2e-5) << row.graph;
        }
    }
}

}  // namespace
}  // namespace vfilter
