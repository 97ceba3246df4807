// Fault 38: what may take its time, and is no stage that hangs.

#include "tests/support/faults.h"

namespace vfilter::test {

namespace {

class NoStall : public Faults {};

// Where the machine stands still, a stage may seem to hang.
TEST_F(NoStall, IsAnInputPipeThatIsSilent) {
    make_clip("clip.ts", 25);
    ASSERT_EQ(run("mkfifo feed").code, 0);
    Ended end;
    do {
        Command feeder("exec 3>feed; sleep 1; head -c 20000 clip.ts >&3; sleep 1; tail -c +20001 clip.ts >&3",
                       folder());
        end = timed("exec $VFILTER feed out.mkv -y --box 3 --stall-timeout 0.4");
    } while (end.disturbed);
    EXPECT_EQ(end.result.code, 0) << end.result;
    EXPECT_GT(end.seconds, 1.9) << "nobody has waited";
    EXPECT_EQ(count_pictures("out.mkv"), 25);
}

TEST_F(NoStall, IsAnythingWithATimeoutOfNone) {
    make_long_clip();
    ASSERT_EQ(run("mkfifo sink").code, 0);
    for (const auto& [timeout, code] : {std::pair{"0.5", 1}, {"0", 0}}) {
        SCOPED_TRACE(timeout);
        Command reader("exec 3<sink; sleep 2; cat <&3 > /dev/null", folder());
        const Ended end =
            timed(fmt::format("exec $VFILTER in.mkv - --format y4m -q --stall-timeout {} > sink", timeout));
        EXPECT_EQ(end.result.code, code) << end.result;
    }
}

}  // namespace

}  // namespace vfilter::test
