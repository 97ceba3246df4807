// Fragments behind what is no box.

#include "io/input/lost_fragments.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

namespace vfilter {
namespace {

// Each hole is eight bytes, and the fragment behind it holds its header alone.
std::string movie_of_holes(std::size_t holes) {
    std::string movie;
    for (std::size_t i = 0; i < holes; ++i) {
        movie += std::string("\0\0\0\x18moof\0\0\0\x10mfhd\0\0\0\0\0\0\0\1", 24) + std::string(8, '\xFF');
    }
    return movie;
}

TEST(LostFragments, ManyHolesAreFoundInOnePass) {
    constexpr std::size_t holes = 10'000;
    const std::string movie = movie_of_holes(holes);
    std::size_t seen = 0;
    const ReadBytes read = [&](std::int64_t offset, std::span<std::uint8_t> to) {
        const std::string there = movie.substr(std::min(static_cast<std::size_t>(offset), movie.size()), to.size());
        std::ranges::copy(there, to.begin());
        seen += there.size();
        return there.size();
    };
    LostFragments fragments(read, static_cast<std::int64_t>(movie.size()), [] { return false; });
    std::vector<std::uint8_t> bytes(movie.begin(), movie.end());
    fragments.bridge(0, bytes);
    EXPECT_LT(seen, holes * 8192);
    constexpr std::size_t unit = 32;
    std::size_t bridged = 0;
    for (std::size_t at = 24; at < bytes.size(); at += unit) {
        bridged += std::string(bytes.begin() + static_cast<std::ptrdiff_t>(at) + 4,
                               bytes.begin() + static_cast<std::ptrdiff_t>(at) + 8) == "free";
    }
    EXPECT_EQ(bridged, holes - 1) << "there is nothing behind the last one";
    std::vector<std::uint8_t> part(movie.begin() + 3 * unit, movie.begin() + 5 * unit);
    fragments.bridge(3 * unit, part);
    EXPECT_TRUE(std::equal(part.begin(), part.end(), bytes.begin() + 3 * unit));
}

// Farther than the first piece that is looked at.
TEST(LostFragments, AFarOneIsFound) {
    for (const std::size_t hole : {8U, 4000U, 4096U, 5000U, 100'000U, 3'000'000U}) {
        const std::string movie = movie_of_holes(1).substr(0, 24) + std::string(hole, '\xFF') + movie_of_holes(1);
        const ReadBytes read = [&](std::int64_t offset, std::span<std::uint8_t> to) {
            const std::string there = movie.substr(std::min(static_cast<std::size_t>(offset), movie.size()), to.size());
            std::ranges::copy(there, to.begin());
            return there.size();
        };
        LostFragments fragments(read, static_cast<std::int64_t>(movie.size()), [] { return false; });
        std::vector<std::uint8_t> bytes(movie.begin(), movie.end());
        fragments.bridge(0, bytes);
        EXPECT_EQ(big_endian(bytes, 24, 4), hole);
        EXPECT_EQ(big_endian(bytes, 28, 4), mark("free")) << hole;
    }
}

}  // namespace
}  // namespace vfilter
