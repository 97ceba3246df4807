// Packets of added files between those of the input.

#include "io/input/layers/with_files.h"

#include <gtest/gtest.h>

#include <fstream>

#include "tests/io/input/scripted_source.h"
#include "tests/support/folder.h"

namespace vfilter {
namespace {

using testing::Given;

// Words of a file, which begin at whole seconds and last for half of one.
class WithWords : public ::testing::Test {
protected:
    void write(const std::string& name, const std::vector<int>& seconds) const {
        std::ofstream file(folder_.path() / name);
        for (const int second : seconds) {
            file << second + 1 << "\n00:00:0" << second << ",000 --> 00:00:0" << second << ",500\nwords\n\n";
        }
    }
    // Beside an input of a picture a second.
    std::vector<Given> read(std::vector<AddedFile> files, std::int64_t first = 0,
                            std::optional<std::int64_t> wanted = std::nullopt) {
        description_ = testing::make_streams({{}});
        std::vector<std::unique_ptr<AddedInput>> inputs;
        for (AddedFile& file : files) {
            file.path = (folder_.path() / file.path).string();
        }
        options_.added = files;
        for (std::size_t number = 1; number <= files.size(); ++number) {
            inputs.push_back(std::make_unique<AddedInput>(options_, number, interrupted_));
        }
        for (const std::unique_ptr<AddedInput>& input : inputs) {
            input->describe(*description_);
        }
        WithFiles source(testing::scripted({{0, 0}, {0, 1000}, {0, 2000}}), std::move(inputs), *description_, 1);
        PacketPtr before = make_packet();
        EXPECT_EQ(source.read(*before), 0) << "nothing of the files comes before they begin";
        EXPECT_EQ(before->stream_index, 0);
        EXPECT_EQ(source.file_of(0), 0);
        EXPECT_EQ(source.file_of(static_cast<int>(description_->nb_streams) - 1), static_cast<int>(files.size()));
        WantedPart part;
        part.input_begin = first;
        part.start = wanted;
        part.shift = wanted.value_or(0);
        source.begin(part);
        return testing::read_all(source);
    }

    test::Folder folder_;
    InputRequest options_;
    std::function<bool()> interrupted_ = [] { return false; };
    DescriptionPtr description_;
};

TEST_F(WithWords, TheEarliestComesFirstAndTheRestBehindTheInput) {
    write("one.srt", {0, 1, 4});
    write("two.srt", {1, 3});
    EXPECT_EQ(read({{"one.srt"}, {"two.srt"}}),
              (std::vector<Given>{{1, 0}, {1, 1000}, {2, 1000}, {0, 1000}, {0, 2000}, {2, 3000}, {1, 4000}}));
}

TEST_F(WithWords, AFileBeginsWithTheInputOrLater) {
    write("one.srt", {0, 1});
    EXPECT_EQ(read({{"one.srt", 0.5}}), (std::vector<Given>{{1, 500}, {0, 1000}, {1, 1500}, {0, 2000}}));
    EXPECT_EQ(read({{"one.srt"}}, 1'500'000), (std::vector<Given>{{0, 1000}, {1, 1500}, {0, 2000}, {1, 2500}}));
}

TEST_F(WithWords, WhatIsOverBeforeTheBeginningDoesNotCome) {
    write("one.srt", {0, 1, 3});
    EXPECT_EQ(read({{"one.srt", -0.75}}), (std::vector<Given>{{1, 250}, {0, 1000}, {0, 2000}, {1, 2250}}));
    EXPECT_EQ(read({{"one.srt", -1.25}}), (std::vector<Given>{{1, 0}, {0, 1000}, {1, 1750}, {0, 2000}}));
    EXPECT_EQ(read({{"one.srt"}}, 0, 900'000), (std::vector<Given>{{1, 1000}, {0, 1000}, {0, 2000}, {1, 3000}}));
    try {
        read({{"one.srt", -5}});
        FAIL() << "nothing is left";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::input);
    }
}

}  // namespace
}  // namespace vfilter
