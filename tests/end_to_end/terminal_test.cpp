// What a person sees on a terminal, and is asked there.

#include <fmt/format.h>

#include <chrono>
#include <regex>
#include <thread>

#include "tests/support/end_to_end.h"
#include "tests/support/terminal.h"

namespace vfilter::test {

namespace {

class OnATerminal : public EndToEnd {
protected:
    void SetUp() override { make_clip("in.mkv", 5); }
    // The answer to a question with these words, and the exit code after it.
    static std::string answered(Terminal& terminal, const std::string& question, const std::string& answer) {
        EXPECT_TRUE(terminal.wait_for(question + " Replace? [y/N] ")) << terminal.shown();
        terminal.type(answer + "\n");
        return ended(terminal);
    }
    static std::string ended(Terminal& terminal) {
        EXPECT_TRUE(terminal.wait_for("code=")) << terminal.shown();
        EXPECT_TRUE(terminal.wait_for("!")) << terminal.shown();
        std::smatch code;
        return std::regex_search(terminal.shown(), code, std::regex("code=([0-9]+)!")) ? code[1].str() : "";
    }
    static std::string line(const std::string& arguments) {
        return "\"$VFILTER\" " + arguments + "; echo \"code=$?!\"; sleep 60";
    }
    static int questions(const Terminal& terminal) {
        int count = 0;
        for (std::size_t at = 0; (at = terminal.shown().find("[y/N]", at)) != std::string::npos; ++at) {
            ++count;
        }
        return count;
    }
};

TEST_F(OnATerminal, AFileIsReplacedAfterAYesAlone) {
    for (const std::string answer : {"", "n", "x"}) {
        write("out.mkv", "old");
        Terminal terminal(line("in.mkv out.mkv --box 3"), folder());
        EXPECT_EQ(answered(terminal, "already there: out.mkv.", answer), "4") << answer;
        EXPECT_EQ(content("out.mkv"), "old") << answer;
    }
    for (const std::string answer : {"y", "Yes"}) {
        write("out.mkv", "old");
        Terminal terminal(line("in.mkv out.mkv --box 3"), folder());
        EXPECT_EQ(answered(terminal, "already there: out.mkv.", answer), "0") << answer;
        EXPECT_EQ(count_pictures("out.mkv"), 5);
    }
    // Nobody is asked where it is clear, nor where nobody could answer.
    for (const auto& [more, code] :
         {std::pair<std::string, std::string>{"-y", "0"}, {"-n", "4"}, {"< /dev/null", "4"}, {"2> said", "4"}}) {
        Terminal terminal(line("in.mkv out.mkv --box 3 " + more), folder());
        EXPECT_EQ(ended(terminal), code) << more;
        EXPECT_EQ(questions(terminal), 0) << more;
    }
}

TEST_F(OnATerminal, AllOfABatchAreAskedForOnce) {
    make_clip("b.mkv", 5);
    std::filesystem::create_directory(path("done"));
    for (const bool yes : {false, true}) {
        write("done/in.mkv", "old");
        write("done/b.mkv", "old");
        Terminal terminal(line("in.mkv b.mkv --output-dir done --box 3"), folder());
        EXPECT_EQ(answered(terminal, "already there: done/in.mkv and 1 more.", yes ? "y" : "n"), yes ? "0" : "4");
        EXPECT_EQ(questions(terminal), 1) << terminal.shown();
        for (const std::string name : {"done/in.mkv", "done/b.mkv"}) {
            EXPECT_EQ(content(name) != "old", yes) << name;
        }
    }
}

TEST_F(OnATerminal, ASignalIsNoAnswer) {
    make_clip("b.mkv", 5);
    std::filesystem::create_directory(path("done"));
    for (const std::string& name : {std::string("done/in.mkv"), std::string("out.mkv")}) {
        write(name, "old");
        const std::string to = name == "out.mkv" ? "in.mkv out.mkv" : "in.mkv b.mkv --output-dir done";
        Terminal terminal("trap : INT; " + line(to + " --box 3 --report r.json"), folder());
        EXPECT_TRUE(terminal.wait_for(" Replace? [y/N] ")) << terminal.shown();
        terminal.type("\x03");
        EXPECT_EQ(ended(terminal), "130") << terminal.shown();
        EXPECT_EQ(json_of("r.json").at("exit_code"), 130);
        EXPECT_EQ(content(name), "old");
        std::filesystem::remove(path("r.json"));
    }
    EXPECT_FALSE(exists("done/b.mkv"));
}

// Each of many is a process group of its own, and so in the background of the terminal.
TEST_F(OnATerminal, ManyWriteToOneThatStopsOthers) {
    write("junk.mkv", "junk");
    Terminal terminal("stty tostop; " + line("junk.mkv in.mkv --output-dir done --box 3 --keep-going"), folder());
    EXPECT_EQ(ended(terminal), "3") << terminal.shown();
    EXPECT_EQ(count_pictures("done/in.mkv"), 5);
}

TEST_F(OnATerminal, ManyStopAndGoOnTogether) {
    make_clip("b.mkv", 5);
    const auto begun = [&] {
        std::error_code error;
        int parts = 0;
        for (const auto& entry : std::filesystem::directory_iterator(path("done"), error)) {
            parts += entry.path().extension() == ".part" ? 1 : 0;
        }
        return parts == 2;
    };
    const std::string script = fmt::format(
        "set -m; LD_PRELOAD={} SLOW=avcodec_send_frame:300 \"$VFILTER\" in.mkv b.mkv --output-dir done --jobs 2 --box "
        "3 "
        "--progress none; echo \"first=$?!\"; for i in {{1..100}}; do states=$(ps -o stat= --ppid $(jobs -p) | cut -c1 "
        "| "
        "tr -d '\\n'); [ \"$states\" = TT ] && break; sleep 0.05; done; echo \"states=$states!\"; fg > /dev/null; "
        "echo \"code=$?!\"; sleep 60",
        VFILTER_STUCK);
    bool stopped = false;
    for (int trial = 0; trial < 3 && !stopped; ++trial) {  // on a machine that stands still they may be over by then
        std::filesystem::remove_all(path("done"));
        Terminal terminal(script, folder());
        for (int i = 0; i < 3000 && !begun(); ++i) {
            std::this_thread::sleep_for(std::chrono::milliseconds(10));
        }
        terminal.type("\x1a");
        stopped = terminal.wait_for("first=") && terminal.wait_for("!") &&
                  terminal.shown().find("first=148!") != std::string::npos;
        if (stopped) {
            EXPECT_TRUE(terminal.wait_for("states=TT!")) << terminal.shown();
            EXPECT_EQ(ended(terminal), "0") << terminal.shown();
        }
    }
    EXPECT_TRUE(stopped);
    EXPECT_EQ(count_pictures("done/in.mkv"), 5);
    EXPECT_EQ(count_pictures("done/b.mkv"), 5);
}

// Redrawn on a terminal, and gone before what is said at the end; elsewhere a run of less than five seconds has none.
TEST_F(OnATerminal, ProgressIsOneLineThatIsRedrawn) {
    ffmpeg("-f lavfi -i testsrc2=s=64x48:r=25:d=1 -c:v ffv1 in.nut");
    Terminal terminal(line("in.nut out.mkv --live --box 3"), folder());
    EXPECT_EQ(ended(terminal), "0");
    const std::regex drawn(
        "\r\x1b\\[K\\[ *[0-9.]+%\\]  [0-9]+/2[45] frames  [0-9]+ fps  [0-9.]+x  ETA 0:0[0-9]  drop 0");
    const std::string& shown = terminal.shown();
    const auto times = std::distance(std::sregex_iterator(shown.begin(), shown.end(), drawn), std::sregex_iterator());
    EXPECT_GE(times, 2) << shown;
    EXPECT_TRUE(std::regex_search(shown, std::regex("\r\x1b\\[Kvfilter: out.mkv: 25 frames in"))) << shown;
    const Result elsewhere = vfilter("in.nut other.mkv --box 3");
    EXPECT_FALSE(says(elsewhere, "%]")) << elsewhere;
}

}  // namespace

}  // namespace vfilter::test
