// The preview of a file, on a screen of its own: its clock, what is late, and how it ends.

#include <gtest/gtest.h>

#include <atomic>
#include <chrono>
#include <functional>
#include <future>
#include <thread>

#include "pipeline/live/preview.h"
#include "tests/io/preview/coloured_pictures.h"
#include "tests/io/preview/on_screen.h"
#include "tests/support/stopwatch.h"

namespace vfilter::test {

namespace {

class PreviewOfAFile : public PreviewWindowOnScreen {
protected:
    // So many pictures, one each 40 ms from 10 s on. `slow` takes its time before it hands out a picture.
    std::chrono::milliseconds play(int pictures, const std::function<void(int)>& slow,
                                   const std::function<void()>& person) {
        Preview preview(title, {});
        Channel<Frame> frames(3);
        std::thread filter([&] {
            for (int i = 0; i < pictures; ++i) {
                if (slow) {
                    slow(i);
                }
                Frame frame{i % 2 == 0 ? green_picture() : red_picture(), i};
                frame.picture->pts = 10000 + 40 * i;
                if (!frames.send(std::move(frame))) {
                    break;
                }
            }
            frames.close();
        });
        std::future<void> done = std::async(std::launch::async, person);
        const Stopwatch watch;
        const auto begin = Stamps::Clock::now();
        PreviewHooks hooks;
        hooks.ending = [&] { return ending_.load(); };
        EXPECT_FALSE(preview.run(frames, {.clock = {.time_base = {1, 1000}, .rate = 25}, .paced = true}, hooks));
        const auto time = Stamps::Clock::now() - begin;
        stolen_ = watch.stolen();
        filter.join();
        done.get();
        counters_ = preview.counters();
        return std::chrono::duration_cast<std::chrono::milliseconds>(time);
    }

    // So many pictures are late where others have the processors now and then, or the machine stands still.
    [[nodiscard]] int starved() const { return 12 + static_cast<int>(25 * stolen_); }
    // Milliseconds that a machine has which stands still.
    [[nodiscard]] double longer(double milliseconds) const { return milliseconds + 1000 * stolen_; }

    Preview::Counters counters_;
    double stolen_ = 0;  // seconds of the last play()
    std::atomic<bool> ending_{false};
};

TEST_F(PreviewOfAFile, KeepsItsClock) {
    Stamps::Clock::time_point first;
    std::chrono::duration<double> until_20{};
    const auto look = [&](int i) {
        const auto now = Stamps::Clock::now();
        first = i == 0 ? now : first;
        until_20 = i == 20 ? now - first : until_20;
    };
    const auto time = play(25, look, [] {});
    // Three wait in the channel, and two outside of it.
    EXPECT_GT(until_20.count(), 0.04 * (20 - 6));
    EXPECT_EQ(counters_.shown + counters_.late, 25);
    EXPECT_LE(counters_.late, starved()) << "this machine has much else to do";
    EXPECT_GE(time.count(), 990);
    EXPECT_LT(time.count(), longer(2000)) << "as if each picture were shown twice as long";
}

TEST_F(PreviewOfAFile, LeavesOutWhatIsLate) {
    const auto time = play(
        50,
        [](int i) {
            if (i == 5) {
                std::this_thread::sleep_for(std::chrono::milliseconds(1500));
            }
        },
        [] {});
    EXPECT_EQ(counters_.shown + counters_.late, 50);
    EXPECT_GT(counters_.late, 20);
    EXPECT_LT(counters_.late, 37 + starved());
    EXPECT_LT(time.count(), longer(3200)) << "what comes behind is not late by as much";
}

TEST_F(PreviewOfAFile, WaitsWhileItIsPaused) {
    const auto time = play(25, {}, [&] {
        screen_.wait_for_window(title);
        screen_.press(title, "space");
        std::this_thread::sleep_for(std::chrono::milliseconds(800));
        screen_.press(title, "space");
    });
    EXPECT_EQ(counters_.shown + counters_.late, 25);
    EXPECT_LE(counters_.late, starved());
    EXPECT_GE(time.count(), 1500);
    EXPECT_LT(time.count(), longer(8000));
}

TEST_F(PreviewOfAFile, EndsAlthoughItIsPaused) {
    const auto time = play(1000, {}, [&] {
        screen_.wait_for_window(title);
        screen_.press(title, "space");
        std::this_thread::sleep_for(std::chrono::milliseconds(300));
        ending_ = true;
    });
    EXPECT_LT(counters_.shown, 100);
    EXPECT_LT(time.count(), longer(5000));
}

}  // namespace

}  // namespace vfilter::test
