// What the end of a process means for the file that it was at work on.

#include "pipeline/batch/child_end.h"

#include <gtest/gtest.h>

#include <string>

namespace vfilter {
namespace {

struct ChildEnd {
    int status;  // as waitpid() gives it
    const char* report;
    BatchResult::State state;
    int code;
    bool untold;
};

TEST(BatchChild, IsStoppedOnlyWhereItHasSaidSo) {
    using State = BatchResult::State;
    constexpr int exited = 256;
    constexpr const char* well = R"({"frames": {"out": 7}, "seconds": 2.5, "error": null})";
    constexpr const char* wrong = R"({"frames": {"out": 7}, "seconds": 2.5, "error": "why"})";
    for (const ChildEnd& end : {ChildEnd{0, well, State::finished, 0, false},
                                {5 * exited, well, State::finished, 5, false},
                                {3 * exited, wrong, State::failed, 3, false},
                                {3 * exited, "", State::failed, 3, false},
                                {130 * exited, well, State::stopped, 130, false},
                                {143 * exited, wrong, State::stopped, 143, false},
                                {130 * exited, "", State::failed, 130, true},
                                {129 * exited, "{", State::failed, 129, true},
                                {11, "", State::crashed, 1, true}}) {
        SCOPED_TRACE(end.status);
        BatchResult result{.input = "in.mp4", .output = "out.mp4", .report = end.report};
        EXPECT_EQ(take_end(end.status, result), end.untold);
        EXPECT_EQ(result.state, end.state);
        EXPECT_EQ(result.code, end.code);
        EXPECT_EQ(result.frames, end.report == well || end.report == wrong ? 7 : 0);
        EXPECT_EQ(result.error.empty(), end.report != wrong && !end.untold);
    }
}

}  // namespace
}  // namespace vfilter
