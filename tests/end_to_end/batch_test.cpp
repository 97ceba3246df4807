// Many files in one command.

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <fstream>
#include <string>
#include <thread>

#include "tests/end_to_end/batch.h"
#include "tests/support/end_to_end.h"
#include "tests/support/stopwatch.h"

namespace vfilter::test {

namespace {

TEST_F(Batch, FiltersEachIntoTheFolder) {
    make_clips(3);
    ASSERT_EQ(vfilter("c2.mp4 alone.mp4 --gaussian 5").code, 0);
    const Result result = vfilter("c*.mp4 --output-dir done --gaussian 5 --report r.json");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(content("done/c2.mp4"), content("alone.mp4"));
    EXPECT_TRUE(says(result, "c3.mp4        10")) << result;
    EXPECT_TRUE(says(result, "3 of 3 files finished, 30 frames")) << result;
    const nlohmann::json report = json_of("r.json");
    EXPECT_EQ(report.at("exit_code"), 0);
    ASSERT_EQ(report.at("files").size(), 3U);
    EXPECT_EQ(report.at("files").at(1).at("output"), "done/c2.mp4");
    EXPECT_EQ(report.at("files").at(1).at("run").at("frames").at("out"), 10);
    const Result named =
        vfilter("c*.mp4 --output-dir done --gaussian 5 --name '{n}-{stem}.mkv' --jobs 3 --progress json");
    EXPECT_EQ(named.code, 0) << named;
    EXPECT_TRUE(exists("done/3-c3.mkv")) << named;
    EXPECT_EQ(std::ranges::count_if(lines_of(named.err),
                                    [](const std::string& line) { return line.starts_with("{\"input\""); }),
              3)
        << named;
}

TEST_F(Batch, ReportsIntoTheFolderThatItMakes) {
    make_clips(1);
    const Result result = vfilter("c1.mp4 --output-dir done --gaussian 5 --report done/r.json");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_EQ(json_of("done/r.json").at("exit_code"), 0);
    EXPECT_EQ(vfilter("c1.mp4 --output-dir other --gaussian 5 --report nowhere/r.json").code, 4);
    const std::string journal = content("done/.vfilter-batch");
    EXPECT_EQ(vfilter("c1.mp4 --output-dir done --gaussian 5 --skip-existing --report done/.vfilter-batch").code, 2);
    EXPECT_EQ(content("done/.vfilter-batch"), journal);
    EXPECT_FALSE(exists("other"));
}

TEST_F(Batch, TakesAnyName) {
    make_clips(1);
    const std::string strange[] = {"a b.mp4", "-x.mp4", "new\nline.mp4", "\xFF.mp4", "%d.mp4", "'\"$.mp4"};
    for (const std::string& name : strange) {
        std::filesystem::copy_file(path("c1.mp4"), path(name));
    }
    const Result result = vfilter("--output-dir done --gaussian 5 --report r.json -- *.mp4");
    EXPECT_EQ(result.code, 0) << result;
    for (const std::string& name : strange) {
        EXPECT_TRUE(exists("done/" + name)) << name;
    }
    EXPECT_EQ(vfilter("--output-dir done --gaussian 5 --skip-existing -- *.mp4").code, 0);
}

TEST_F(Batch, EndsAtTheFirstFailureOrGoesOn) {
    make_clips(3);
    write("c2.mp4", "junk");
    const Result ends = vfilter("c*.mp4 --output-dir done --gaussian 5");
    EXPECT_EQ(ends.code, 3) << ends;
    EXPECT_TRUE(exists("done/c1.mp4"));
    EXPECT_FALSE(exists("done/c3.mp4"));
    EXPECT_TRUE(says(ends, "not begun")) << ends;
    const Result goes_on = vfilter("c*.mp4 none.mp4 --output-dir on --gaussian 5 --keep-going");
    EXPECT_EQ(goes_on.code, 3) << goes_on;
    EXPECT_TRUE(exists("on/c3.mp4"));
    EXPECT_TRUE(says(goes_on, "2 of 4 files finished")) << goes_on;
    // A missing one is told before anything begins.
    EXPECT_EQ(vfilter("c1.mp4 none.mp4 --output-dir new --gaussian 5").code, 3);
    EXPECT_FALSE(exists("new"));
}

TEST_F(Batch, PassesOverWhatLiesBesideVideos) {
    make_clips(2);
    for (const std::string name :
         {"c1.srt", "C1.NFO", "film.txt", ".DS_Store", "Thumbs.db", "._c1.mp4", "c1.mp4.md5"}) {
        write(name, "1\n00:00:00,000 --> 00:00:01,000\nwords\n");
    }
    const Result result = vfilter("* .DS_Store ._* --output-dir done --gaussian 5 --report r.json");
    EXPECT_EQ(result.code, 0) << result;
    EXPECT_TRUE(says(result, "and 4 more")) << result;
    EXPECT_TRUE(says(result, "2 of 2 files finished, 7 passed over")) << result;
    EXPECT_EQ(json_of("r.json").at("passed_over").size(), 7U);
    // Alone they are a mistake, and so is one that is not there, or has no such name.
    EXPECT_EQ(vfilter("c1.srt film.txt --output-dir new --gaussian 5").code, 2);
    EXPECT_EQ(vfilter("c1.mp4 none.srt --output-dir new --gaussian 5").code, 3);
    write("junk.mp4", "words");
    EXPECT_EQ(vfilter("c1.mp4 junk.mp4 --output-dir junk --gaussian 5").code, 3);
}

// Not that the output could not be what the input's own ending says. Nothing is begun for it, and no folder made.
TEST_F(Batch, TellsThatAnInputHasNoVideo) {
    make_clips(1);
    ffmpeg("-f lavfi -i sine=d=0.2 song.mp3");
    ffmpeg("-i song.mp3 -c copy -f mp3 sound.dat");
    ffmpeg("-i song.mp3 -c:a aac sound.mp4");
    write("notes.dat", "words\n");
    ASSERT_EQ(run("cp c1.mp4 video.dat").code, 0);
    struct Trial {
        const char* inputs;
        int code;
        const char* told;
    };
    for (const auto& [inputs, code, told] : std::initializer_list<Trial>{
             {"song.mp3", 3, "song.mp3: holds no video"},
             {"sound.dat c1.mp4", 2, "sound.dat: holds no video"},
             {"notes.dat c1.mp4", 2, "ends before there is any video"},
             {"video.dat c1.mp4", 2, "new/video.dat: the name does not tell the format"},
             {"c1.mp4 --name '{stem}.mp3'", 4, "can hold sound but no video"},
             {"sound.mp4", 3, "sound.mp4: holds no video"},
         }) {
        const Result result = vfilter(fmt::format("{} --output-dir new --box 3", inputs));
        EXPECT_EQ(result.code, code) << result;
        EXPECT_TRUE(says(result, told)) << result;
        EXPECT_FALSE(exists("new")) << inputs;
    }
    const Result rest = vfilter("song.mp3 sound.dat c1.mp4 --output-dir new --box 3 --keep-going --report r.json");
    EXPECT_EQ(rest.code, 2) << rest;
    EXPECT_TRUE(says(rest, "sound.dat: holds no video")) << rest;
    EXPECT_TRUE(exists("new/c1.mp4")) << rest;
}

// Which a folder that was there does.
TEST_F(Batch, LeavesNoEmptyFolder) {
    write("junk.mp4", "words");
    const Result junk = vfilter("junk.mp4 --output-dir new --box 3");
    EXPECT_EQ(junk.code, 3) << junk;
    EXPECT_TRUE(says(junk, "new: removed again")) << junk;
    EXPECT_FALSE(exists("new"));
    EXPECT_EQ(vfilter("junk.mp4 --output-dir new --box 3 --report new/r.json").code, 3);
    EXPECT_TRUE(exists("new/r.json"));
    ASSERT_EQ(run("mkdir there").code, 0);
    EXPECT_EQ(vfilter("junk.mp4 --output-dir there --box 3").code, 3);
    EXPECT_TRUE(exists("there"));
}

// Which a folder's star names, too: that of the output is there the second time.
TEST_F(Batch, PassesOverFolders) {
    make_clips(2);
    std::filesystem::create_directory(path("sub"));
    const Result first = vfilter("* --output-dir done --gaussian 5 --name '{n}.mp4' --report r.json");
    EXPECT_EQ(first.code, 0) << first;
    EXPECT_TRUE(says(first, "passed over, as it is a folder: sub")) << first;
    EXPECT_EQ(json_of("r.json").at("passed_over"), nlohmann::json::array({"sub"}));
    const Result again = vfilter("*/ c* --output-dir ./done --gaussian 5 --name '{n}.mp4' --skip-existing");
    EXPECT_EQ(again.code, 0) << again;
    EXPECT_TRUE(says(again, "as it is a folder: sub\n")) << again;
    EXPECT_TRUE(says(again, "finished before")) << again;
    const Result alone = vfilter("sub --output-dir new --gaussian 5");
    EXPECT_EQ(alone.code, 2) << alone;
    EXPECT_TRUE(says(alone, "each named, as sub/* does")) << alone;
}

TEST_F(Batch, RefusesWhatWouldBeLost) {
    make_clips(2);
    std::filesystem::create_directory(path("sub"));
    std::filesystem::copy_file(path("c1.mp4"), path("sub/c1.mp4"));
    for (const std::string line :
         {"c1.mp4 sub/c1.mp4 --output-dir done", "c1.mp4 --output-dir .", "c1.mp4 c1.mp4 --output-dir done",
          "sub --output-dir done", "c1.mp4 - --output-dir done", "c1.mp4 --output-dir done -o out.mp4",
          "c1.mp4 --output-dir done --name x/y", "c1.mp4 --output-dir done --format null",
          "c1.mp4 --output-dir done --stats json", "--output-dir done", "c1.mp4 out.mp4 --jobs 2",
          "c1.mp4 --output-dir done --name '{x}'"}) {
        const Result result = vfilter(line + " --gaussian 5 -y");
        EXPECT_EQ(result.code, 2) << result;
        EXPECT_FALSE(exists("done")) << result;
    }
    EXPECT_EQ(vfilter("c1.mp4 --output-dir c2.mp4 --gaussian 5").code, 4);
    EXPECT_EQ(vfilter("c1.mp4 --output-dir none/done --gaussian 5").code, 4);
    ASSERT_EQ(vfilter("c1.mp4 --output-dir done --gaussian 5").code, 0);
    const std::string before = content("done/c1.mp4");
    EXPECT_EQ(vfilter("c*.mp4 --output-dir done --gaussian 7").code, 4);
    EXPECT_FALSE(exists("done/c2.mp4"));
    EXPECT_EQ(content("done/c1.mp4"), before);
    EXPECT_EQ(vfilter("c*.mp4 --output-dir done --gaussian 7 -y").code, 0);
    EXPECT_NE(content("done/c1.mp4"), before);
}

TEST_F(Batch, KnowsWhatIsFinished) {
    make_clips(3);
    ASSERT_EQ(vfilter("c1.mp4 c2.mp4 --output-dir done --gaussian 5").code, 0);
    const auto made = std::filesystem::last_write_time(path("done/c1.mp4"));
    const Result on = vfilter("c*.mp4 --output-dir done --gaussian 5 --skip-existing");
    EXPECT_EQ(on.code, 0) << on;
    EXPECT_TRUE(says(on, "3 of 3 files finished (2 before), 10 frames")) << on;
    ASSERT_EQ(vfilter("c*.mp4 --output-dir done --gaussian 5 --skip-existing --report r.json").code, 0);
    const nlohmann::json before = json_of("r.json").at("files").at(1);
    EXPECT_EQ(before.at("result"), "finished before");
    EXPECT_EQ(before.at("frames"), 10);
    EXPECT_TRUE(before.at("seconds").is_null() && before.at("fps").is_null());
    EXPECT_EQ(std::filesystem::last_write_time(path("done/c1.mp4")), made);
    // A name alone is not enough: neither another file, nor other options.
    EXPECT_EQ(vfilter("c*.mp4 --output-dir done --gaussian 7 --skip-existing").code, 4);
    std::ofstream(path("done/c1.mp4"), std::ios::app) << "x";
    const Result changed = vfilter("c*.mp4 --output-dir done --gaussian 5 --skip-existing");
    EXPECT_EQ(changed.code, 4) << changed;
    EXPECT_TRUE(says(changed, "done/c1.mp4: exists, and is not known")) << changed;
    const Result anew = vfilter("c*.mp4 --output-dir done --gaussian 5 --skip-existing -y");
    EXPECT_EQ(anew.code, 0) << anew;
    EXPECT_TRUE(says(anew, "(2 before)")) << anew;
}

TEST_F(Batch, ThatIsRefusedIsReported) {
    make_clips(1);
    EXPECT_EQ(vfilter("c1.mp4 none.mp4 --output-dir done --report r.json").code, 3);
    EXPECT_EQ(json_of("r.json").at("exit_code"), 3);
    EXPECT_EQ(vfilter("c1.mp4 --output-dir done --name '{stem' --report n.json").code, 2);
    EXPECT_EQ(json_of("n.json").at("exit_code"), 2);
}

TEST_F(Batch, KnowsTheFilesThatFiltersRead) {
    make_clips(1);
    const std::string head = "frame,id,left,top,width,height\n";
    const auto expect_anew = [&](const std::string& filter, const std::string& file, const std::string& more) {
        SCOPED_TRACE(filter);
        ASSERT_EQ(vfilter("c1.mp4 --output-dir done -y " + filter).code, 0);
        EXPECT_EQ(vfilter("c1.mp4 --output-dir done --skip-existing " + filter).code, 0);
        std::ofstream(path(file), std::ios::app) << more;
        EXPECT_EQ(vfilter("c1.mp4 --output-dir done --skip-existing " + filter).code, 4);
    };
    write("t.csv", head + "1,1,10,10,20,20\n");
    expect_anew("--fill black:region=@t.csv", "t.csv", "9,1,30,30,20,20\n");
    ffmpeg("-f lavfi -i color=white:s=64x48 -frames:v 3 m%d.png");
    expect_anew("--gaussian 9:mask=m%d.png", "m2.png", "x");
    ffmpeg("-f lavfi -i haldclutsrc=4 -frames:v 1 l.png");
    write("l.cube", "LUT_3D_SIZE 2\n0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 0 1\n1 0 1\n0 1 1\n1 1 1\n");
    expect_anew("--vf lut3d=l.cube --allow-files", "l.cube", "# more\n");
    write("flat.cfg", "# flat\n");
    expect_anew("--gaussian 3 --codec libx264 --encoder-option x264-params=cqmfile=flat.cfg", "flat.cfg", "# more\n");
    std::filesystem::copy_file(path("l.cube"), path("my l.cube"));
    expect_anew("--vf \"lut3d='my l.cube'\" --allow-files", "my l.cube", "# more\n");
    std::filesystem::copy_file(path("l.cube"), path("a,b:c=d.cube"));
    expect_anew(R"(--vf "lut3d=file=a\\,b\\\\:c=d.cube" --allow-files)", "a,b:c=d.cube", "# more\n");
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25 -frames:v 3 p%d.png");
    expect_anew("--vf 'null[a];movie=p%d.png[m];[a][m]overlay' --allow-files --allow-network", "p2.png", "x");
    write("low.txt", "0.0 afftdn nr 10;\n");
    expect_anew("--gaussian 3 --af asendcmd=f=low.txt,afftdn --allow-files", "low.txt", "0.2 afftdn nr 20;\n");
}

TEST_F(Batch, TellsOfACrashAndGoesOn) {
    make_clips(3, 1);
    const Result result = run(crash_when("c2"));
    EXPECT_EQ(result.code, 1) << result;
    EXPECT_TRUE(says(result, "c2.mp4: ended by signal 11 (")) << result;
    EXPECT_TRUE(says(result, "); what was written up to there is kept as done/.c2.mp4.vfilter-")) << result;
    const nlohmann::json report = json_of("r.json");
    EXPECT_EQ(report.at("exit_code"), 1);
    EXPECT_EQ(results_in(report), (std::vector<std::string>{"finished", "crashed", "finished"})) << report;
    EXPECT_EQ(report.at("files").at(1).at("exit_code"), 1);
    EXPECT_TRUE(report.at("files").at(1).at("error").get<std::string>().starts_with("ended by signal 11 (")) << report;
    EXPECT_TRUE(exists("done/c1.mp4") && exists("done/c3.mp4")) << result;
    EXPECT_FALSE(exists("done/c2.mp4")) << result;
}

}  // namespace

}  // namespace vfilter::test
