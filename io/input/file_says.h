#pragma once
// What an input says of itself, and FFmpeg does not read.

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "io/damage.h"
#include "io/handles.h"
#include "io/input/evidence/container_scan.h"
#include "io/input/evidence/heif_items.h"
#include "io/input/evidence/matroska_unread.h"
#include "io/input/input_bytes.h"

namespace vfilter {

/// Has FFmpeg's description of an input say what its header says besides, as far as there is a place for it, and knows
/// the rest. One thread.
class FileSays {
public:
    /// Of a pipe: bytes as they come, of which as many are kept as are looked into once it is opened.
    void keep_front(std::int64_t offset, std::span<const std::uint8_t> bytes);
    /// The input was opened. `bytes` are null where FFmpeg opens it by itself. Once only.
    void read(AVFormatContext& format, const InputBytes* bytes);
    /// Streams of MPEG-TS of which FFmpeg gives nothing, or what nobody can read, are known as such, and damage where
    /// they are of the kinds (kind::) that are wanted. No video to filter is an error by itself, and none here.
    Damage note_scrambled(const AVFormatContext& format, const ContainerScan& scan, unsigned wanted);
    /// Adds what is told of a packet's picture beside its samples and outside of its bytes. Throws std::bad_alloc.
    void add_to(const AVFormatContext& format, AVPacket& packet) const;

    [[nodiscard]] const UnreadLabels& unread() const { return unread_; }

private:
    /// Bytes in front of the first packet of a pipe that are looked into once it is opened.
    static constexpr std::size_t max_front = 32U << 20;

    std::vector<std::uint8_t> front_;            // of a pipe, until it is opened
    std::optional<HeifItems::Said> of_picture_;  // in HEIF
    UnreadLabels unread_;
};

}  // namespace vfilter
