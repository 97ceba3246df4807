#pragma once
// What tests of shared faults have in common: runs that are timed, stopped, killed, or given a bad machine.

#include <fmt/format.h>

#include <chrono>
#include <csignal>
#include <thread>

#include "tests/support/end_to_end.h"
#include "tests/support/stopwatch.h"

namespace vfilter::test {

using std::chrono::milliseconds;

class Faults : public EndToEnd {
protected:
    using Clock = std::chrono::steady_clock;
    static constexpr milliseconds limit{60'000};
    /// From a signal to the end. The promise is two seconds; half of one is for the machine.
    static constexpr double after_a_signal = 2.5;

    struct Ended {
        Result result;
        double seconds = 0;      ///< a stopwatch's
        bool disturbed = false;  ///< the machine stood still meanwhile: what has a time limit has not kept to it
    };

    static double since(Clock::time_point begin) { return std::chrono::duration<double>(Clock::now() - begin).count(); }
    /// A line of bash to its end.
    [[nodiscard]] Ended timed(const std::string& line) const {
        const Stopwatch watch;
        Result result = run_command(line, folder(), limit);
        return {std::move(result), watch.seconds(), watch.disturbed()};
    }
    /// The same, again where the machine stood still meanwhile: for runs that have a time limit of their own.
    [[nodiscard]] Ended timed_undisturbed(const std::string& line) const {
        Ended end = timed(line);
        for (int again = 0; end.disturbed && again < 5; ++again) {
            end = timed(line);
        }
        return end;
    }
    /// A signal, which it hears and after which it ends by itself, and how long it takes from there. Records it as the
    /// property `seconds` of the test.
    static Ended stop(Command& command, int number) {
        command.wait_until_it_hears();
        const Stopwatch watch;
        EXPECT_TRUE(command.signal(number)) << "ended before the signal";
        Result result = command.wait(limit);
        const double seconds = watch.seconds();
        EXPECT_FALSE(result.signalled) << "it was killed: " << result;
        Test::RecordProperty("seconds", fmt::format("{:.2f}", seconds));
        return {std::move(result), seconds, watch.disturbed()};
    }
    /// Until `there` is, or the command has ended. Gives whether it is.
    template <typename There>
    static bool wait_until(Command& command, There there) {
        const auto begin = Clock::now();
        while (!there() && command.running() && since(begin) < 60) {
            rest(5);
        }
        return there();
    }
    static void rest(int duration) { std::this_thread::sleep_for(milliseconds(duration)); }

    /// Six seconds of moving pictures of a quarter of a megapixel, and sound.
    void make_long_clip(const std::string& name = "in.mkv", int seconds = 6) const {
        ffmpeg(
            fmt::format("-f lavfi -i testsrc2=s=320x240:r=25:d={0} -f lavfi -i sine=r=48000:d={0} -c:v libx264 "
                        "-preset ultrafast -bf 3 -c:a aac {1}",
                        seconds, name));
    }
    /// It ended with that code in its own way, of which r.json tells; its alarm ends it with the same code, and without
    /// one.
    void expect_report_of(const Ended& end, int code) const {
        EXPECT_EQ(end.result.code, code) << end.result;
        EXPECT_TRUE(exists("r.json") || end.disturbed) << "it has left no report: " << end.result;
        EXPECT_TRUE(!exists("r.json") || json_of("r.json").at("exit_code") == code) << end.result;
        std::filesystem::remove(path("r.json"));
    }
};

}  // namespace vfilter::test
