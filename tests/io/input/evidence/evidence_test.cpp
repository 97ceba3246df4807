// What containers' structures tell: nothing of whole files, and something of every damage.

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <fstream>
#include <iterator>
#include <map>
#include <random>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "io/input/evidence/container_scan.h"
#include "tests/io/input/evidence/scanned_clips.h"
#include "tests/support/clip_store.h"
#include "tests/support/folder.h"

namespace vfilter::test {

namespace {

// Clips are made once.
class Evidence : public ::testing::Test {
protected:
    static void SetUpTestSuite() { folder_ = new Folder; }
    static void TearDownTestSuite() {
        delete folder_;
        folder_ = nullptr;
        files().clear();
    }
    static std::map<std::string, File>& files() {
        static std::map<std::string, File> made;
        return made;
    }
    static std::string path(const Clip& clip) { return *folder_ / std::string(clip.name); }
    static const File& file(const Clip& clip) {
        File& made = files()[std::string(clip.name)];
        if (made.empty()) {
            const Result result =
                run_ffmpeg(fmt::format("{} {} {}", clip.inputs, clip.arguments, clip.name), folder_->path());
            EXPECT_EQ(result.code, 0) << result;
            made = bytes_of(path(clip));
        }
        return made;
    }
    static const File& file(std::string_view name) { return file(clip(name)); }
    static Clip clip(std::string_view name) {
        for (const Clip& candidate : container_clips()) {
            if (candidate.name == name) {
                return candidate;
            }
        }
        ADD_FAILURE() << name;
        return container_clips().front();
    }

private:
    static inline Folder* folder_ = nullptr;
};

// Packets of the first video stream, by the ffprobe program.
std::int64_t probed(const std::string& path) {
    const std::string to = path + ".count";
    const std::string command = "ffprobe -v error -select_streams v:0 -count_packets -show_entries " +
                                std::string("stream=nb_read_packets -of csv=p=0 '") + path + "' > '" + to + "'";
    EXPECT_EQ(std::system(command.c_str()), 0) << command;
    std::int64_t count = -1;
    std::ifstream(to) >> count;
    return count;
}

TEST_F(Evidence, IsSilentAboutWholeFilesAndCountsTheirPackets) {
    for (const Clip& clip : container_clips()) {
        SCOPED_TRACE(clip.name);
        const ScanResult result = scan(file(clip), clip);
        EXPECT_TRUE(result.complete);
        EXPECT_TRUE(result.faults.empty()) << result;
        EXPECT_FALSE(result.damaged()) << result;
        if (clip.demuxer == "asf" || clip.demuxer == "rm" || clip.demuxer == "mpeg") {
            continue;  // its packets are not those of streams
        }
        ASSERT_NE(result.picture(), nullptr);
        EXPECT_EQ(result.picture()->found, probed(path(clip)));
        EXPECT_EQ(result.picture()->promised.has_value(), clip.promises) << result;
    }
}

TEST_F(Evidence, IsTheSameHoweverTheBytesCome) {
    for (const Clip& clip : container_clips()) {
        SCOPED_TRACE(clip.name);
        const File& whole = file(clip);
        File damaged = whole;
        std::fill_n(damaged.begin() + static_cast<std::ptrdiff_t>(whole.size() / 2), 300, std::uint8_t{0});
        for (const File& bytes : {whole, damaged}) {
            std::ostringstream usual;
            usual << scan(bytes, clip);
            for (const std::size_t largest : {std::size_t{1}, std::size_t{7}, std::size_t{500}, bytes.size()}) {
                for (const bool gaps : {false, true}) {
                    std::ostringstream other;
                    other << scan(bytes, clip.demuxer, largest, gaps);
                    EXPECT_EQ(other.str(), usual.str()) << largest << ' ' << gaps;
                }
            }
        }
    }
}

TEST_F(Evidence, OfAPipeEndsWhereAllWasFed) {
    const File& whole = file("piped.webm");
    const auto size = static_cast<std::int64_t>(whole.size());
    ScanFeeder all(make_container_scan(matroska));
    all.feed(0, whole);
    all.finish(size, {});
    EXPECT_TRUE(all.complete());
    ScanFeeder half(make_container_scan(matroska));
    half.feed(0, std::span(whole).first(whole.size() / 2));
    half.finish(size, {});
    EXPECT_FALSE(half.complete());
}

TEST_F(Evidence, TellsOfFilesThatWereCut) {
    for (const Clip& clip : container_clips()) {
        const File& whole = file(clip);
        std::minstd_rand random(3);
        int cuts = 0;
        int seen = 0;
        for (; cuts < 40; ++cuts) {
            const std::size_t size = whole.size() / 4 + random() % (whole.size() * 3 / 4 - 8);
            seen += scan({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(size)}, clip).damaged() ? 1 : 0;
        }
        // Some have no end, and can be cut where one packet ends and another begins.
        EXPECT_GE(seen, cuts - 3) << clip.name;
    }
}

TEST_F(Evidence, TellsOfPartsThatAreMissingOrDoubled) {
    for (const Clip& clip : container_clips()) {
        const File& whole = file(clip);
        const bool first_movie = clip.name == "faststart.mp4";  // all that follows is read by its place
        std::minstd_rand random(4);
        int missing = 0;
        int doubled = 0;
        constexpr int tries = 40;
        for (int i = 0; i < tries; ++i) {
            const auto size = static_cast<std::ptrdiff_t>(std::min<std::size_t>(3001, whole.size() / 8));
            const auto at = static_cast<std::ptrdiff_t>(random() % (whole.size() - static_cast<std::size_t>(size)));
            File changed = whole;
            changed.erase(changed.begin() + at, changed.begin() + at + size);
            missing += scan(changed, clip).damaged() ? 1 : 0;
            changed = whole;
            changed.insert(changed.begin() + at, whole.begin() + at, whole.begin() + at + size);
            doubled += scan(changed, clip).damaged() ? 1 : 0;
        }
        EXPECT_GE(missing, tries * 8 / 10) << clip.name;
        EXPECT_TRUE(first_movie || doubled >= tries * 8 / 10) << clip.name << ' ' << doubled;
    }
}

// The file of a sender that was killed between two packets: FFmpeg's has no index.
TEST_F(Evidence, TellsOfNutThatWasNotFinished) {
    const File& whole = file("raw.nut");
    const std::vector<std::size_t> syncpoints = places_of(whole, "NK\xE4\xAD\xEE\xCA\x45\x69");
    ASSERT_GT(syncpoints.size(), 3U);
    for (const std::size_t place : syncpoints) {
        const ScanResult result =
            scan({whole.begin(), whole.begin() + static_cast<std::ptrdiff_t>(place)}, clip("raw.nut"));
        EXPECT_EQ(result.faults.size(), place == syncpoints.front() ? 0U : 1U) << place << '\n' << result;
    }
    File between = whole;  // frames are lost, and what is left fits together
    between.erase(between.begin() + static_cast<std::ptrdiff_t>(syncpoints[1]),
                  between.begin() + static_cast<std::ptrdiff_t>(syncpoints[2]));
    EXPECT_FALSE(scan(between, clip("raw.nut")).faults.empty());
}

TEST_F(Evidence, TellsOfZeroesWhereStructureShouldBe) {
    // Those whose structure is everywhere.
    for (const std::string_view name : {"plain.mkv", "live.mkv", "small.mkv", "piped.webm", "plain.avi", "plain.ogv",
                                        "plain.flv", "plain.ts", "blue.m2ts", "plain.nut", "plain.gif", "plain.ivf"}) {
        const File& whole = file(name);
        std::minstd_rand random(6);
        int seen = 0;
        constexpr int tries = 40;
        for (int i = 0; i < tries; ++i) {
            const std::size_t size = std::min<std::size_t>(8192, whole.size() / 4);
            File changed = whole;
            std::fill_n(changed.begin() + static_cast<std::ptrdiff_t>(random() % (whole.size() - size)), size,
                        std::uint8_t{0});
            seen += scan(changed, clip(name)).damaged() ? 1 : 0;
        }
        EXPECT_GE(seen, tries * 8 / 10) << name;
    }
}

TEST_F(Evidence, TellsOfEveryFlippedBitInAName) {
    struct Row {
        std::string_view clip;
        std::string_view mark;
        std::size_t skipped = 0;  // bytes of the mark that are not names
    };
    const Row rows[] = {
        {"fragments.mp4", "moof"},
        {"fragments.mp4", "mdat"},
        {"fragments.mp4", "traf"},
        {"fragments.mp4", "trun"},
        {"plain.mp4", "mdat"},
        {"plain.mp4", "trak"},
        {"plain.mp4", "stss"},
        {"plain.mp4", "ctts"},
        {"plain.mp4", "stsz"},
        {"small.mkv", "\x1F\x43\xB6\x75"},
        {"small.mkv", "\x1C\x53\xBB\x6B"},
        {"piped.webm", "\x1F\x43\xB6\x75"},
        {"plain.avi", "movi"},
        {"plain.avi", "01wb"},
        {"plain.ogv", "OggS"},
    };
    for (const Row& row : rows) {
        const File& whole = file(row.clip);
        std::vector<std::size_t> places = places_of(whole, row.mark);
        ASSERT_FALSE(places.empty()) << row.clip << ' ' << row.mark;
        const std::size_t place = places[places.size() / 2];
        for (std::size_t bit = 0; bit < row.mark.size() * 8; ++bit) {
            File changed = whole;
            changed[place + bit / 8] = static_cast<std::uint8_t>(changed[place + bit / 8] ^ 1U << bit % 8);
            EXPECT_TRUE(scan(changed, clip(row.clip)).damaged()) << row.clip << ' ' << row.mark << " bit " << bit;
        }
    }
}

TEST_F(Evidence, TellsOfABlockWithAnotherId) {
    const File& whole = file("small.mkv");
    // The second block of a cluster: after the first one, which follows the cluster's time.
    const std::size_t cluster = places_of(whole, "\x1F\x43\xB6\x75")[3];
    std::size_t block = cluster;
    while (whole[block] != 0xA3) {
        ++block;
    }
    for (unsigned bit = 0; bit < 8; ++bit) {
        File changed = whole;
        changed[block] = static_cast<std::uint8_t>(changed[block] ^ 1U << bit);
        const ScanResult result = scan(changed, matroska);
        ASSERT_FALSE(result.faults.empty()) << bit;
        EXPECT_LE(result.faults.front().offset, static_cast<std::int64_t>(block)) << result;
    }
}

TEST_F(Evidence, SeesOneWrongBitWhereThereAreChecksums) {
    for (const std::string_view name : {"plain.mkv", "plain.ogv"}) {
        const File& whole = file(name);
        std::minstd_rand random(8);
        for (int i = 0; i < 20; ++i) {
            File changed = whole;
            const std::size_t at = whole.size() / 4 + random() % (whole.size() / 2);
            changed[at] = static_cast<std::uint8_t>(changed[at] ^ 0x10);
            EXPECT_TRUE(scan(changed, clip(name)).damaged()) << name << ' ' << at;
        }
    }
}

TEST_F(Evidence, CountsLostFragments) {
    const File& whole = file("piped.mp4");
    const std::vector<std::size_t> places = places_of(whole, "moof");
    ASSERT_GT(places.size(), 6U);
    File changed = whole;
    changed.erase(changed.begin() + static_cast<std::ptrdiff_t>(places[3]) - 4,
                  changed.begin() + static_cast<std::ptrdiff_t>(places[4]) - 4);
    const ScanResult result = scan(changed, mp4);
    ASSERT_FALSE(result.faults.empty());
    EXPECT_EQ(result.faults.front().what, "fragments are missing before this one");
}

TEST_F(Evidence, TakesFilesThatWereJoined) {
    for (const std::string_view name : {"plain.ts", "plain.ogv", "piped.webm"}) {
        File joined = file(name);
        const File& again = file(name);
        joined.insert(joined.end(), again.begin(), again.end());
        EXPECT_TRUE(scan(joined, clip(name)).faults.empty()) << name << '\n' << scan(joined, clip(name));
    }
}

TEST_F(Evidence, TellsOfFilesBehindAnotherThatAreNotRead) {
    for (const std::string_view name : {"plain.apng", "plain.mxf", "plain.wmv"}) {
        File joined = file(name);
        const File& again = file(name);
        joined.insert(joined.end(), again.begin(), again.end());
        const ScanResult result = scan(joined, clip(name));
        ASSERT_FALSE(result.faults.empty()) << name;
        // Of MXF FFmpeg goes on to read the second one's pictures.
        EXPECT_EQ(result.faults.front().what, name == "plain.mxf" ? "another file begins" : another_file) << name;
        EXPECT_EQ(result.faults.front().offset, static_cast<std::int64_t>(again.size())) << name;
    }
}

void set_number(File& file, std::size_t at, std::size_t number) {
    for (const unsigned shift : {24U, 16U, 8U, 0U}) {
        file[at++] = static_cast<std::uint8_t>(number >> shift);
    }
}

std::size_t number_at(const File& file, std::size_t at) {
    return std::size_t{file[at]} << 24U | std::size_t{file[at + 1]} << 16U | std::size_t{file[at + 2]} << 8U |
           std::size_t{file[at + 3]};
}

// A movie of which the video's samples are described twice, as of two codecs, the last chunks by the second.
File in_two_codecs(const File& movie, std::string_view other) {
    File file = movie;
    const std::size_t descriptions = places_of(file, "stsd")[0];
    const std::size_t entry = descriptions + 12;
    const std::size_t size = number_at(file, entry);
    File copy(file.begin() + static_cast<std::ptrdiff_t>(entry),
              file.begin() + static_cast<std::ptrdiff_t>(entry + size));
    std::ranges::copy(other, copy.begin() + 4);
    for (const std::string_view parent : {"moov", "trak", "mdia", "minf", "stbl", "stsd"}) {
        const std::size_t place = places_of(file, parent)[0] - 4;
        set_number(file, place, number_at(file, place) + size);
    }
    set_number(file, descriptions + 8, 2);
    file.insert(file.begin() + static_cast<std::ptrdiff_t>(entry + size), copy.begin(), copy.end());
    const std::size_t runs = places_of(file, "stsc")[0];
    const std::size_t last = runs + 12 + (number_at(file, runs + 8) - 1) * 12;
    set_number(file, last + 8, 2);
    return file;
}

TEST_F(Evidence, TellsOfSamplesInAnotherCodec) {
    const File& movie = file("plain.mp4");
    const ScanResult result = scan(in_two_codecs(movie, "mp4v"), mp4);
    ASSERT_EQ(result.faults.size(), 1U) << result;
    EXPECT_EQ(result.faults.front().what, "a track in more than one codec, of which only the first is read,");
    const ScanResult same = scan(in_two_codecs(movie, "avc1"), mp4);
    EXPECT_TRUE(same.faults.empty()) << same;
}

TEST_F(Evidence, TakesWhatIsAppendedToAMovie) {
    File appended = file("plain.mp4");
    for (int i = 0; i < 100000; ++i) {
        appended.push_back(static_cast<std::uint8_t>(i * 7 ^ i >> 5));
    }
    EXPECT_FALSE(scan(appended, mp4).damaged()) << scan(appended, mp4);
    appended = file("plain.mp4");
    appended.resize(appended.size() + 5000);
    EXPECT_FALSE(scan(appended, mp4).damaged()) << scan(appended, mp4);
}

TEST_F(Evidence, EndsWhateverItIsGiven) {
    std::minstd_rand random(9);
    for (const Clip& clip : container_clips()) {
        const File& whole = file(clip);
        for (int i = 0; i < 60; ++i) {
            File changed = whole;
            const int changes = 1 + static_cast<int>(random() % 30);
            // The beginning has the most to say.
            const std::size_t reach = i % 2 == 0 ? std::min<std::size_t>(whole.size(), 2000) : whole.size();
            for (int change = 0; change < changes; ++change) {
                const std::size_t at =
                    i % 4 == 3 ? whole.size() - 1 - random() % std::min<std::size_t>(reach, 6000) : random() % reach;
                constexpr std::uint8_t extremes[] = {0x00, 0xFF, 0x7F, 0x80, 0x01};
                changed[at] = random() % 2 == 0 ? extremes[random() % 5] : static_cast<std::uint8_t>(random() >> 8);
            }
            EXPECT_TRUE(scan(changed, clip.demuxer, 40000, i % 3 == 0).complete) << clip.name << ' ' << i;
        }
        for (const Clip& other : container_clips()) {
            EXPECT_TRUE(scan(whole, other).complete) << clip.name << " as " << other.demuxer;
        }
    }
    File noise(100000);
    std::ranges::generate(noise, [&] { return static_cast<std::uint8_t>(random() >> 8); });
    for (const Clip& clip : container_clips()) {
        EXPECT_TRUE(scan(noise, clip).complete) << clip.name;
        EXPECT_TRUE(scan({}, clip).complete) << clip.name;
        EXPECT_TRUE(scan(File(100000), clip).complete) << clip.name;
    }
}

TEST_F(Evidence, HasNothingToSayOfOtherDemuxers) {
    EXPECT_EQ(make_container_scan("h264"), nullptr);
    EXPECT_EQ(make_container_scan(""), nullptr);
}

}  // namespace

}  // namespace vfilter::test
