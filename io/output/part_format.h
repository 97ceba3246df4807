#pragma once
// The format of the index of an unfinished file: see PartIndex.

#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "io/handles.h"
#include "io/memory_input.h"

namespace vfilter::part_format {

inline constexpr std::string_view first_line = "vfilter part index 2\n";
inline constexpr std::string_view any_first_line = "vfilter part index ";  ///< of any version, followed by a number
static_assert(first_line.starts_with(any_first_line));
inline constexpr std::size_t flush_bytes = 16384;  ///< of records, which are written when there are this many
inline constexpr std::int64_t max_packet = std::int64_t{1} << 30;

/// A packet's position in the file; read only by the machine that wrote it.
struct Record {
    std::int64_t pts;
    std::int64_t dts;
    std::int64_t offset;
    std::int32_t size;
    std::int32_t duration;
    std::int32_t stream;
    std::int32_t flags;
    std::uint64_t sum;  ///< of everything before it
};
static_assert(sizeof(Record) == 48);

/// 64-bit FNV-1a (Fowler, Noll, Vo): a torn or damaged index must not be given to muxers, which trust their input.
inline std::uint64_t sum_of(std::span<const std::uint8_t> bytes) {
    std::uint64_t sum = 0xCBF29CE484222325U;
    for (const std::uint8_t byte : bytes) {
        sum = (sum ^ byte) * 0x100000001B3U;
    }
    return sum;
}

inline std::uint64_t sum_of(const Record& record) {
    return sum_of({reinterpret_cast<const std::uint8_t*>(&record), offsetof(Record, sum)});
}

/// Of pictures. FFmpeg's reader of the header leaves it to the decoders for some codecs (MPEG-4, H.263).
struct PictureSize {
    std::int32_t width;
    std::int32_t height;
};

/// Streams with all of their properties, except for those that a muxer creates itself. Throws std::bad_alloc.
void copy_streams(const AVFormatContext& from, AVFormatContext& to);
/// The header of the streams, read back. Throws Error(input).
InputContextPtr open_header(const MemoryInput& header);

}  // namespace vfilter::part_format
