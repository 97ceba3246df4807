// SHA-256: known sums, bytes in any pieces, and of an input that is read to and fro.

#include "io/sha256.h"

#include <fcntl.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include <fstream>
#include <random>
#include <string>
#include <vector>

#include "io/input/input_sum.h"
#include "tests/support/folder.h"

namespace vfilter {
namespace {

using Bytes = std::vector<std::uint8_t>;

Bytes some_bytes(std::size_t size) {
    std::mt19937 random(1);
    Bytes bytes(size);
    for (std::uint8_t& byte : bytes) {
        byte = static_cast<std::uint8_t>(random());
    }
    return bytes;
}

std::string sum_of(const Bytes& bytes, Sha256::By by = Sha256::By::fastest) {
    Sha256 sum(by);
    sum.add(bytes);
    return sum.hex();
}

// FIPS 180-4's own examples.
TEST(Sha256, HasTheSumsOfTheStandard) {
    for (const Sha256::By by : {Sha256::By::fastest, Sha256::By::libavutil}) {
        EXPECT_EQ(sum_of({}, by), "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
        EXPECT_EQ(sum_of({'a', 'b', 'c'}, by), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
    }
}

TEST(Sha256, IsTheSameInPiecesAndInAnotherThread) {
    const Bytes bytes = some_bytes(20'000'000);
    for (const std::size_t piece : {std::size_t{999}, std::size_t{1} << 20, bytes.size()}) {
        Sha256Thread sum;
        for (std::size_t at = 0; at < bytes.size(); at += piece) {
            sum.add(std::span(bytes).subspan(at, std::min(piece, bytes.size() - at)));
        }
        EXPECT_EQ(sum.hex(), sum_of(bytes)) << piece;
    }
    Sha256Thread unused;  // ends without having been asked
    unused.add(bytes);
}

class InputSums : public ::testing::Test {
protected:
    InputSums() {
        std::ofstream(path_, std::ios::binary)
            .write(reinterpret_cast<const char*>(bytes_.data()), static_cast<std::streamsize>(bytes_.size()));
        descriptor_ = open(path_.c_str(), O_RDONLY | O_CLOEXEC);
    }
    ~InputSums() override { close(descriptor_); }

    test::Folder folder_;
    std::string path_ = folder_ / "bytes";
    Bytes bytes_ = some_bytes(5'000'001);
    int descriptor_ = -1;
};

TEST_F(InputSums, OfAFileIsOfAllItsBytesWhateverWasRead) {
    const std::vector<std::vector<std::size_t>> orders{{}, {0, 1, 2, 3, 4}, {4, 0, 3, 1}, {2}};
    for (const std::vector<std::size_t>& order : orders) {
        InputSum sum(descriptor_, true);
        for (const std::size_t million : order) {
            sum.see(static_cast<std::int64_t>(million * 1'000'000),
                    std::span(bytes_).subspan(million * 1'000'000, 1'000'000));
        }
        EXPECT_EQ(sum.hex([] { return false; }), sum_of(bytes_)) << order.size();
    }
}

TEST_F(InputSums, AreNoneWhereSomethingIsMissing) {
    const int folder = open(folder_.path().c_str(), O_RDONLY | O_CLOEXEC);
    EXPECT_EQ(InputSum(folder, true).hex([] { return false; }), "") << "it cannot be read";
    close(folder);
    InputSum pipe(descriptor_, false);
    pipe.see(0, bytes_);
    EXPECT_EQ(pipe.hex([] { return false; }), "") << "its end was not seen";
    InputSum ended(descriptor_, false);
    ended.see(0, bytes_);
    ended.see_end();
    EXPECT_EQ(ended.hex([] { return false; }), sum_of(bytes_));
}

}  // namespace
}  // namespace vfilter
