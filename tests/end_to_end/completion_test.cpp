// The completion of real shells, with keys typed on a terminal. A shell that is not there is a failure:
// scripts/setup.sh installs them for the tests.

#include <fmt/format.h>

#include <algorithm>

#include "tests/support/end_to_end.h"
#include "tests/support/terminal.h"

namespace vfilter::test {

namespace {

// What is typed before the tabulator, and the words that the program gets after the return key.
struct Typed {
    std::string keys;
    std::vector<std::string> words;
};

const Typed typed[] = {
    {"--sharp", {"--sharpen"}},
    {"--codec libx264r", {"--codec", "libx264rgb"}},
    {"--gaussian 5:sig\t2", {"--gaussian", "5:sigma=2"}},
    {"--gaussian 5:sigma=2:border=wr", {"--gaussian", "5:sigma=2:border=wrap"}},
    {"--format matros", {"--format", "matroska"}},
    {"--preset black", {"--preset", "black-and-white"}},
    {"--help ffm", {"--help", "ffmpeg"}},
    {"-vcod\tlibx264r", {"-vcodec", "libx264rgb"}},
    {"a-clip", {"a-clip.mkv"}},
    {"--report a-cl", {"--report", "a-clip.mkv"}},
};

class ShellCompletion : public EndToEnd {
protected:
    // A program `vfilter` that completes as ours does and otherwise writes its words to a file.
    void SetUp() override {
        write("a-clip.mkv", "");
        std::filesystem::create_directory(path("bin"));
        write("bin/vfilter", fmt::format("#!/bin/bash\n"
                                         "[[ ${{1-}} != --complete ]] || exec '{}' \"$@\"\n"
                                         "printf '%s\\n' \"$@\" > words.tmp && mv words.tmp words\n",
                                         VFILTER_BINARY));
        ASSERT_EQ(run("chmod +x bin/vfilter").code, 0);
        ASSERT_EQ(run(fmt::format("for s in bash zsh fish; do '{}' $s > $s.completion; done", VFILTER_DOCS)).code, 0);
    }

    void complete_all(Terminal& terminal, const std::string& prompt) const {
        ASSERT_TRUE(terminal.wait_for(prompt)) << terminal.shown();
        for (const Typed& row : typed) {
            std::filesystem::remove(path("words"));
            terminal.type("vfilter " + row.keys + "\t");
            // The program is asked in between, which takes its time: the return key is no part of that.
            terminal.type("\n");
            ASSERT_TRUE(terminal.wait_for(prompt)) << row.keys << terminal.shown();
            EXPECT_EQ(lines_of(content("words")), row.words) << row.keys << terminal.shown();
        }
    }
};

TEST_F(ShellCompletion, OfBash) {
    Terminal terminal("PATH=$PWD/bin:$PATH PS1='ready> ' exec bash --norc --noprofile -i", folder());
    ASSERT_TRUE(terminal.wait_for("ready> ")) << terminal.shown();
    terminal.type("bind 'set bell-style none'; . ./bash.completion\n");
    complete_all(terminal, "ready> ");
}

TEST_F(ShellCompletion, OfZsh) {
    Terminal terminal("export PATH=$PWD/bin:$PATH; exec zsh -f -i", folder());
    terminal.type("PS1='rea''dy> '; autoload -Uz compinit; compinit -D -u; source ./zsh.completion; setopt nobeep\n");
    complete_all(terminal, "ready> ");
}

TEST_F(ShellCompletion, OfFish) {
    for (const Typed& row : typed) {
        // fish completes what is typed up to the last tabulator.
        std::string line = row.keys;
        if (const std::size_t tabulator = line.find('\t'); tabulator != std::string::npos) {
            line = line.substr(0, tabulator);
        }
        const Result result = run(fmt::format(
            "PATH=$PWD/bin:$PATH HOME=$PWD fish --no-config -c 'source fish.completion; complete -C \"vfilter {}\"'",
            line));
        ASSERT_EQ(result.code, 0) << result;
        const std::vector<std::string> lines = lines_of(result.out);
        ASSERT_EQ(lines.size(), 1U) << result;
        const std::string word = lines.front().substr(0, lines.front().find('\t'));
        // The word that is being typed, whose value may come later.
        const std::string& wanted = row.words.at(static_cast<std::size_t>(std::ranges::count(line, ' ')));
        EXPECT_TRUE(word == wanted || (word.ends_with('=') && wanted.starts_with(word))) << row.keys << result;
    }
}

}  // namespace

}  // namespace vfilter::test
