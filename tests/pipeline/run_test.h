#pragma once
// Whole runs of a small clip in this process.

#include <gtest/gtest.h>

#include <atomic>
#include <memory>
#include <string>

#include "io/log/complaints.h"
#include "pipeline/session/session.h"
#include "tests/support/clips.h"

namespace vfilter::testing {

/// in.mp4, 50 pictures with sound, filtered into out.mkv.
class RunTest : public ::testing::Test {
protected:
    void SetUp() override {
        connect_ffmpeg_log(false);
#ifdef __SANITIZE_THREAD__
        options_.threads = 1;  // TBB's own threads are not instrumented: what they hand over looks like a race
#endif
        make_clip(folder_ / "in.mp4");
        options_.input.path = folder_ / "in.mp4";
        options_.output.path = folder_ / "out.mkv";
        options_.output.overwrite = Overwrite::yes;
        options_.filters = {parse_filter(*find_filter("gaussian"), "5")};
    }

    Outcome run(const StageHook& hook = {}) {
        stats_ = std::make_unique<Stats>();
        return run_session(options_, signal_, *stats_, {{}, hook});
    }

    [[nodiscard]] bool exists(const std::string& name) const {
        return std::filesystem::exists(folder_ / name);
    }

    Folder folder_;
    Options options_;
    std::atomic<int> signal_{0};
    std::unique_ptr<Stats> stats_;
};

}  // namespace vfilter::testing
