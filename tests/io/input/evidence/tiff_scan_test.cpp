// Pages of TIFF.

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "io/input/evidence/container_scan.h"

namespace vfilter {
namespace {

class TiffFile {
public:
    explicit TiffFile(bool big) : big_(big), bytes_(big ? "MM" : "II") { bytes_ += number(42, 2) + number(0, 4); }
    // Besides its width, which every picture has.
    TiffFile& page(std::vector<std::pair<int, int>> tags = {}) {
        tags.emplace_back(256, 100);
        bytes_ += std::string(20, 'x');
        bytes_.replace(next_, 4, number(bytes_.size(), 4));
        bytes_ += number(tags.size(), 2);
        for (const auto& [tag, value] : tags) {
            const bool is_short = tag == 255;
            bytes_ += number(tag, 2) + number(is_short ? 3 : 4, 2) + number(1, 4) +
                      (is_short ? number(value, 2) + number(0, 2) : number(value, 4));
        }
        next_ = bytes_.size();
        bytes_ += number(0, 4);
        return *this;
    }
    [[nodiscard]] std::vector<ContainerFault> faults() const {
        ScanFeeder feeder(make_container_scan("tiff_pipe"));
        feeder.feed(0, {reinterpret_cast<const std::uint8_t*>(bytes_.data()), bytes_.size()});
        feeder.finish(static_cast<std::int64_t>(bytes_.size()), {});
        EXPECT_TRUE(feeder.complete());
        return feeder.scan().faults();
    }

private:
    [[nodiscard]] std::string number(std::uint64_t value, int size) const {
        std::string text;
        for (int i = 0; i < size; ++i) {
            text += static_cast<char>(value >> 8 * i & 0xFF);
        }
        if (big_) {
            std::ranges::reverse(text);
        }
        return text;
    }

    bool big_;
    std::string bytes_;
    std::size_t next_ = 4;  // where the place of the next page is to stand
};

// Behind what is looked at as a whole they are read one by one: each with as many entries as it can have, and each but
// four bytes behind the one before.
TEST(TiffScan, DirectoriesThatShareTheirBytesTakeNoTime) {
    constexpr std::size_t whole = std::size_t{64} << 20;
    constexpr std::size_t directories = 20'000;
    constexpr std::size_t size = 2 + 65535 * 12;
    std::string file = "II*";
    file.resize(whole + size + 4 * directories + 4);
    const auto put = [&](std::size_t at, std::size_t value, std::size_t bytes) {
        for (std::size_t i = 0; i < bytes; ++i) {
            file[at + i] = static_cast<char>(value >> 8 * i & 0xFF);
        }
    };
    put(4, whole, 4);
    for (std::size_t i = 0; i < directories; ++i) {
        put(whole + 4 * i, 0xFFFF, 2);
        put(whole + 4 * i + size, whole + 4 * (i + 1), 4);
    }
    const auto begin = std::chrono::steady_clock::now();
    ScanFeeder feeder(make_container_scan("tiff_pipe"));
    feeder.finish(static_cast<std::int64_t>(file.size()), [&](std::int64_t offset, std::span<std::uint8_t> to) {
        const std::string_view there = std::string_view(file).substr(static_cast<std::size_t>(offset), to.size());
        std::ranges::copy(there, to.begin());
        return there.size();
    });
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(4));
}

TEST(TiffScan, TellsOfFurtherPages) {
    for (const bool big : {false, true}) {
        EXPECT_TRUE(TiffFile(big).faults().empty());
        EXPECT_TRUE(TiffFile(big).page().faults().empty());
        const auto two = TiffFile(big).page().page({{254, 2}}).faults();
        ASSERT_EQ(two.size(), 1U);
        EXPECT_EQ(two[0].what, another_picture);
        EXPECT_EQ(two[0].offset, 8 + 20 + 18 + 20);
        const auto three = TiffFile(big).page().page().page().faults();
        ASSERT_EQ(three.size(), 1U);
        EXPECT_EQ(three[0].what, "2 more pictures begin, which are not read,");
    }
}

TEST(TiffScan, KnowsWhatIsThePictureOnceMore) {
    EXPECT_TRUE(TiffFile(false).page().page({{254, 1}}).page({{254, 4}}).page({{255, 2}}).faults().empty());
}

}  // namespace
}  // namespace vfilter
