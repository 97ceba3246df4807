#pragma once
// Clips of each kind of container, and what its structures tell of a file.

#include <cstddef>
#include <cstdint>
#include <ostream>
#include <string>
#include <string_view>
#include <vector>

#include "io/input/evidence/container_scan.h"

namespace vfilter::test {

using File = std::vector<std::uint8_t>;

// Names of demuxers.
inline constexpr std::string_view mp4 = "mov,mp4,m4a,3gp,3g2,mj2";
inline constexpr std::string_view matroska = "matroska,webm";

/// How FFmpeg makes it.
struct Clip {
    std::string_view name;  // of the file, and so of the muxer
    std::string_view demuxer;
    std::string_view inputs;
    std::string arguments;
    bool promises = false;  // how many pictures there are
};

std::vector<Clip> container_clips();
File bytes_of(const std::string& path);

/// What a scan has found.
struct ScanResult {
    std::vector<ContainerFault> faults;
    std::vector<TrackEvidence> tracks;
    bool complete = false;

    /// Of the first video; null if there is none.
    [[nodiscard]] const TrackEvidence* picture() const;
    /// Whether something is wrong.
    [[nodiscard]] bool damaged() const;
};

std::ostream& operator<<(std::ostream& stream, const ScanResult& result);

/// Feeds pieces of at most `largest` bytes; `gaps`: some of them are left out, and read at the end.
ScanResult scan(const File& file, std::string_view demuxer, std::size_t largest = 40000, bool gaps = false);
ScanResult scan(const File& file, const Clip& clip);

/// Where those bytes begin, in order.
std::vector<std::size_t> places_of(const File& file, std::string_view mark);

}  // namespace vfilter::test
