// Faults 19, 20, 45 and 46: stopped and killed at any time, and what is left of it.

#include <cstdlib>
#include <random>
#include <regex>

#include "tests/support/faults.h"

namespace vfilter::test {

namespace {

class Killed : public Faults {
protected:
    static int runs(const char* variable, int usual) {
        const char* const text = std::getenv(variable);
        return text != nullptr ? std::atoi(text) : usual;
    }
    // A run that takes most of a second without using the processor, its encoder full of pictures: there is time to
    // come in its middle.
    [[nodiscard]] static std::string slow_run(const std::string& arguments) {
        return fmt::format(
            "LD_PRELOAD={} SLOW=avcodec_send_frame:5 exec $VFILTER in.mkv -y --gaussian 5 --threads 1 --preset "
            "ultrafast --crf 10 --encoder-option rc-lookahead=10 --encoder-option bf=2 {}",
            VFILTER_STUCK, arguments);
    }
    // A place in the middle: so many bytes of an output, and a little later.
    struct Moment {
        std::uintmax_t bytes = 0;  // 0 is before there are any
        int milliseconds = 0;
    };
    static std::vector<Moment> moments(std::size_t count, std::uintmax_t bytes) {
        std::mt19937 random(7);
        std::vector<Moment> list(count);
        for (std::size_t i = 0; i < count; ++i) {
            list[i] = {i % 6 == 0 ? 0 : random() % bytes + 1, static_cast<int>(random() % 40)};
        }
        return list;
    }
    void wait_for(const Moment& moment, Command& command) const {
        if (moment.bytes > 0) {
            wait_for_part(command, moment.bytes);
        }
        rest(moment.milliseconds);
    }
    // A run that is killed in the middle: its input comes four times as fast as it is played.
    void kill_a_run(const std::string& arguments) const {
        Command command(fmt::format("exec $VFILTER - {} < <(exec ffmpeg -nostdin -v quiet -readrate 4 -i in.mkv -c "
                                    "copy -f nut -)",
                                    arguments),
                        folder());
        wait_for_part(command);
        rest(1500);
        ASSERT_TRUE(command.signal(SIGKILL)) << command.wait(limit);
        EXPECT_EQ(command.wait(limit).code, 128 + SIGKILL);
    }
    // What the next run to the same target says of what is left.
    [[nodiscard]] std::string told_by_the_next_run(const std::string& arguments) const {
        const Result next = vfilter("in.mkv " + arguments + " --frames 3");
        EXPECT_EQ(next.code, 0) << next;
        for (const std::string& line : lines_of(next.err)) {
            if (line.find("unfinished file of an earlier run") != std::string::npos) {
                return line;
            }
        }
        ADD_FAILURE() << "not told: " << next;
        return "";
    }
    void expect_mended(const std::string& name) const {
        EXPECT_EQ(ffmpeg_complaints(name), "");
        EXPECT_GT(count_pictures(name), 0);
    }
    // A signal to what may have ended before it.
    static Ended stop_or_end(Command& command, int number) {
        const Stopwatch watch;
        command.signal(number);
        Result result = command.wait(limit);
        return {std::move(result), watch.seconds(), watch.disturbed()};
    }
    // What a signal at any time leaves: a whole file that holds what the report says, or nothing.
    void expect_valid(const std::string& target, const Result& result) const {
        if (exists(target)) {
            const nlohmann::json report = json_of("r.json");
            const nlohmann::json& frames = report.at("frames");
            EXPECT_EQ(report.at("exit_code"), result.code);
            // On a busy machine an encoder may need longer for what is inside than a signal allows.
            EXPECT_EQ(frames.at("in"), frames.at("out").get<int>() + report.at("abandoned").get<int>());
            EXPECT_EQ(count_pictures(target), frames.at("out"));
            EXPECT_EQ(ffmpeg_complaints(target), "");
        } else {
            // So early that there was nothing to finish.
            EXPECT_NE(result.code, 0) << result;
            EXPECT_TRUE(!exists("r.json") || json_of("r.json").at("frames").at("out") == 0) << content("r.json");
        }
        EXPECT_EQ(names().size(), 1U + (exists(target) ? 1 : 0) + (exists("r.json") ? 1 : 0)) << "something is left";
    }
    // The command between "; " and " makes it playable", with another name for NEW.
    [[nodiscard]] static std::string command_in(const std::string& line) {
        std::smatch found;
        if (!std::regex_search(line, found, std::regex("; vfilter (--mend .*) makes it playable"))) {
            ADD_FAILURE() << "no command in: " << line;
            return "--mend";
        }
        return std::regex_replace(found[1].str(), std::regex("NEW(\\.\\w+)$"), "mended$1");
    }
};

// With packets large enough to reach the disk soon.
const std::string large = " -y --progress none --gaussian 31 --preset veryfast --crf 1 --threads 1";
constexpr int clip_seconds = 12;

class KilledQuicktime : public Killed, public testing::WithParamInterface<const char*> {};

TEST_P(KilledQuicktime, IsMendedByTheCommandThatIsTold) {
    make_long_clip("in.mkv", clip_seconds);
    const std::string extension = GetParam();
    const std::string target = "out." + extension;
    write(target, "old");
    kill_a_run(target + large);
    EXPECT_TRUE(content(target) == "old");
    ASSERT_EQ(parts().size(), 1U);
    const std::string part = parts().front();
    const std::string before = content(part);

    const std::string line = told_by_the_next_run(target + large);
    EXPECT_NE(line.find(part), std::string::npos) << line;
    EXPECT_TRUE(content(part) == before);
    const Ended mended = timed("exec $VFILTER " + command_in(line));
    ASSERT_EQ(mended.result.code, 0) << mended.result;
    RecordProperty("seconds", fmt::format("{:.2f}", mended.seconds));
    EXPECT_TRUE(content(part) == before) << "what is mended stays as it was";
    EXPECT_EQ(ffmpeg_complaints("mended." + extension), "");
    const Media media = probe("mended." + extension);
    const auto pictures = std::ssize(media.pictures);
    const std::string whole = "whole." + extension;
    ASSERT_EQ(run("ffmpeg -nostdin -v quiet -i in.mkv -c copy -f nut - | $VFILTER - " + whole + large).code, 0);
    const std::vector<std::string> all = picture_hashes(whole);
    const auto share = static_cast<double>(before.size()) / static_cast<double>(content(whole).size());
    EXPECT_GE(static_cast<double>(pictures), share * static_cast<double>(all.size()) * 0.4)
        << "room for an index is a share";
    EXPECT_GT(pictures, 10);
    // The very pictures of a whole run, in their place; the sound's packets as well.
    const std::vector<std::string> kept = picture_hashes("mended." + extension);
    std::size_t same = 0;
    for (std::size_t i = 0; i < std::min(kept.size(), all.size()); ++i) {
        same += kept[i] == all[i] ? 1U : 0U;
    }
    EXPECT_GE(same + 8, kept.size()) << "but for the last ones, which lean on what is missing";
    ASSERT_EQ(media.of("audio").size(), 1U);
    EXPECT_GT(media.of("audio").front().packets.size(), 10U);
    EXPECT_NEAR(media.pictures.front(), probe(whole).pictures.front(), exactly);
}

INSTANTIATE_TEST_SUITE_P(Each, KilledQuicktime, testing::Values("mp4", "mov"),
                         [](const auto& made) { return std::string(made.param); });

// What is told can be pasted, whatever the file's name is.
TEST_F(Killed, ANameWithSpacesIsMendedAsTold) {
    make_long_clip("in.mkv", clip_seconds);
    kill_a_run("'my $(touch bad) video.mp4'" + large);
    const std::string line = told_by_the_next_run("'my $(touch bad) video.mp4'" + large);
    const Result mended = run("exec $VFILTER " + command_in(line));
    EXPECT_EQ(mended.code, 0) << mended;
    EXPECT_TRUE(exists("mended.mp4"));
    EXPECT_FALSE(exists("bad"));
}

TEST_F(Killed, AMendedFileIsNotWrittenOverAnother) {
    make_long_clip("in.mkv", clip_seconds);
    kill_a_run("out.mp4" + large);
    ASSERT_EQ(parts().size(), 1U);
    const std::string part = parts().front();
    write("there.mp4", "mine");
    EXPECT_EQ(vfilter("--mend " + part + " there.mp4").code, 4);
    EXPECT_EQ(content("there.mp4"), "mine");
    EXPECT_EQ(vfilter("--mend " + part + " " + part).code, 2) << "into itself";
    EXPECT_EQ(vfilter("--mend " + part + " -y " + part).code, 2) << "into itself";
    EXPECT_EQ(vfilter("--mend " + part + " out.mkv").code, 2);
    for (const std::string useless : {"--strip all", "--report r.json", "--box 3", "--start 1", "--crf 3"}) {
        const Result refused = vfilter("--mend " + part + " new.mp4 " + useless);
        EXPECT_EQ(refused.code, 2) << refused;
        EXPECT_NE(refused.err.find("is not for it"), std::string::npos) << refused;
        EXPECT_FALSE(exists("new.mp4"));
    }
    EXPECT_EQ(vfilter("--mend in.mkv out2.mp4").code, 3);
    EXPECT_EQ(vfilter("--mend missing.part out2.mp4").code, 3);
    EXPECT_EQ(vfilter("--mend " + part).code, 2);
    // Cut anywhere, and damaged: an error, or as far as it goes.
    const std::string index = content(part + ".index");
    ASSERT_FALSE(index.empty());
    for (const double share : {0.0, 0.01, 0.2, 0.9}) {
        write(part + ".index", index.substr(0, static_cast<std::size_t>(static_cast<double>(index.size()) * share)));
        const Result result = vfilter("--mend " + part + " -y cut.mp4");
        EXPECT_EQ(result.code, share > 0.1 ? 0 : 3) << result;
        if (result.code == 0) {
            expect_mended("cut.mp4");
        }
    }
    std::mt19937 random(3);
    for (int i = 0; i < 20; ++i) {
        std::string other = index;
        for (int changes = 0; changes < 4; ++changes) {
            other[random() % other.size()] = static_cast<char>(random());
        }
        write(part + ".index", other);
        const Result result = vfilter("--mend " + part + " -y cut.mp4");
        EXPECT_TRUE(result.code == 3 || result.code == 0) << result;
        if (result.code == 0) {
            expect_mended("cut.mp4");
        }
    }
}

TEST_F(Killed, OtherContainersPlayAsTheyAre) {
    make_long_clip("in.mkv", clip_seconds);
    for (const std::string target : {"out.mkv", "out.ts", "out.webm"}) {
        SCOPED_TRACE(target);
        const std::string options =
            target == "out.webm"
                ? " -y --progress none --bitrate 4M --encoder-option deadline=realtime --encoder-option cpu-used=8"
                : large;
        kill_a_run(target + options);
        ASSERT_EQ(parts().size(), 1U);
        const std::string line = told_by_the_next_run(target + options);
        EXPECT_NE(line.find(parts().front()), std::string::npos) << line;
        EXPECT_EQ(line.find("--mend"), std::string::npos) << "it plays as it is: " << line;
        std::filesystem::rename(path(parts().front()), path("in.left"));
        const Media media = probe("in.left");
        EXPECT_GT(media.pictures.size(), 5U);
        EXPECT_EQ(media.of("audio").size(), 1U);
    }
}

// Neither a .part nor its index is left of a run that ended, nor is one that somebody is writing called left.
TEST_F(Killed, WholeRunsLeaveNothing) {
    make_clip("in.mkv", 50);
    write("bad.mkv", "no video");
    for (const std::string target : {"out.mp4", "out.mov", "out.mkv"}) {
        EXPECT_EQ(vfilter("in.mkv -q -y " + target).code, 0);
        EXPECT_EQ(vfilter("bad.mkv -q -y " + target).code, 3);
        EXPECT_EQ(vfilter("in.mkv -q -y --codec nonsense " + target).code, 8);
    }
    EXPECT_EQ(names(), (std::vector<std::string>{"bad.mkv", "in.mkv", "out.mkv", "out.mov", "out.mp4"}));
    make_long_clip("in.mkv", 24);  // longer than what follows on any machine
    Command other("exec $VFILTER in.mkv out.mp4 -q --gaussian 31 --preset slow --threads 1 -y", folder());
    wait_for_part(other);
    const Result second = vfilter("in.mkv out.mp4 -y --frames 5");
    EXPECT_EQ(second.code, 0) << second;
    EXPECT_FALSE(says(second, "unfinished file")) << second;
    EXPECT_EQ(stop(other, SIGTERM).result.code, 143);
    EXPECT_EQ(names(), (std::vector<std::string>{"bad.mkv", "in.mkv", "out.mkv", "out.mov", "out.mp4"}));
}

// VFILTER_SIGNAL_RUNS sets how many.
TEST_F(Killed, SignalsAtAnyTimeLeaveValidFiles) {
    make_long_clip("in.mkv", 3);
    const std::string options = " --progress none --report r.json";
    ASSERT_EQ(run(slow_run("out.mkv" + options)).code, 0);
    const std::vector<Moment> list =
        moments(static_cast<std::size_t>(runs("VFILTER_SIGNAL_RUNS", 12)), content("out.mkv").size());
    int stopped = 0;
    double slowest = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string target = i % 4 < 2 ? "out.mkv" : "out.mp4";
        const int number = i % 2 == 0 ? SIGINT : SIGTERM;
        Ended end;
        do {
            for (const std::string& name : names()) {
                if (name != "in.mkv") {
                    std::filesystem::remove(path(name));
                }
            }
            Command command(slow_run(target + options + (i % 3 == 0 ? " --encoders 2:20" : "")), folder());
            wait_for(list[i], command);
            end = stop_or_end(command, number);
        } while (end.disturbed);
        SCOPED_TRACE(fmt::format("{} signal {} after {} bytes", target, number, list[i].bytes));
        slowest = std::max(slowest, end.seconds);
        EXPECT_TRUE(end.result.code == 128 + number || end.result.code == 0) << end.result;
        stopped += end.result.code != 0 ? 1 : 0;
        expect_valid(target, end.result);
    }
    EXPECT_LT(slowest, after_a_signal);
    EXPECT_GE(stopped, std::ssize(list) / 2) << "few signals came in the middle";
    RecordProperty("stopped", stopped);
    RecordProperty("seconds", fmt::format("{:.2f}", slowest));
}

// VFILTER_KILL_RUNS sets how many.
TEST_F(Killed, KillsAtAnyTimeLeaveTheOldFile) {
    make_long_clip("in.mkv", 3);
    ASSERT_EQ(run(slow_run("out.mkv -q")).code, 0);
    const std::vector<Moment> list =
        moments(static_cast<std::size_t>(runs("VFILTER_KILL_RUNS", 10)), content("out.mkv").size());
    int killed = 0;
    for (std::size_t i = 0; i < list.size(); ++i) {
        const std::string target = i % 2 == 0 ? "out.mkv" : "out.mp4";
        write(target, "old");
        SCOPED_TRACE(fmt::format("{} after {} bytes", target, list[i].bytes));
        Command command(slow_run(target + " -q"), folder());
        wait_for(list[i], command);
        command.signal(SIGKILL);
        const Result result = command.wait(limit);
        EXPECT_TRUE(result.code == 128 + SIGKILL || result.code == 0) << result;
        if (content(target) == "old") {
            ++killed;
        } else {
            // After its end, or between the new name and the end.
            EXPECT_EQ(ffmpeg_complaints(target), "");
            EXPECT_EQ(count_pictures(target), 75);
        }
        EXPECT_LE(parts().size(), 1U);
        for (const std::string& name : names()) {
            if (name != "in.mkv") {
                EXPECT_TRUE(name == target || name.starts_with("." + target + ".vfilter-")) << name;
                std::filesystem::remove(path(name));
            }
        }
    }
    EXPECT_GE(killed, std::ssize(list) / 2) << "few came in the middle";
    RecordProperty("killed", killed);
}

}  // namespace

}  // namespace vfilter::test
