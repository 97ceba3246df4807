// Fault 19: a second signal does not wait for what the first one began.

#include <functional>

#include "tests/support/faults.h"

namespace vfilter::test {

namespace {

// Each of these runs hangs in writing, so that it cannot be over before the second signal comes, and the first one ends
// it after some 1.5 s.
class SecondSignal : public Faults {
protected:
    struct Two {
        Result result;
        double between = 0;  // at most so many seconds lay between the signals
        double from_first_to_end = 0;
        bool second_sent = false;
    };

    [[nodiscard]] Two two_signals(int first, int then, int delay) const {
        for (const std::string& name : names()) {
            if (name != "in.mkv") {
                std::filesystem::remove(path(name));
            }
        }
        write("out.mkv", "old");
        Command command(
            fmt::format("LD_PRELOAD={} STUCK=av_interleaved_write_frame:70 STUCK_NOTE=stuck exec $VFILTER in.mkv "
                        "out.mkv -y --progress none --codec ffv1 --gaussian 3 --report r.json",
                        VFILTER_STUCK),
            folder());
        while (command.running() && !exists("stuck")) {
            rest(5);
        }
        const auto begin = Clock::now();
        EXPECT_TRUE(command.signal(first)) << "it ended before the first signal";
        rest(delay);
        const bool sent = command.signal(then);
        const double between = since(begin);
        Result result = command.wait(limit);
        return {std::move(result), between, since(begin), sent};
    }
    // A machine that stands still makes one signal of two, or lets the alarm of the first one end the run: not thrice.
    static void expect_once(const std::function<bool()>& trial) {
        bool seen = false;
        for (int i = 0; i < 3 && !seen; ++i) {
            seen = trial();
        }
        EXPECT_TRUE(seen);
    }
};

TEST_F(SecondSignal, LeavesAtOnceAndOnlyThePartRemains) {
    make_long_clip();
    for (const int delay : {80, 200}) {
        SCOPED_TRACE(delay);
        expect_once([&] {
            const Two two = two_signals(SIGTERM, SIGINT, delay);
            EXPECT_FALSE(two.result.signalled) << two.result;
            if (!two.second_sent || two.result.code == 128 + SIGTERM) {
                return false;
            }
            EXPECT_EQ(two.result.code, 128 + SIGINT) << two.result;
            EXPECT_FALSE(exists("r.json"));
            EXPECT_EQ(content("out.mkv"), "old");
            EXPECT_EQ(parts().size(), 1U);
            return true;
        });
    }
}

// `timeout` sends its signal to its child and to the group.
TEST_F(SecondSignal, ThatComesAtOnceIsTheFirstOneStill) {
    make_long_clip();
    for (const int delay : {0, 15}) {
        SCOPED_TRACE(delay);
        expect_once([&] {
            const Two two = two_signals(SIGTERM, SIGINT, delay);
            EXPECT_FALSE(two.result.signalled) << two.result;
            if (two.between > 0.045 || (!exists("r.json") && two.from_first_to_end > 2)) {
                return false;
            }
            // Of two that wait for it together the system gives it the lower number first.
            EXPECT_TRUE(two.result.code == 128 + SIGTERM || two.result.code == 128 + SIGINT) << two.result;
            EXPECT_EQ(json_of("r.json").at("exit_code"), two.result.code) << "it left at once, without a report";
            EXPECT_EQ(content("out.mkv"), "old");
            return true;
        });
    }
}

// A shell and the kernel both tell that a terminal is gone.
TEST_F(SecondSignal, OfALostTerminalIsTheFirstOneStill) {
    make_long_clip();
    expect_once([&] {
        const Two two = two_signals(SIGHUP, SIGHUP, 200);
        EXPECT_FALSE(two.result.signalled) << two.result;
        if (!two.second_sent || (!exists("r.json") && two.from_first_to_end > 2)) {
            return false;
        }
        EXPECT_EQ(two.result.code, 128 + SIGHUP) << two.result;
        EXPECT_EQ(json_of("r.json").at("exit_code"), 128 + SIGHUP);
        return true;
    });
}

}  // namespace

}  // namespace vfilter::test
