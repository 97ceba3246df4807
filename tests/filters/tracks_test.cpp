// Regions that move, and when filters work: texts, tables, and what lies between rows.

#include "filters/tracks.h"

#include <gtest/gtest.h>

#include <functional>
#include <stdexcept>

namespace vfilter {
namespace {

std::string told(const std::function<void()>& wrong) {
    try {
        wrong();
    } catch (const std::invalid_argument& error) {
        return error.what();
    }
    return "accepted";
}

std::vector<Tracks::Place> places(const Tracks& tracks, double at) {
    std::vector<Tracks::Place> found;
    tracks.find({static_cast<std::int64_t>(at), at}, found);
    return found;
}

TEST(Spans, AreReadAndWritten) {
    for (const char* text : {"5-10", "90f-200f+300f-", "0.5-1.25", "2f-10"}) {
        EXPECT_EQ(to_string(parse_spans(text)), text);
    }
    EXPECT_EQ(to_string(parse_spans("-2.5")), "0-2.5");
    EXPECT_EQ(to_string(parse_spans("-9f")), "0f-9f");
    for (const char* text : {"", "5", "-", "5-x", "a-5", "1.5f-3f", "5-10+", "nan-1", "--5"}) {
        EXPECT_NE(told([&] { parse_spans(text); }).find("enable='"), std::string::npos) << text;
    }
    EXPECT_NE(told([] { parse_spans("10-5"); }).find("ends before it begins"), std::string::npos);
    EXPECT_NE(told([] { parse_spans("between(t,5,10)"); }).find("5-10"), std::string::npos);
}

TEST(Spans, HoldTheirBeginningAndNotTheirEnd) {
    const Span frames = parse_spans("90f-200f").at(0);
    EXPECT_FALSE(frames.holds({89, 1000}));
    EXPECT_TRUE(frames.holds({90, 0}));
    EXPECT_TRUE(frames.holds({199, 0}));
    EXPECT_FALSE(frames.holds({200, 0}));
    const Span seconds = parse_spans("5-10").at(0);
    EXPECT_FALSE(seconds.holds({0, 4.96}));
    EXPECT_TRUE(seconds.holds({0, 4.9995})) << "a rounded time means the picture that has it";
    EXPECT_TRUE(seconds.holds({0, 9.96}));
    EXPECT_FALSE(seconds.holds({0, 9.9995}));
    EXPECT_TRUE(parse_spans("3-").at(0).holds({0, 1e6}));
}

TEST(Tracks, OfMotChallengeAreInterpolated) {
    const Tracks tracks = parse_tracks(
        "1,7,100,50,20,10,-1,-1,-1,-1\r\n"
        "\n# a remark\n"
        "11,7,200,60.5,40,10,1\n"
        "5,face 2,-3,4,5,6\n",
        "t.csv");
    EXPECT_FALSE(tracks.in_seconds);
    ASSERT_EQ(tracks.tracks.size(), 2U);
    EXPECT_EQ(tracks.tracks[1].id, "face 2");
    EXPECT_EQ(places(tracks, 0).at(0).box, (TrackBox{100, 50, 20, 10})) << "frames count from 1";
    EXPECT_EQ(places(tracks, 5).at(0).box, (TrackBox{150, 55.25, 30, 10}));
    EXPECT_EQ(places(tracks, 10).at(0).box, (TrackBox{200, 60.5, 40, 10}));
    EXPECT_TRUE(places(tracks, 11).empty());
    EXPECT_EQ(places(tracks, 4).size(), 2U);
    EXPECT_EQ(places(tracks, 4).at(1).track, 1U);
}

TEST(Tracks, HeadersNameColumnsInAnyOrder) {
    const Tracks tracks = parse_tracks(
        "\xEF\xBB\xBFID, \"Height\" ,width,score,top,left,time\nx,10,20,0.9,50,100,1.5\nx,10,20,0.9,50,110,2.5\n",
        "t.csv");
    EXPECT_TRUE(tracks.in_seconds);
    EXPECT_EQ(places(tracks, 2).at(0).box, (TrackBox{105, 50, 20, 10}));
    EXPECT_EQ(places(tracks, 1.49).at(0).box, (TrackBox{100, 50, 20, 10})) << "a rounded time is that of its picture";
    EXPECT_TRUE(places(tracks, 1.4).empty());
    EXPECT_TRUE(places(tracks, 2.6).empty());
}

TEST(Tracks, LongGapsAreNotBridged) {
    const Tracks frames = parse_tracks("1,1,0,0,9,9\n61,1,0,0,9,9\n122,1,0,0,9,9\n", "t.csv");
    EXPECT_EQ(places(frames, 30).size(), 1U);
    EXPECT_EQ(places(frames, 60).size(), 1U);
    EXPECT_EQ(places(frames, 61).size(), 0U);
    EXPECT_EQ(places(frames, 121).size(), 1U);
    const Tracks seconds =
        parse_tracks("time,id,left,top,width,height\n1,1,0,0,9,9\n3,1,0,0,9,9\n5.1,1,0,0,9,9\n", "t.csv");
    EXPECT_EQ(places(seconds, 2).size(), 1U);
    EXPECT_EQ(places(seconds, 4).size(), 0U);
}

TEST(Tracks, MistakesAreToldWithTheirLine) {
    const auto mistake = [](const char* text) { return told([&] { parse_tracks(text, "t.csv"); }); };
    EXPECT_EQ(mistake("1,1,0,0,9,9\n2,1,0,x,9,9\n"), "t.csv:2: top 'x' is not a number");
    EXPECT_EQ(mistake("1,1,0,0,9\n"), "t.csv:1: there is no height: a row has 6 columns, and this one 5");
    EXPECT_EQ(mistake("0,1,0,0,9,9\n"), "t.csv:1: frame 0 is out of range; frames count from 1");
    EXPECT_EQ(mistake("1.5,1,0,0,9,9\n"), "t.csv:1: frame 1.5 is not a whole number");
    EXPECT_EQ(mistake("\n1,1,0,0,0,9\n"), "t.csv:2: width and height are more than 0");
    EXPECT_EQ(mistake("1,1,0,0,nan,9\n"), "t.csv:1: width 'nan' is not a number");
    EXPECT_EQ(mistake("1,1,0,0,-4,9\n"), "t.csv:1: width -4 is out of range");
    EXPECT_EQ(mistake(""), "t.csv: there is no row of a track in it");
    EXPECT_EQ(mistake("frame,id,left,top,width,height\n"), "t.csv: there is no row of a track in it");
    EXPECT_EQ(
        mistake("frame,id,left,top,width\n"),
        "t.csv:1: the header does not name the column 'height'; there are frame or time, id, left, top, width and "
        "height");
    EXPECT_EQ(mistake("frame,time,id,left,top,width,height\n"),
              "t.csv:1: the header has to name one of frame and time");
    EXPECT_EQ(mistake("frame,id,id,left,top,width,height\n"), "t.csv:1: the column 'id' is there twice");
    EXPECT_EQ(mistake("3,a,0,0,9,9\n3,a,1,0,9,9\n"), "t.csv: track a has two rows for frame 3");
}

}  // namespace
}  // namespace vfilter
