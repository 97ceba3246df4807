#pragma once
// What a movie contains besides its streams' packets, for the index of an unfinished one: chapters and covers.

#include <cstdint>
#include <vector>

#include "io/handles.h"
#include "io/output/part_bytes.h"

namespace vfilter {

/// Appends the output's chapters and `covers`, each a packet with its stream's number, to `to`.
void append_extras(const AVFormatContext& output, const std::vector<PacketPtr>& covers, std::vector<std::uint8_t>& to);

/// The same, read back.
struct PartExtras {
    struct Chapter {
        std::int64_t start;
        std::int64_t end;
        AVRational time_base;
        std::string title;
    };
    struct Cover {
        AVCodecID codec;
        std::int32_t width;
        std::int32_t height;
        PacketPtr picture;
    };
    std::vector<Chapter> chapters;
    std::vector<Cover> covers;
};
/// Throws Error(input), std::bad_alloc.
PartExtras read_extras(PartReader& reader);

/// Before the header of an output that has its other streams and lasts `seconds`: adds the chapters within that time,
/// and a stream for each cover. Throws std::bad_alloc.
void add_extras(const PartExtras& extras, double seconds, AVFormatContext& output);
/// After the header. Throws Error(output).
void write_covers(const PartExtras& extras, AVFormatContext& output);

}  // namespace vfilter
