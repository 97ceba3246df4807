#pragma once
// What an mp4 or mov says of its packets only when it ends, kept next to it while it is written: after a power cut or a
// kill the packets are all in the .part, and nobody could find them.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

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

/// The index of a .part, whether or not there is one.
std::string index_of(const std::string& part);
/// Whether there is one, so that the .part can be mended and cannot be played.
bool has_index(const std::string& part);

}  // namespace vfilter
