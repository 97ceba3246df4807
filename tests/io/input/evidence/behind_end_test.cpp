// What lies behind the end of a container, program streams, and tables of MP4 that contradict each other.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>
#include <string_view>

#include "tests/io/input/evidence/scanned_clips.h"
#include "tests/support/clip_store.h"
#include "tests/support/folder.h"

namespace vfilter::test {

namespace {

class Structure : public ::testing::Test {
protected:
    [[nodiscard]] static Clip clip(std::string_view name) {
        const std::vector<Clip> clips = container_clips();
        const auto found = std::ranges::find(clips, name, &Clip::name);
        EXPECT_NE(found, clips.end()) << name;
        return *found;
    }
    // As the table of clips has it, or with other options.
    [[nodiscard]] File made(std::string_view name, std::string_view more = "") const {
        const Clip of = clip(name);
        const Result result =
            run_ffmpeg(fmt::format("-y {} {} {} {}", of.inputs, more, of.arguments, name), folder_.path());
        EXPECT_EQ(result.code, 0) << result;
        return bytes_of(folder_ / std::string(name));
    }

private:
    Folder folder_;
};

File noise(std::size_t size) {
    std::minstd_rand random(7);
    File bytes(size);
    std::ranges::generate(bytes, [&] { return static_cast<std::uint8_t>(random() >> 8); });
    return bytes;
}

File text_of(std::string_view words, std::size_t size) {
    File bytes(words.begin(), words.end());
    while (bytes.size() < size) {
        bytes.push_back(static_cast<std::uint8_t>('a' + bytes.size() % 26));
    }
    return bytes;
}

File joined(File one, const File& other) {
    one.insert(one.end(), other.begin(), other.end());
    return one;
}

std::size_t word_at(const File& file, std::size_t at) {
    return std::size_t{file.at(at)} << 24U | std::size_t{file[at + 1]} << 16U | std::size_t{file[at + 2]} << 8U |
           std::size_t{file[at + 3]};
}

constexpr std::string_view with_ends[] = {"plain.avi",  "plain.mkv", "piped.webm",
                                          "plain.apng", "plain.wmv", "plain.rm"};

TEST_F(Structure, TellsOfAnOlderFileUnderANewerOne) {
    for (const std::string_view name : with_ends) {
        if (name == "piped.webm") {
            continue;  // no size of its own: what follows belongs to it
        }
        File file = made(name);
        const File newer = made(name, "-t 0.6");
        ASSERT_GT(file.size(), newer.size() + 8192) << name;
        std::ranges::copy(newer, file.begin());
        const ScanResult result = scan(file, clip(name));
        EXPECT_TRUE(result.complete);
        ASSERT_FALSE(result.faults.empty()) << name;
        // RealMedia of FFmpeg's ends with eight zeroes that are no chunk.
        EXPECT_NEAR(static_cast<double>(result.faults.front().offset), static_cast<double>(newer.size()), 8)
            << name << '\n'
            << result;
    }
}

TEST_F(Structure, TakesShortTails) {
    const File tails[] = {File(200'000),
                          text_of("\r\n", 2),
                          text_of("TAG", 128),
                          text_of("md5 ", 3000),
                          joined(File(6000), text_of("sum ", 60)),
                          text_of("ID3", 9000)};
    for (const std::string_view name : with_ends) {
        const File whole = made(name);
        for (const File& tail : tails) {
            if (name == "piped.webm" && tail.size() != 200'000) {
                continue;
            }
            const ScanResult result = scan(joined(whole, tail), clip(name));
            EXPECT_TRUE(result.complete);
            EXPECT_TRUE(name == "piped.webm" || result.faults.empty()) << name << ' ' << tail.size() << '\n' << result;
        }
        if (name != "piped.webm") {
            EXPECT_FALSE(scan(joined(whole, noise(50'000)), clip(name)).faults.empty()) << name;
        }
    }
}

// Bytes that were put in move what follows over the end that the sizes tell.
TEST_F(Structure, OfAviCountsWhatIsBehindAHole) {
    const File whole = made("delayed.avi");
    const auto middle = static_cast<std::ptrdiff_t>(whole.size() / 3);
    File file(whole.begin(), whole.begin() + middle);
    file = joined(joined(file, noise(1 << 20)), {whole.begin() + middle, whole.end()});
    const ScanResult result = scan(file, clip("delayed.avi"));
    EXPECT_EQ(result.faults.size(), 1U) << result;
    ASSERT_NE(result.picture(), nullptr);
    EXPECT_GE(result.picture()->found + 2, scan(whole, clip("delayed.avi")).picture()->found) << result;
}

TEST_F(Structure, OfDvPromisesWhatThereIsRoomFor) {
    File file = made("plain.dv");
    EXPECT_EQ(scan(file, clip("plain.dv")).picture()->promised, std::nullopt);
    file.erase(file.begin() + 400'000, file.begin() + 404'096);
    EXPECT_EQ(scan(file, clip("plain.dv")).picture()->promised, 10);
}

// The second table of that name is the sound's.
std::size_t second(const File& file, std::string_view name) {
    const std::vector<std::size_t> places = places_of(file, name);
    EXPECT_GE(places.size(), 2U) << name;
    return places.at(1);
}

TEST_F(Structure, OfMovieTablesIsHeldAgainstEachOther) {
    const File whole = made("faststart.mp4");
    EXPECT_TRUE(scan(whole, mp4).faults.empty());
    File file = whole;
    file[second(file, "stsc") + 12 + 11] ^= 0x20;  // the description of the first chunks
    ScanResult result = scan(file, mp4);
    ASSERT_EQ(result.faults.size(), 1U) << result;
    EXPECT_EQ(result.faults.front().what, "samples without a description, which are not read,");
    file = whole;
    const std::size_t places = second(file, "stco");
    file[places + 12 + 3 * 4 + 3] -= 9;  // a chunk of sound begins in the pictures before it
    result = scan(file, mp4);
    ASSERT_EQ(result.faults.size(), 1U) << result;
    EXPECT_EQ(result.faults.front().what, "samples that lie in those of another track");
    file = whole;
    file[second(file, "stsz") + 16 + 20 * 4 + 2] ^= 4;  // a packet of sound that is longer by 1024 bytes
    EXPECT_FALSE(scan(file, mp4).faults.empty());
}

TEST_F(Structure, OfMovieTracksMayShareTheirBytes) {
    File file = made("faststart.mp4", "-map 0 -map 1 -map 1");
    EXPECT_TRUE(scan(file, mp4).faults.empty());
    const std::vector<std::size_t> chunks = places_of(file, "stco");
    const std::vector<std::size_t> runs = places_of(file, "stsc");
    ASSERT_EQ(chunks.size(), 3U);
    const std::size_t size = word_at(file, chunks[1] - 4);
    ASSERT_EQ(word_at(file, chunks[2] - 4), size) << "tracks of one sound have the same chunks";
    ASSERT_EQ(word_at(file, runs[2] - 4), word_at(file, runs[1] - 4));
    std::copy_n(file.begin() + static_cast<std::ptrdiff_t>(chunks[1]), size - 4,
                file.begin() + static_cast<std::ptrdiff_t>(chunks[2]));
    const ScanResult result = scan(file, mp4);
    EXPECT_TRUE(result.faults.empty()) << result;
}

class ProgramStream : public Structure {
protected:
    static constexpr std::size_t pack = 2048;
    static ScanResult judge(const File& file) { return scan(file, "mpeg"); }
};

TEST_F(ProgramStream, IsWholeAsItIsMade) {
    for (const std::string_view muxer : {"mpeg", "vcd", "svcd", "dvd", "vob"}) {
        const File whole = made("plain.mpg", fmt::format("-f {}", muxer));
        EXPECT_TRUE(judge(whole).faults.empty()) << muxer << '\n' << judge(whole);
        const File twice = joined(whole, whole);
        EXPECT_TRUE(judge(twice).faults.empty()) << muxer << '\n' << judge(twice);
        const File part(whole.begin() + 3000, whole.end());  // from the middle of a pack
        EXPECT_TRUE(judge(part).faults.empty()) << muxer << '\n' << judge(part);
        EXPECT_TRUE(judge(joined(whole, File(100'000))).faults.empty()) << muxer;
        EXPECT_TRUE(judge(joined(whole, text_of("TAG", 128))).faults.empty()) << muxer;
        // Stuffed with zeroes between two packs.
        File stuffed(whole.begin(), whole.begin() + 5 * pack);
        stuffed = joined(joined(stuffed, File(5000)), {whole.begin() + 5 * pack, whole.end()});
        EXPECT_TRUE(judge(stuffed).faults.empty()) << muxer << '\n' << judge(stuffed);
    }
}

TEST_F(ProgramStream, TellsOfWhatIsNoneOfIt) {
    const File whole = made("plain.mpg");
    ASSERT_GT(whole.size(), 40 * pack);
    for (const std::size_t at : {5 * pack, 5 * pack + 700, 20 * pack + 2000}) {
        const auto place = static_cast<std::ptrdiff_t>(at);
        File file(whole.begin(), whole.begin() + place);
        file = joined(joined(file, noise(1 << 20)), {whole.begin() + place, whole.end()});
        EXPECT_EQ(judge(file).faults.size(), 1U) << at << '\n' << judge(file);
        file = whole;
        file.erase(file.begin() + place, file.begin() + place + 1000);
        EXPECT_EQ(judge(file).faults.size(), 1U) << at << '\n' << judge(file);
    }
    File file = whole;  // a sector's beginning
    std::fill_n(file.begin() + 10 * pack, 512, std::uint8_t{0});
    ASSERT_EQ(judge(file).faults.size(), 1U) << judge(file);
    EXPECT_EQ(judge(file).faults.front().offset, static_cast<std::int64_t>(10 * pack));
    file.assign(whole.begin(), whole.begin() + 30 * pack + 1000);
    ASSERT_EQ(judge(file).faults.size(), 1U);
    EXPECT_EQ(judge(file).faults.front().what, "the file ends inside of a packet");
    file.resize(30 * pack);
    EXPECT_TRUE(judge(file).faults.empty()) << judge(file);
}

}  // namespace

}  // namespace vfilter::test
