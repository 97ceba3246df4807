#pragma once
// What the targets share. Each is a program of libFuzzer's, which calls LLVMFuzzerTestOneInput with bytes of its own.

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <span>
#include <string>
#include <vector>

namespace vfilter::fuzz {

/// What must be true of any input: else the input is kept as a finding.
inline void demand(bool truth, const std::string& what) {
    if (!truth) {
        std::fputs(fmt::format("demanded: {}\n", what).c_str(), stderr);
        std::abort();
    }
}

/// Takes an input apart from its beginning.
class Reader {
public:
    Reader(const std::uint8_t* data, std::size_t size) : rest_(data, size) {}

    [[nodiscard]] bool empty() const { return rest_.empty(); }
    std::uint8_t byte() {
        const std::span<const std::uint8_t> one = bytes(1);
        return one.empty() ? std::uint8_t{0} : one.front();
    }
    std::span<const std::uint8_t> bytes(std::size_t count) {
        const std::span<const std::uint8_t> taken = rest_.first(std::min(count, rest_.size()));
        rest_ = rest_.subspan(taken.size());
        return taken;
    }
    /// A byte for how many, and as many bytes.
    std::span<const std::uint8_t> short_bytes() { return bytes(byte()); }
    std::span<const std::uint8_t> rest() { return bytes(rest_.size()); }

private:
    std::span<const std::uint8_t> rest_;
};

/// The name of a file in memory that holds the bytes and is there until the process ends; the next one takes its place.
inline std::string file_of(std::span<const std::uint8_t> bytes, const std::string& suffix) {
    const std::string path = fmt::format("/dev/shm/vfilter-fuzz-{}{}", getpid(), suffix);
    std::FILE* const file = std::fopen(path.c_str(), "wb");
    demand(file != nullptr && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size(), "a file in memory");
    std::fclose(file);
    return path;
}

}  // namespace vfilter::fuzz
