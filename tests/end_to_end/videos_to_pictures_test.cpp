// Many videos, each as pictures in a folder of its own.

#include <fmt/format.h>

#include <algorithm>
#include <csignal>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "tests/support/end_to_end.h"

namespace vfilter::test {

namespace {

class VideosToPictures : public EndToEnd {
protected:
    static constexpr const char* folders = "--output-dir done --name '{stem}/%05d.png' ";

    // Of so many pictures, each another.
    void make_videos(int count, int pictures = 10) const {
        for (int i = 1; i <= count; ++i) {
            ffmpeg(
                fmt::format("-f lavfi -i testsrc2=s=64x48:r=25,hue=h={0}0 -frames:v {1} -c:v libx264 -preset "
                            "ultrafast -g 5 c{0}.mp4",
                            i, pictures));
        }
    }
    [[nodiscard]] std::vector<std::string> names_in(const std::string& name) const {
        std::vector<std::string> list;
        std::error_code error;
        for (const auto& entry : std::filesystem::directory_iterator(path(name), error)) {
            list.push_back(entry.path().filename().string());
        }
        std::ranges::sort(list);
        return list;
    }
    // That the folder has the pictures of a run of that video alone, and nothing else.
    void expect_whole(const std::string& video, int pictures = 10, const std::string& filters = "--box 3") const {
        SCOPED_TRACE(video);
        const std::string alone = "alone_" + video;
        std::filesystem::remove_all(path(alone));
        std::filesystem::create_directory(path(alone));
        ASSERT_EQ(vfilter(fmt::format("{}.mp4 {}/%05d.png {}", video, alone, filters)).code, 0);
        const std::vector<std::string> wanted = names_in(alone);
        ASSERT_EQ(std::ssize(wanted), pictures);
        EXPECT_EQ(names_in("done/" + video), wanted);
        for (const std::string& name : wanted) {
            EXPECT_EQ(content("done/" + video + "/" + name), content(alone + "/" + name)) << name;
        }
    }
    // Whether all that lies in the folder of the batch are these, and its journal.
    void expect_in_done(std::vector<std::string> wanted) const {
        wanted.insert(wanted.begin(), ".vfilter-batch");
        EXPECT_EQ(names_in("done"), wanted);
    }
    // Where the pictures of the first one are made.
    [[nodiscard]] std::string part() const {
        for (const std::string& name : names_in("done")) {
            if (name.starts_with(".c1.vfilter-") && name.ends_with(".part")) {
                return "done/" + name;
            }
        }
        return "";
    }
    // A run of two at once, each of whose pictures takes a while, that gets a signal in the middle of the first.
    [[nodiscard]] Result disturbed(int signal, const std::string& more = "") const {
        const std::string line = fmt::format(
            "LD_PRELOAD={} SLOW=avcodec_send_frame:20 exec $VFILTER c*.mp4 {} --box 3 --threads 2 --jobs 2 {}",
            VFILTER_STUCK, folders, more);
        Command command(line, folder());
        while (command.running() && (part().empty() || names_in(part()).size() < 5)) {
            std::this_thread::sleep_for(std::chrono::milliseconds(5));
        }
        EXPECT_TRUE(command.signal(signal));
        return command.wait(std::chrono::seconds(20));
    }
};

TEST_F(VideosToPictures, EachHasAFolder) {
    make_videos(3);
    const Result result = vfilter(fmt::format("c*.mp4 {} --box 3 --jobs 2 --report r.json", folders));
    EXPECT_EQ(result.code, 0) << result;
    expect_in_done({"c1", "c2", "c3"});
    for (const std::string video : {"c1", "c2", "c3"}) {
        expect_whole(video);
    }
    const nlohmann::json report = json_of("r.json");
    ASSERT_EQ(report.at("files").size(), 3U);
    for (const nlohmann::json& file : report.at("files")) {
        EXPECT_EQ(file.at("result"), "finished");
        EXPECT_EQ(file.at("frames"), 10);
        EXPECT_EQ(file.at("run").at("output"), file.at("output"));
    }
    EXPECT_EQ(report.at("files").at(1).at("output"), "done/c2/%05d.png");
    EXPECT_EQ(result.err.find(".part"), std::string::npos) << result;
    // As a batch's options, in a file, and with what makes fewer pictures of them.
    write("b.toml",
          "input = [\"c1.mp4\", \"c2.mp4\"]\noutput-dir = \"two\"\nname = \"{n}-{stem}/p%d.jpg\"\nframes = 3\n");
    const Result other = vfilter("--config b.toml --start-number 5");
    EXPECT_EQ(other.code, 0) << other;
    EXPECT_EQ(names_in("two/2-c2"), (std::vector<std::string>{"p5.jpg", "p6.jpg", "p7.jpg"}));
}

TEST_F(VideosToPictures, NothingIsWrittenOver) {
    make_videos(2);
    const std::string line = fmt::format("c*.mp4 {} --box 3 ", folders);
    std::filesystem::create_directories(path("done/c1"));
    write("done/c1/labels.txt", "words");
    write("done/c1/00003.png", "mine");
    const Result refused = vfilter(line);
    EXPECT_EQ(refused.code, 4) << refused;
    EXPECT_NE(refused.err.find("done/c1/%05d.png: exists; -y replaces it"), std::string::npos) << refused;
    EXPECT_FALSE(exists("done/c2"));
    const Result skips = vfilter(line + "--skip-existing --keep-going");
    EXPECT_EQ(skips.code, 4) << skips;
    expect_whole("c2");
    EXPECT_EQ(content("done/c1/00003.png"), "mine");
    EXPECT_EQ(names_in("done/c1").size(), 2U);
    write("done/c1/00011.png", "older");
    constexpr auto own = std::filesystem::perms::owner_read | std::filesystem::perms::owner_write;
    std::filesystem::permissions(path("done/c1/00003.png"), own);
    const Result replaces = vfilter(line + "-y");
    EXPECT_EQ(replaces.code, 0) << replaces;
    EXPECT_NE(replaces.err.find("done/c1/00011.png of an earlier sequence"), std::string::npos) << replaces;
    EXPECT_EQ(content("done/c1/labels.txt"), "words");
    EXPECT_EQ(content("done/c1/00011.png"), "older");
    EXPECT_EQ(std::filesystem::status(path("done/c1/00003.png")).permissions(), own)
        << "as one picture replaces another";
    std::filesystem::remove(path("done/c1/labels.txt"));
    std::filesystem::remove(path("done/c1/00011.png"));
    expect_whole("c1");
    expect_in_done({"c1", "c2"});
}

TEST_F(VideosToPictures, AreRefusedWhereTheyWouldMeet) {
    make_videos(1);
    std::filesystem::create_directory(path("sub"));
    std::filesystem::copy_file(path("c1.mp4"), path("sub/c1.mp4"));
    for (const std::string line :
         {"c1.mp4 sub/c1.mp4 --name '{stem}/%d.png'", "c1.mp4 --name '{stem}_%d.png'", "c1.mp4 --name '{stem}/x.png'",
          "c1.mp4 --name 'a/{stem}/%d.png'", "c1.mp4 --name './%d.png'", "c1.mp4 --name '../%d.png'",
          "c1.mp4 --name '/%d.png'", "c1.mp4 --name '{stem}/%d.mp4'", "c1.mp4 sub/c1.mp4 --name 'all/{n}_%d.png'"}) {
        const Result result = vfilter(line + " --output-dir done -y");
        EXPECT_EQ(result.code, 2) << line << result;
        EXPECT_FALSE(exists("done")) << line;
    }
    std::filesystem::create_directories(path("done/in"));
    std::filesystem::copy_file(path("c1.mp4"), path("done/in/1.png"));
    EXPECT_EQ(vfilter("done/in/1.png --name 'in/%d.png' --output-dir done -y").code, 2);
    EXPECT_EQ(content("done/in/1.png"), content("c1.mp4"));
    write("done/c1", "a file");
    const Result taken = vfilter(fmt::format("c1.mp4 {} -y", folders));
    EXPECT_EQ(taken.code, 4) << taken;
    EXPECT_NE(taken.err.find("done/c1 is no folder"), std::string::npos) << taken;
    EXPECT_EQ(content("done/c1"), "a file");
    const Result one_more = vfilter("c1.mp4 sub/c1.mp4 'done/{stem}/%05d.png'");
    EXPECT_EQ(one_more.code, 2) << one_more;
    EXPECT_NE(one_more.err.find("--name '{stem}/%05d.png' behind it"), std::string::npos) << one_more;
    const Result advised = vfilter("c1.mp4 --output-dir other --name '{stem}.png'");
    EXPECT_NE(advised.err.find("--name '{stem}/%05d.png' names each"), std::string::npos) << advised;
}

TEST_F(VideosToPictures, OneThatFailsLeavesTheOthers) {
    make_videos(3);
    write("c2.mp4", "junk");
    const Result result = vfilter(fmt::format("c*.mp4 {} --box 3 --keep-going --report r.json", folders));
    EXPECT_EQ(result.code, 3) << result;
    expect_in_done({"c1", "c3"});
    expect_whole("c1");
    expect_whole("c3");
    EXPECT_EQ(json_of("r.json").at("files").at(1).at("result"), "failed");
}

TEST_F(VideosToPictures, WhatIsFinishedIsKnown) {
    make_videos(2);
    const std::string line = fmt::format("c*.mp4 {} --box 3 --skip-existing ", folders);
    ASSERT_EQ(vfilter(line).code, 0);
    const auto made = std::filesystem::last_write_time(path("done/c1/00001.png"));
    const Result again = vfilter(line + "--report r.json");
    EXPECT_EQ(again.code, 0) << again;
    EXPECT_NE(again.err.find("2 of 2 files finished (2 before)"), std::string::npos) << again;
    EXPECT_EQ(json_of("r.json").at("files").at(1).at("frames"), 10);
    EXPECT_EQ(std::filesystem::last_write_time(path("done/c1/00001.png")), made);
    // Not with other options, nor where one is another, or gone.
    EXPECT_EQ(vfilter(line + "--gaussian 3").code, 4);
    write("done/c2/00004.png", content("done/c2/00005.png"));
    EXPECT_EQ(vfilter(line).code, 4);
    ASSERT_EQ(vfilter(line + "-y").code, 0);
    expect_whole("c2");
    std::filesystem::remove(path("done/c2/00010.png"));
    EXPECT_EQ(vfilter(line).code, 4);
    std::filesystem::remove_all(path("done/c2"));
    const Result one = vfilter(line);
    EXPECT_EQ(one.code, 0) << one;
    EXPECT_NE(one.err.find("(1 before)"), std::string::npos) << one;
    expect_whole("c2");
}

TEST_F(VideosToPictures, GoOnAfterASignal) {
    make_videos(3, 60);
    std::size_t some = 0;
    // A machine that has too much to do is done with all of them, or not within the two seconds that a signal leaves.
    for (int attempt = 0; attempt < 4 && (some < 3 || some == 60); ++attempt) {
        std::filesystem::remove_all(path("done"));
        const Result stopped = disturbed(SIGINT, "--report r.json");
        EXPECT_EQ(stopped.code, 130) << stopped;
        EXPECT_EQ(json_of("r.json").at("files").at(0).at("result"), "stopped");
        some = exists("done/c1") ? names_in("done/c1").size() : 0;
    }
    EXPECT_GE(some, 3U);
    EXPECT_LT(some, 60U);
    EXPECT_EQ(part(), "");
    EXPECT_FALSE(exists("done/c3"));
    // Not more is known to be nobody else's than what was written.
    write("done/c1/00060.png", "mine");
    EXPECT_EQ(vfilter(fmt::format("c*.mp4 {} --box 3 --skip-existing", folders)).code, 4);
    std::filesystem::remove(path("done/c1/00060.png"));
    const Result on = vfilter(fmt::format("c*.mp4 {} --box 3 --skip-existing", folders));
    EXPECT_EQ(on.code, 0) << on;
    expect_in_done({"c1", "c2", "c3"});
    for (const std::string video : {"c1", "c2", "c3"}) {
        expect_whole(video, 60);
    }
}

TEST_F(VideosToPictures, GoOnAfterAKill) {
    make_videos(3, 60);
    for (const char* const more : {"", "--skip-existing"}) {
        EXPECT_EQ(disturbed(SIGKILL, more).code, 137);
        EXPECT_FALSE(exists("done/c1")) << "half of it";
        EXPECT_NE(part(), "");
    }
    const Result on = vfilter(fmt::format("c*.mp4 {} --box 3 --skip-existing", folders));
    EXPECT_EQ(on.code, 0) << on;
    EXPECT_NE(on.err.find("of earlier runs removed"), std::string::npos) << on;
    expect_in_done({"c1", "c2", "c3"});
    for (const std::string video : {"c1", "c2", "c3"}) {
        expect_whole(video, 60);
    }
}

// Somebody tidies up while they are made: some of them, or whatever there is at any time.
TEST_F(VideosToPictures, ThatAreGoneAreNotFinished) {
    make_videos(1, 60);
    for (const bool all : {false, true}) {
        SCOPED_TRACE(all);
        Command command(
            fmt::format("LD_PRELOAD={} SLOW=avcodec_send_frame:20 exec $VFILTER c1.mp4 {} --box 3 --threads "
                        "2 --report r.json",
                        VFILTER_STUCK, folders),
            folder());
        bool some = false;
        while (command.running() && (all || !some)) {
            const std::string from = part();
            for (const std::string& name : names_in(from.empty() ? "nowhere" : from)) {
                std::error_code gone;
                some = (name.ends_with(".png") && std::filesystem::remove(path(from) / name, gone)) || some;
            }
            std::this_thread::sleep_for(std::chrono::milliseconds(1));
        }
        const Result result = command.wait(std::chrono::seconds(20));
        EXPECT_TRUE(some);
        EXPECT_EQ(result.code, 4) << result;
        EXPECT_NE(result.err.find("no longer there"), std::string::npos) << result;
        EXPECT_EQ(json_of("r.json").at("files").at(0).at("result"), "failed");
        EXPECT_FALSE(exists("done/c1"));
        EXPECT_TRUE(all || !part().empty()) << result;
        const Result again = vfilter(fmt::format("c1.mp4 {} --box 3 --skip-existing", folders));
        EXPECT_EQ(again.code, 0) << again;
        expect_whole("c1", 60);
        std::filesystem::remove_all(path("done"));
    }
}

}  // namespace

}  // namespace vfilter::test
