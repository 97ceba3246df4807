#include "pipeline/live/preview_overlay.h"

#include <gtest/gtest.h>

#include <chrono>
#include <optional>

#include "pipeline/live/preview_keys.h"

namespace vfilter {
namespace {

using namespace std::chrono_literals;

constexpr RecentValues::Time moment = RecentValues::Time() + 1000h;

TEST(PreviewOverlay, TellsWhatIsSeenAndHowFast) {
    PreviewView view;
    OverlayFacts facts{.shown = "25.0 fps", .time = "", .dropped = 3, .filter = "filter: gaussian size=9", .note = ""};
    EXPECT_EQ(overlay_text(view, facts), "25.0 fps, 3 dropped\nfilter: gaussian size=9\n");
    view.paused = true;
    EXPECT_EQ(overlay_text(view, facts), "25.0 fps, 3 dropped\nfilter: gaussian size=9\npaused\n");
    view.move_line(0.1);
    facts.filter = "";
    facts.note = "saved";
    EXPECT_EQ(overlay_text(view, facts), "25.0 fps, 3 dropped\nleft: original, right: filtered\npaused\nsaved\n");
    view.toggle_original();
    view.toggle_original();
    view.paused = false;
    EXPECT_EQ(overlay_text(view, facts), "25.0 fps, 3 dropped\noriginal\nsaved\n");
    view.numbers = false;
    EXPECT_EQ(overlay_text(view, facts), "saved\n");
    view.help = true;
    facts.note = "";
    EXPECT_EQ(overlay_text(view, facts), preview_help() + "\n");
}

TEST(PreviewOverlay, CountsWhatWasShownLately) {
    ShownPictures shown;
    EXPECT_EQ(shown.text(moment), "0.0 fps");
    for (int i = 0; i <= 50; ++i) {
        shown.add(moment + i * 20ms);
    }
    EXPECT_EQ(shown.text(moment + 1s), "50.0 fps");
    shown.add_latency(moment + 1s, 12ms);
    shown.add_latency(moment + 1s, 40ms);
    EXPECT_EQ(shown.text(moment + 1s), "50.0 fps, latency 12.0 ms (p50) 40.0 ms (p99)");
    EXPECT_EQ(shown.text(moment + 10s), "0.0 fps");
}

TEST(PreviewOverlay, TellsTheTimeAndWhatElseIsToBeKnown) {
    EXPECT_EQ(video_time_text(62.499, 3725.5), "1:02.50 of 1:02:05.50");
    EXPECT_EQ(video_time_text(0, std::nullopt), "0:00.00");
    EXPECT_EQ(video_time_text(59.996, 60), "1:00.00 of 1:00.00");
    PreviewView view;
    view.loop = true;
    OverlayFacts facts;
    facts.shown = "25.0 fps";
    facts.time = "0:01.00";
    facts.mapped = true;
    facts.two_places = true;
    EXPECT_EQ(overlay_text(view, facts),
              "25.0 fps, 0 dropped\n0:01.00, begins again at its end\nleft: original, right: filtered\n"
              "HDR, tone-mapped for this window\n");
}

TEST(PreviewOverlay, ForgetsANote) {
    PassingNote note;
    EXPECT_EQ(note.text(moment), "");
    note.set("saved", moment);
    EXPECT_EQ(note.text(moment + 3999ms), "saved");
    EXPECT_EQ(note.text(moment + 4s), "");
}

TEST(PreviewView, ShowsOneThingAtATime) {
    PreviewView view;
    view.beside = true;
    view.move_line(0.1);
    EXPECT_TRUE(view.has_line());
    EXPECT_FALSE(view.beside);
    view.beside = true;
    EXPECT_FALSE(view.has_line());
    view.toggle_original();
    EXPECT_EQ(view.split, 1) << "from side by side to the original";
    EXPECT_FALSE(view.beside);
}

TEST(PreviewView, MovesItsLineWithinThePicture) {
    PreviewView view;
    EXPECT_FALSE(view.has_line());
    view.move_line(0.02);
    EXPECT_EQ(view.split, 0.5) << "into the middle, whichever way";
    view.move_line(0.02);
    EXPECT_DOUBLE_EQ(view.split, 0.52);
    view.put_line(1.7);
    EXPECT_EQ(view.split, 1);
    EXPECT_FALSE(view.has_line());
    view.toggle_original();
    EXPECT_EQ(view.split, 0);
    view.toggle_original();
    EXPECT_EQ(view.split, 1);
    view.put_line(-0.3);
    EXPECT_EQ(view.split, 0);
}

}  // namespace
}  // namespace vfilter
