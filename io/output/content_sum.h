#pragma once
// A checksum of a file's content that can be updated while the file is written, out of order and repeatedly.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace vfilter {

/// sum of word(i) * r(i) modulo 2^64, where word(i) are the file's bytes 8i to 8i+7 and r(i) is a pseudo-random odd
/// number (the finish of splitmix64, Steele et al. 2014). As it is linear, parts can be added and removed in any order;
/// bytes that are 0 add nothing, so that a hole counts as the zeros that a file system returns for it.
class ContentSum {
public:
    void add(std::int64_t offset, std::span<const std::uint8_t> bytes) { sum_ += sum_of(offset, bytes); }
    void take_away(std::int64_t offset, std::span<const std::uint8_t> bytes) { sum_ -= sum_of(offset, bytes); }
    bool operator==(const ContentSum&) const = default;

private:
    static std::uint64_t factor(std::uint64_t i) {
        i *= 0x9E3779B97F4A7C15U;
        i = (i ^ (i >> 30U)) * 0xBF58476D1CE4E5B9U;
        i = (i ^ (i >> 27U)) * 0x94D049BB133111EBU;
        return (i ^ (i >> 31U)) | 1U;
    }
    static std::uint64_t sum_of(std::int64_t offset, std::span<const std::uint8_t> bytes) {
        constexpr std::size_t width = sizeof(std::uint64_t);
        std::uint64_t sum = 0;
        auto index = static_cast<std::uint64_t>(offset) / width;
        std::size_t at = static_cast<std::size_t>(offset) % width;
        for (; !bytes.empty(); at = 0, ++index) {
            const std::size_t size = bytes.size() < width - at ? bytes.size() : width - at;
            std::uint64_t word = 0;
            std::memcpy(reinterpret_cast<unsigned char*>(&word) + at, bytes.data(), size);
            sum += word * factor(index);
            bytes = bytes.subspan(size);
        }
        return sum;
    }

    std::uint64_t sum_ = 0;
};

}  // namespace vfilter
