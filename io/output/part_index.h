#pragma once
// What an mp4 or mov says of its packets only when it ends, kept next to it while it is written: after a power cut or a
// kill the packets are all in the .part, and nobody could find them.

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "config/io_options.h"
#include "io/handles.h"

namespace vfilter {

/// The file `.part.index`: the streams' headers as an mp4 without packets, chapters and covers, then 48 bytes a packet.
/// It goes with this object unless keep() was called, and stays where the process dies. What cannot be written of it is
/// no error. One thread.
class PartIndex {
public:
    /// `output` has its streams and chapters, and its header is written. `covers` are its pictures that are no video,
    /// each with the number of its stream.
    PartIndex(const std::string& part, const AVFormatContext& output, const std::vector<PacketPtr>& covers = {});
    ~PartIndex();
    PartIndex(const PartIndex&) = delete;
    PartIndex& operator=(const PartIndex&) = delete;

    /// A packet, in its stream's clock, whose bytes lie at `offset` of the .part.
    void add(const AVPacket& packet, std::int64_t offset, std::int64_t size);
    /// The .part has not been ended: whoever wants to mend it needs this.
    void keep() { kept_ = true; }

private:
    void flush();

    using Clock = std::chrono::steady_clock;
    std::string path_;
    int descriptor_ = -1;
    std::vector<int> numbers_;  // by stream of the output: its number in the index, -1 for covers and what is made anew
    bool kept_ = false;
    std::vector<std::uint8_t> waiting_;
    Clock::time_point flushed_ = Clock::now();
};

/// What has become of a .part.
struct Mended {
    double seconds;         ///< of its longest stream
    std::int64_t left_out;  ///< bytes behind the last packet that the index tells of
    bool whole;             ///< the index is, and tells of all but what was in memory when the run ended
};

/// The index of a .part, whether or not there is one.
std::string index_of(const std::string& part);
/// Whether there is one, so that the .part can be mended and cannot be played.
bool has_index(const std::string& part);

/// Makes a playable mp4 or mov of an unfinished one and its index, as far as both go. Nothing is encoded anew. `output`
/// names a container of that family. `stop` is asked for each packet, and a few times a second while nothing can be
/// written: once it is true, nothing comes of it, and nothing is left. Throws Error(input) where there is nothing to
/// mend, Error(usage) for another container, Error(output).
std::optional<Mended> mend(const std::string& part, const OutputOptions& output, const std::function<bool()>& stop);

}  // namespace vfilter
