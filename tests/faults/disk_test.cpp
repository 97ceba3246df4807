// Faults 8, 37, 39 and 45: disks that are full, lose what they were given, or lose power.

#include <set>

#include "tests/support/faults.h"

namespace vfilter::test {

namespace {

class Disk : public Faults {
protected:
    [[nodiscard]] Result with_disk(const std::string& fault, const std::string& arguments) const {
        return run(fmt::format("LD_PRELOAD={} LOSSY_DISK={} exec $VFILTER {}", VFILTER_LOSSY_DISK, fault, arguments));
    }
    // What was done with the output, in order; `arguments` write out.X.
    [[nodiscard]] std::vector<std::string> deeds(const std::string& arguments) const {
        std::filesystem::remove(path("log"));
        const Result result =
            run(fmt::format("LD_PRELOAD={} LOSSY_DISK_LOG=log exec $VFILTER {}", VFILTER_LOSSY_DISK, arguments));
        EXPECT_EQ(result.code, 0) << result;
        return lines_of(content("log"));
    }
};

class LossyDisk : public Disk, public testing::WithParamInterface<const char*> {};

TEST_P(LossyDisk, IsSeenBeforeTheRename) {
    constexpr int pictures = 15;
    make_clip("in.mkv", pictures);
    const std::string target = fmt::format("out.{}", GetParam());
    const std::string options = target + " -y -q --gaussian 3" +
                                (target == "out.webm"                         ? " --bitrate 8M"
                                 : target == "out.avi" || target == "out.nut" ? " --codec ffv1"
                                                                              : " --preset ultrafast --crf 1");
    const auto writes = std::ranges::count(deeds("in.mkv " + options), "write");
    ASSERT_GE(writes, 2);
    for (const std::string kind : {"drop", "zero", "flip"}) {
        // The last ones are headers and indexes that are written anew.
        for (const auto n : std::set{decltype(writes){1}, (writes + 1) / 2, writes - 1, writes}) {
            SCOPED_TRACE(fmt::format("{} {} of {}", kind, n, writes));
            write(target, "old");
            const Result result = with_disk(fmt::format("{}:{}", kind, n), "in.mkv " + options);
            EXPECT_EQ(result.code, 4) << result;
            EXPECT_TRUE(content(target) == "old");
            ASSERT_EQ(parts().size(), 1U) << result;
            EXPECT_TRUE(says(result, parts().front())) << result;
            for (const std::string& name : names()) {
                if (name.starts_with('.')) {
                    std::filesystem::remove(path(name));
                }
            }
        }
    }
    // The same disk, without the fault.
    const Result result = with_disk(fmt::format("flip:{}", 1'000'000), "in.mkv " + options);
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(count_pictures(target), pictures);
}

INSTANTIATE_TEST_SUITE_P(Each, LossyDisk, testing::Values("mkv", "mp4", "mov", "ts", "avi", "webm", "nut"),
                         [](const auto& made) { return std::string(made.param); });

// What is told of a run is read again as well as what it made.
TEST_F(Disk, AReportThatIsLostIsSeenToo) {
    make_clip("in.mkv", 3);
    for (const std::string report : {"--report r.json", "--trace r.json"}) {
        for (const std::string kind : {"drop", "zero", "flip"}) {
            write("r.json", "old");
            const Result result = with_disk(kind + ":1", "in.mkv - --format null -q " + report);
            EXPECT_EQ(result.code, 4) << report << ' ' << kind << ": " << result;
            EXPECT_TRUE(says(result, "not what was written")) << result;
            EXPECT_EQ(content("r.json"), "old");
            EXPECT_EQ(parts(), std::vector<std::string>{});
        }
    }
}

// Everything is on the disk before the name is, and the name before the end.
TEST_F(Disk, NothingIsWrittenAfterTheSyncThatComesBeforeTheName) {
    make_clip("in.mkv", 25);
    for (const std::string target : {"out.mkv", "out.mp4", "sub/out.mkv"}) {
        SCOPED_TRACE(target);
        std::filesystem::create_directory(path("sub"));
        for (const bool exists_already : {false, true}) {
            EXPECT_EQ(exists(target), exists_already);
            const std::vector<std::string> list = deeds(fmt::format("in.mkv {} -y -q --gaussian 3", target));
            const auto renamed = std::ranges::find(list, "rename");
            ASSERT_NE(renamed, list.end());
            EXPECT_EQ(std::ranges::count(list, "rename"), 1);
            ASSERT_NE(renamed, list.begin());
            EXPECT_EQ(*(renamed - 1), "sync");
            EXPECT_GT(std::count(list.begin(), renamed, "write"), 0);
            EXPECT_EQ(std::vector<std::string>(renamed + 1, list.end()), std::vector<std::string>{"sync folder"});
        }
    }
}

// The kernel ends a process that writes too much, unless it asks to be told.
TEST_F(Disk, ALimitOfFileSizesIsAnOutputError) {
    ffmpeg(
        "-f lavfi -i testsrc2=s=320x240:r=25:d=2 -vf noise=alls=60:allf=t -c:v libx264 -preset ultrafast -crf 20 "
        "in.mkv");
    for (const std::string target : {"out.mkv", "out.mp4"}) {
        write(target, "old");
        const Ended end = timed(fmt::format(
            "ulimit -f 300; exec $VFILTER in.mkv {} -y --crf 1 --preset ultrafast --progress none", target));
        EXPECT_EQ(end.result.code, 4) << end.result;
        EXPECT_TRUE(says(end.result, "File too large")) << end.result;
        EXPECT_LT(end.seconds, 20);
        EXPECT_TRUE(content(target) == "old");
        ASSERT_EQ(parts().size(), 1U);
        EXPECT_TRUE(says(end.result, parts().front())) << end.result;
        std::filesystem::remove(path(parts().front()));
        RecordProperty("seconds", fmt::format("{:.2f}", end.seconds));
    }
    // To standard output, and of the report.
    EXPECT_EQ(run("ulimit -f 300; exec $VFILTER in.mkv - --format y4m -q > out.y4m").code, 4);
    EXPECT_EQ(run("ulimit -f 0; exec $VFILTER in.mkv --format null -q --report r.json").code, 4);
}

// Those of many that run go on, and what became of each is told.
TEST_F(Disk, ThatIsFullForTheNextOfManyEndsNoOther) {
    for (const char* const name : {"c1.mp4", "c2.mp4", "c3.mp4"}) {
        ffmpeg(fmt::format("-f lavfi -i testsrc2=s=64x48:r=25:d=0.4 -c:v libx264 {}", name));
    }
    std::filesystem::create_directory(path("done"));
    // The notes of a batch, to which one line can be added.
    constexpr std::size_t limit = 2000 * 1024;  // in the unit of bash
    write("done/.vfilter-batch", std::string(limit - 250, 'x') + "\n");
    const Result result = run(
        "ulimit -f 2000; exec $VFILTER c*.mp4 --output-dir done --gaussian 5 --jobs 2 --keep-going --report r.json");
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_TRUE(says(result, "done/.vfilter-batch: File too large")) << result;
    const nlohmann::json report = nlohmann::json::parse(content("r.json"));
    ASSERT_EQ(report.at("files").size(), 3U) << result;
    for (const nlohmann::json& file : report.at("files")) {
        EXPECT_EQ(file.at("result"), "failed") << result;
    }
}

TEST_F(Disk, AFullDiskIsToldAtTheFirstWrite) {
    make_clip("in.mkv", 50);
    for (const std::string format : {"mkv", "mp4", "y4m", "mpegts"}) {
        const Ended end = timed(fmt::format("exec $VFILTER in.mkv /dev/full -q --format {}", format));
        EXPECT_EQ(end.result.code, 4) << end.result;
        EXPECT_TRUE(says(end.result, "/dev/full: No space left on device")) << end.result;
        EXPECT_LT(end.seconds, 20);
    }
}

// A real one of 300 kB, where this user may make one.
TEST_F(Disk, AFullFileSystemKeepsAndNamesWhatThereIs) {
    make_clip("in.mkv", 100);
    const Result result =
        run("mkdir small && unshare -rm bash -c 'mount -t tmpfs -o size=300k none small || exit 99; echo old > "
            "small/out.mkv; "
            "$VFILTER in.mkv small/out.mkv -y --codec ffv1 --progress none; code=$?; cat small/out.mkv; ls -A small; "
            "exit $code'");
    if (result.code == 99 || result.err.starts_with("unshare: unshare failed")) {
        GTEST_SKIP() << "no file system can be mounted here: " << result;
    }
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_TRUE(says(result, "No space left on device")) << result;
    const std::vector<std::string> lines = lines_of(result.out);
    ASSERT_GE(lines.size(), 2U) << result;
    EXPECT_EQ(lines.front(), "old");
    EXPECT_TRUE(says(result, ".out.mkv.vfilter-")) << result;
}

// Encoders that write their statistics themselves only know that something failed.
TEST_F(Disk, AFullFileSystemInTheFirstOfTwoPassesIsAnOutputError) {
    ffmpeg("-f lavfi -i testsrc2=s=96x64:r=25:d=20 -c:v ffv1 in.mkv");
    const Result result =
        run("mkdir small && unshare -rm bash -c 'mount -t tmpfs -o size=256k none small || exit 99; head -c 215040 "
            "/dev/zero > small/fill; $VFILTER in.mkv small/out.mp4 --codec x264 --bitrate 60k --two-pass "
            "--progress none; code=$?; ls -A small; exit $code'");
    if (result.code == 99 || result.err.starts_with("unshare: unshare failed")) {
        GTEST_SKIP() << "no file system can be mounted here: " << result;
    }
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_TRUE(says(result, "the statistics of the first pass cannot be written: is the disk full?")) << result;
    EXPECT_EQ(result.out, "fill\n");
}

}  // namespace

}  // namespace vfilter::test
