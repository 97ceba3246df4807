// Calls of the system that fail, are interrupted, or do less than they were asked for.

#include <cerrno>

#include "tests/support/faults.h"

namespace vfilter::test {

namespace {

class FailingCalls : public Faults {
protected:
    // `fault` is tests/support/failing_call.c's.
    [[nodiscard]] Result with(const std::string& fault, const std::string& arguments) const {
        // OpenBLAS, which OpenCV brings along on some systems, makes threads as it is loaded, and interrupts the
        // process where it may not.
        return struck(fmt::format("OPENBLAS_NUM_THREADS=1 {} exec $VFILTER {} --progress none", of(fault), arguments));
    }
    [[nodiscard]] static std::string of(const std::string& fault) {
        return fmt::format("LD_PRELOAD={} FAILING_CALL={} FAILING_CALL_LOG=struck", VFILTER_FAILING_CALL, fault);
    }
    // A line with `of`, which has to meet such a call, or it proves nothing.
    [[nodiscard]] Result struck(const std::string& line) const {
        std::filesystem::remove(path("struck"));
        Result result = run_command(line, folder(), limit);
        EXPECT_TRUE(exists("struck")) << "no call was struck: " << result;
        return result;
    }
};

const std::string one_byte = "0";
const std::string interrupted = std::to_string(EINTR);
const std::string broken = std::to_string(EIO);
const std::string refused = std::to_string(EACCES);
const std::string again = std::to_string(EAGAIN);

TEST_F(FailingCalls, ThatAreInterruptedOrShortDoNotMatter) {
    make_clip("in.mkv", 10);
    const std::string faults[] = {"pread:1:" + one_byte,    "pread:1:" + interrupted,  "pread:3:" + one_byte,
                                  "pread:3:" + interrupted, "pwrite:1:" + one_byte,    "pwrite:1:" + interrupted,
                                  "pwrite:2:" + one_byte,   "pwrite:2:" + interrupted, "close:1+:" + interrupted};
    for (const std::string target : {"out.mkv", "out.mp4"}) {
        const std::string arguments = "in.mkv -y -q --codec mpeg2video " + target;
        ASSERT_EQ(vfilter(arguments).code, 0);
        const std::size_t size = content(target).size();
        for (const std::string& fault : faults) {
            const Result result = with(fault + ":.part", arguments);
            EXPECT_EQ(result.code, 0) << fault << ' ' << target << ": " << result;
            EXPECT_EQ(content(target).size(), size) << fault << ' ' << target;
        }
    }
    EXPECT_EQ(parts(), std::vector<std::string>{});
}

TEST_F(FailingCalls, AFolderThatIsReadInPartKeepsNoOutputFromBeingWritten) {
    make_clip("in.mkv", 3);
    std::filesystem::create_directory(path("there"));
    for (const std::string target : {"there/out.mkv", "there/out%d.png"}) {
        for (const int number : {1, 4}) {  // the first two are . and ..
            const Result result = with(fmt::format("readdir:{}+:{}:/there", number, broken), "in.mkv -y -q " + target);
            EXPECT_EQ(result.code, 0) << result;
        }
    }
    EXPECT_EQ(count_pictures("there/out.mkv"), 3);
    EXPECT_EQ(parts(), std::vector<std::string>{});
}

TEST_F(FailingCalls, AFolderThatIsReadInPartIsNoSequence) {
    make_clip("in.mkv", 6);
    std::filesystem::create_directory(path("pictures"));
    ffmpeg("-i in.mkv pictures/p%d.png");
    for (const std::string input : {"pictures/p%d.png", "'pictures/p*.png'"}) {
        for (const int number : {1, 4, 7}) {
            const Result result = with(fmt::format("readdir:{}:{}:/pictures", number, broken), input + " out.mkv");
            EXPECT_EQ(result.code, 3) << number << ": " << result;
            EXPECT_TRUE(says(result, "cannot be read: Input/output error")) << result;
        }
    }
    EXPECT_FALSE(exists("out.mkv"));
}

// Or fewer filters, and fewer regions, would be used than were asked for.
TEST_F(FailingCalls, TextsThatAreReadInPartAreRefused) {
    make_clip("in.mkv", 3);
    write("c.toml", "[[filter]]\nname = \"gaussian\"\nsize = 31\n");
    std::string table;
    for (int i = 0; i < 1500; ++i) {  // more than is read at once
        table += fmt::format("{},{},{},{},16,16\n", i % 3 + 1, i / 3, i % 40, i % 20);
    }
    write("tracks.csv", table);
    std::filesystem::create_directories(path("presets/vfilter/presets"));
    write("presets/vfilter/presets/mine.toml", "codec = \"ffv1\"\n");
    const std::string arguments[] = {"--config c.toml", "--fill black:region=@tracks.csv", "--preset mine"};
    const std::string texts[] = {"c.toml", "tracks.csv", "mine.toml"};
    for (int i = 0; i < 3; ++i) {
        const auto with_text = [&](int number) {
            return run(
                fmt::format("XDG_CONFIG_HOME=$PWD/presets LD_PRELOAD={} FAILING_CALL=read:{}:{}:{} exec "
                            "$VFILTER in.mkv out.mkv -y -q {}",
                            VFILTER_FAILING_CALL, number, broken, texts[i], arguments[i]));
        };
        const Result whole = with_text(100);
        EXPECT_EQ(whole.code, 0) << whole;
        const std::vector<std::string> hashes = picture_hashes("out.mkv");
        for (const int number : {1, 2}) {
            std::filesystem::remove(path("out.mkv"));
            const Result result = with_text(number);
            if (result.code == 0) {  // all of it had been read before
                EXPECT_EQ(picture_hashes("out.mkv"), hashes) << texts[i] << ' ' << number;
            } else {
                EXPECT_EQ(result.code, 2) << result;
                EXPECT_TRUE(says(result, texts[i])) << result;
            }
        }
        EXPECT_EQ(with_text(1).code, 2) << texts[i];
    }
}

// The report of a batch that cannot be written is not the report of a run without pictures.
TEST_F(FailingCalls, AReportOfABatchIsItsOwnOrNone) {
    make_clip("in.mkv", 3);
    write("r.json", "{\n  \"schema\": 0}");
    const Result result =
        with(fmt::format("pwrite:1:{}:.r.json", ENOSPC), "in.mkv --output-dir d -y -q --report r.json");
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_TRUE(says(result, "No space left on device")) << result;
    EXPECT_FALSE(says(result, "an earlier run")) << result;
    EXPECT_EQ(content("r.json"), "{\n  \"schema\": 0}");
    EXPECT_EQ(parts(), std::vector<std::string>{});
}

TEST_F(FailingCalls, AJournalIsWrittenWhole) {
    make_clip("in.mkv", 3);
    const std::string arguments = "in.mkv --output-dir d -y -q";
    for (const std::string& what : {one_byte, interrupted}) {
        const Result result = with(fmt::format("write:1:{}:.vfilter-batch", what), arguments);
        EXPECT_EQ(result.code, 0) << result;
        const Result next = vfilter("in.mkv --output-dir d --skip-existing -q");
        EXPECT_EQ(next.code, 0) << next;
    }
    const Result result = with(fmt::format("write:1:{}:.vfilter-batch", broken), arguments);
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_TRUE(says(result, "d/.vfilter-batch: Input/output error")) << result;
    const Result unread = with(fmt::format("read:1:{}:.vfilter-batch", broken), arguments);
    EXPECT_EQ(unread.code, 4) << unread;
    EXPECT_TRUE(says(unread, "d/.vfilter-batch: Input/output error")) << unread;
}

// Which leaves the folder as a kill would.
TEST_F(FailingCalls, PicturesAreAllPlacedWhereThatWasBrokenOff) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 20 -c:v libx264 -preset ultrafast c1.mp4");
    const std::string line = "c1.mp4 --output-dir done --name '{stem}/%05d.png' -q ";
    ASSERT_EQ(vfilter(line + "--box 5").code, 0);
    const Result result = with(fmt::format("rename:1:{}:part/00005.png", EIO), line + "--box 3 -y");
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_TRUE(says(result, "Input/output error; the pictures are in done/.c1.vfilter-")) << result;
    // Not with other options, and the pictures stay.
    EXPECT_EQ(vfilter(line + "--box 7 --skip-existing --keep-going").code, 4);
    EXPECT_EQ(run("ls -d done/.c1.*.part").code, 0);
    const Result on = vfilter(line + "--box 3 --skip-existing --report r.json");
    EXPECT_EQ(on.code, 0) << on;
    EXPECT_EQ(json_of("r.json").at("files").at(0).at("result"), "finished before");
    EXPECT_NE(run("ls -d done/.c1.*.part").code, 0);
    std::filesystem::create_directory(path("alone"));
    ASSERT_EQ(vfilter("c1.mp4 alone/%05d.png --box 3").code, 0);
    EXPECT_EQ(run("diff -r alone done/c1").code, 0);
}

TEST_F(FailingCalls, AreToldAsWhatTheyAre) {
    make_clip("in.mkv", 3);
    const Result input = with("stat:1+:" + refused + ":in.mkv", "in.mkv out.mkv -q");
    EXPECT_EQ(input.code, 3) << input;
    EXPECT_TRUE(says(input, "in.mkv: Permission denied")) << input;
    const Result output = with("fstat:1:" + broken + ":.part", "in.mkv out.mkv -q");
    EXPECT_EQ(output.code, 4) << output;
    EXPECT_TRUE(says(output, "out.mkv: Input/output error")) << output;
    const Result header = with("pread:1:" + broken + ":.part", "in.mkv out.mkv -q");
    EXPECT_EQ(header.code, 4) << header;
    EXPECT_TRUE(says(header, ".part: Input/output error")) << header;
    EXPECT_EQ(parts().size(), 1U) << "of the last one";
}

// What is discarded is not said to be there.
TEST_F(FailingCalls, APictureThatCannotGetItsNameIsNotKept) {
    make_clip("in.mkv", 1);
    const Result result = with("rename:1:" + broken + ":.part", "in.mkv out%d.png -y -q");
    EXPECT_EQ(result.code, 4) << result;
    EXPECT_TRUE(says(result, "out1.png: Input/output error")) << result;
    EXPECT_FALSE(says(result, "finished file")) << result;
    EXPECT_EQ(parts(), std::vector<std::string>{});
}

// Also where there is none to say so.
TEST_F(FailingCalls, MemoryThatIsUsedUpIsOneSentence) {
    make_clip("in.mkv", 10);
    // Of some 800. From 240 to 270 folders are listed, in functions of libstdc++'s that may throw nothing.
    std::vector<int> numbers{1, 50, 150, 300, 450, 600};
    for (int number = 240; number < 270; ++number) {
        numbers.push_back(number);
    }
    for (const int number : numbers) {
        const Result result = struck(
            fmt::format("{} FAILING_CALL_BEGIN=in.mkv exec $VFILTER in.mkv out.mkv -y -q --threads 1 --codec ffv1",
                        of(fmt::format("malloc:{}+:{}", number, ENOMEM))));
        EXPECT_EQ(result.code, 1) << number << ": " << result;
        EXPECT_TRUE(says(result, "vfilter: ")) << result;
        EXPECT_FALSE(exists("out.mkv")) << number;
    }
}

// Some of FFmpeg's demuxers go on behind what they had no memory for, or end there, and say nothing.
TEST_F(FailingCalls, OfMemoryWhileTheInputIsReadLoseNothingUntold) {
    make_clip("in.mkv", 20);
    ffmpeg("-i in.mkv -c copy in.nut");
    using Calls = std::vector<std::string>;
    const std::pair<std::string, Calls> rows[] = {
        {"in.mkv", {"posix_memalign:4", "posix_memalign:9", "realloc:3", "realloc:6", "malloc:6"}},
        {"in.nut", {"posix_memalign:4", "posix_memalign:9", "malloc:4"}}};
    for (const auto& [input, calls] : rows) {
        for (const std::string& call : calls) {
            const Result result = struck(fmt::format(
                "{} FAILING_CALL_BEGIN={} exec $VFILTER {} out.mkv -y --progress none --threads 1 --codec ffv1",
                of(fmt::format("{}:{}:read", call, ENOMEM)), input, input));
            if (result.code == 0) {
                EXPECT_EQ(count_pictures("out.mkv"), 20) << input << ' ' << call;
            } else {
                EXPECT_TRUE(result.code == 5 || result.code == 1) << input << ' ' << call << ": " << result;
                EXPECT_TRUE(says(result, "memory") || says(result, "packet")) << result;
            }
            std::filesystem::remove(path("out.mkv"));
        }
    }
}

// glibc's way of having memory for a thread that has no arena, as where the address space is limited, is no loss.
TEST_F(FailingCalls, MemoryThatIsHadAtTheSecondTryIsNoDamage) {
    make_clip("in.mkv", 10);
    for (const std::string thread : {"read", "decode"}) {
        const Result result = struck(fmt::format(
            "{} FAILING_CALL_BEGIN=in.mkv exec $VFILTER in.mkv out.mkv -y --progress none --threads 1 --codec ffv1",
            of("memory:1+:0:" + thread)));
        EXPECT_EQ(result.code, 0) << thread << ": " << result;
        EXPECT_FALSE(says(result, "damaged")) << result;
        EXPECT_EQ(count_pictures("out.mkv"), 10);
    }
}

// The run cannot be taken down without one either.
TEST_F(FailingCalls, ATraceIsEndedWhereThreadsAreRefused) {
    make_clip("in.mkv", 3);
    for (int number = 1; number < 20; number += 3) {
        const Result result =
            with(fmt::format("pthread_create:{}+:{}", number, again), "in.mkv out.mkv -y -q --trace t.json");
        // Later ones are of helpers, without which it goes on.
        EXPECT_TRUE(result.code == 1 || (result.code == 0 && number > 1)) << number << ": " << result;
        for (const std::string& part : parts()) {
            EXPECT_TRUE(says(result, part)) << result;
            std::filesystem::remove(path(part));
        }
        EXPECT_TRUE(exists("t.json")) << number;
        std::filesystem::remove(path("t.json"));
    }
}

}  // namespace

}  // namespace vfilter::test
