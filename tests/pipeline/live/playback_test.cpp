#include "pipeline/live/playback.h"

#include <gtest/gtest.h>

#include <chrono>
#include <string>
#include <thread>

namespace vfilter {
namespace {

using namespace std::chrono_literals;
using Turn = Playback::Turn;

constexpr AVRational milliseconds_base{1, 1000};

Frame frame_at(std::int64_t pts) {
    Frame frame{make_frame(), pts};
    frame.picture->pts = pts;
    return frame;
}

// All turns until the end: 's' for a picture that is shown, 'l' for one that is left out.
std::string turns(Playback& playback) {
    std::string text;
    for (;;) {
        Frame frame;
        switch (playback.take(frame, 1ms)) {
            case Turn::wait:
                break;
            case Turn::show:
                text += 's';
                break;
            case Turn::late:
                text += 'l';
                break;
            case Turn::over:
                return text;
        }
    }
}

TEST(PacedPlayback, ShowsEachPictureAtItsTimeAndTheLastOneAsLong) {
    Channel<Frame> frames(8);
    for (const std::int64_t pts : {7000, 7100, 7200}) {
        frames.send(frame_at(pts));
    }
    frames.close();
    PacedPlayback playback(frames, milliseconds_base);
    const auto begin = Stamps::Clock::now();
    EXPECT_EQ(turns(playback), "sss");
    EXPECT_GE(Stamps::Clock::now() - begin, 300ms);
}

TEST(PacedPlayback, LeavesOutWhatIsLate) {
    Channel<Frame> frames(8);
    PacedPlayback playback(frames, milliseconds_base);
    frames.send(frame_at(0));
    Frame frame;
    ASSERT_EQ(playback.take(frame, 1ms), Turn::show);
    std::this_thread::sleep_for(250ms);
    for (const std::int64_t pts : {50, 100, 200, 100'000}) {
        frames.send(frame_at(pts));
    }
    EXPECT_EQ(playback.take(frame, 1ms), Turn::late);
    EXPECT_EQ(playback.take(frame, 1ms), Turn::late);
    ASSERT_EQ(playback.take(frame, 1ms), Turn::show) << "the next one is not due yet";
    EXPECT_EQ(frame.index, 200);
    EXPECT_EQ(playback.take(frame, 1ms), Turn::wait);
}

TEST(PacedPlayback, ReceivesNothingWhileItIsPausedButForASingleStep) {
    Channel<Frame> frames(2);
    PacedPlayback playback(frames, milliseconds_base);
    frames.send(frame_at(0));
    frames.send(frame_at(100'000));
    Frame frame;
    playback.pause();
    EXPECT_EQ(playback.take(frame, 1ms), Turn::wait);
    Frame third = frame_at(200'000);
    EXPECT_EQ(frames.offer(third), Offered::no_room) << "the channel is as full as it was";
    playback.step();
    ASSERT_EQ(playback.take(frame, 1ms), Turn::show);
    EXPECT_EQ(frame.index, 0);
    EXPECT_EQ(playback.take(frame, 1ms), Turn::wait);
    playback.step();
    ASSERT_EQ(playback.take(frame, 1ms), Turn::show) << "at once, wherever it lies";
    EXPECT_EQ(frame.index, 100'000);
}

TEST(PacedPlayback, OfNoPicturesIsOver) {
    Channel<Frame> frames(1);
    frames.close();
    PacedPlayback playback(frames, milliseconds_base);
    Frame frame;
    EXPECT_EQ(playback.take(frame, 1ms), Turn::over);
}

TEST(LivePlayback, ShowsWhatComesAndDropsItWhileItIsPaused) {
    Channel<Frame> frames(8);
    LivePlayback playback(frames);
    Frame frame;
    EXPECT_EQ(playback.take(frame, 1ms), Turn::wait);
    for (std::int64_t pts = 0; pts < 5; ++pts) {
        frames.send(frame_at(pts));
    }
    frames.close();
    EXPECT_EQ(playback.take(frame, 1ms), Turn::show);
    playback.pause();
    EXPECT_EQ(playback.take(frame, 1ms), Turn::wait);
    playback.step();
    ASSERT_EQ(playback.take(frame, 1ms), Turn::show);
    EXPECT_EQ(frame.index, 2);
    EXPECT_EQ(playback.take(frame, 1ms), Turn::wait) << "one step is one picture";
    playback.resume();
    EXPECT_EQ(playback.take(frame, 1ms), Turn::show);
    EXPECT_EQ(playback.take(frame, 1ms), Turn::over);
}

}  // namespace
}  // namespace vfilter
