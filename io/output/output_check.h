#pragma once
// Reopens a written file and compares it with what was sent to its muxer, before it gets its name.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "io/handles.h"
#include "io/output/labels.h"

namespace vfilter {

/// What was sent to one stream of an output.
struct SentStream {
    AVMediaType type = AVMEDIA_TYPE_UNKNOWN;
    AVCodecID codec = AV_CODEC_ID_NONE;
    int pid = 0;               ///< its number if the file may have its streams in another order (pid_of())
    bool header_only = false;  ///< covers and fonts, for which no packet follows
    std::int64_t packets = 0;
    std::int64_t silent = 0;  ///< additional sound packets with only side data, which readers may leave out
    std::int64_t empty = 0;   ///< of these: a picture that repeats the previous one, which readers may leave out
    /// The earliest and the latest pts, seconds; the duration of a packet. Empty if nothing had a time.
    std::optional<double> first{};
    std::optional<double> last{};
    double packet_seconds = 0;  ///< of the latest
    /// Its duration if its packets follow each other from the file's beginning on, seconds; for sound that the
    /// container only counts.
    std::optional<double> counted{};
};

/// What a file does not contain of what was sent to its muxer, or was to be written.
struct Absent {
    std::vector<int> streams;  ///< of the output, for which no packet was sent, so that the file has no such stream
    std::vector<std::string> labels;  ///< lost_labels(), except those of these streams
};

/// Reads all packets of the file, decodes none. Streams, numbers of packets and times must match what was sent, as far
/// as the container keeps them: docs/reliability.md has the table. Throws Error(output) with the first difference. For
/// containers that cannot be read back (raw streams) only the header is read. Leaves the rest unchecked once `stop` is
/// true. `labels` has a row for each sent stream, like `sent`, unless that is empty.
Absent check_written(const std::string& path, const AVOutputFormat& container, const std::vector<SentStream>& sent,
                     Labels labels, const std::function<bool()>& stop);

/// Which of the labels are missing in what went into a pipe, judged only by its front: empty if that does not reach to
/// the first packet.
std::vector<std::string> lost_in_pipe(std::span<const std::uint8_t> front, bool whole, const AVOutputFormat& container,
                                      const Labels& labels);

}  // namespace vfilter
