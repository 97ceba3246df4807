// Which runs look at their input twice.

#include "pipeline/session/two_pass.h"

#include <gtest/gtest.h>

#include <new>
#include <string>

#include "tests/support/clips.h"

namespace vfilter {
namespace {

Options run_of(const std::string& input, const std::string& output) {
    Options options;
    options.input.path = input;
    options.output.path = output;
    return options;
}

TEST(TwoPass, GifsOfFilesAreMadeInTwoPasses) {
    EXPECT_TRUE(runs_twice(run_of("a.mp4", "a.gif")));
    EXPECT_TRUE(runs_twice(run_of("frames_%03d.png", "a.gif")));
    EXPECT_FALSE(runs_twice(run_of("a.mp4", "a.mp4")));
    EXPECT_FALSE(runs_twice(run_of("a.mp4", "a.nonsense")));
    Options codec = run_of("a.mp4", "a.mkv");
    codec.output.codec = "gif";
    EXPECT_TRUE(runs_twice(codec));
}

TEST(TwoPass, GifsOfOtherInputsAreNot) {
    EXPECT_FALSE(runs_twice(run_of("-", "a.gif")));
    EXPECT_FALSE(runs_twice(run_of("/dev/null", "a.gif")));
    EXPECT_FALSE(runs_twice(run_of("lavfi:testsrc2", "a.gif")));
    Options live = run_of("a.mp4", "a.gif");
    live.input.live = true;
    EXPECT_FALSE(runs_twice(live));
}

TEST(TwoPass, NotWhereNoPaletteIsToBeMade) {
    Options options = run_of("a.mp4", "a.gif");
    options.output.pix_fmt = "rgb8";
    EXPECT_FALSE(runs_twice(options));
    options.output.pix_fmt = "pal8";
    EXPECT_TRUE(runs_twice(options));
    options.foreign = {{.place = 0, .graph = "fps=5"}};
    EXPECT_TRUE(runs_twice(options));
    options.foreign.push_back({.place = 0, .graph = "split[a][b];[a]palettegen[p];[b][p]paletteuse"});
    EXPECT_FALSE(runs_twice(options)) << "the user's own";
}

TEST(TwoPass, IsDoneWhereItIsAskedFor) {
    Options options = run_of("a.mp4", "a.mp4");
    options.output.two_pass = true;
    EXPECT_TRUE(runs_twice(options));
}

TEST(TwoPass, MemoryThatIsRefusedIsCalledSo) {
    const auto refuse = [](const Options&, const EncodeTask&) -> Outcome { throw std::bad_alloc(); };
    testing::Folder folder;
    const Outcome outcome = run_twice(run_of("a.mp4", folder / "a.gif"), refuse);
    EXPECT_EQ(outcome.end.code, ExitCode::internal);
    EXPECT_EQ(outcome.end.message, "out of memory");
}

}  // namespace
}  // namespace vfilter
