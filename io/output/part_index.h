#pragma once
// What an mp4 or mov says about its packets only at its end, kept next to it while it is written: after a power cut or
// a kill, the packets are all in the .part, but could not be found.

#include <chrono>
#include <cstdint>
#include <string>
#include <vector>

#include "io/handles.h"

namespace vfilter {

/// The file `.part.index`: the streams' headers as an mp4 without packets, chapters and covers, then 48 bytes per
/// packet. It is removed with this object unless keep() was called, and stays if the process dies. Failure to write it
/// is not an error. One thread.
class PartIndex {
public:
    /// `output` must have its streams and chapters, and its header must be written. `covers` are its pictures that are
    /// not video, each with its stream's number.
    PartIndex(const std::string& part, const AVFormatContext& output, const std::vector<PacketPtr>& covers = {});
    ~PartIndex();
    PartIndex(const PartIndex&) = delete;
    PartIndex& operator=(const PartIndex&) = delete;

    /// A packet, in its stream's clock, whose bytes are at `offset` in the .part.
    void add(const AVPacket& packet, std::int64_t offset, std::int64_t size);
    /// The .part has not been finished: whoever mends it needs this.
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

/// The name of the index of a .part, whether or not it exists.
std::string index_of(const std::string& part);
/// Whether it exists, so that the .part can be mended and cannot be played.
bool has_index(const std::string& part);

}  // namespace vfilter
