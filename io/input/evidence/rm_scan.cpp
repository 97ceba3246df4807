// RealMedia: chunks with a name and a size, and numbered packets in those of data.

#include <algorithm>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/behind_end.h"
#include "io/input/evidence/scans.h"
#include "io/input/evidence/stepping_scan.h"

namespace vfilter {

namespace {

constexpr std::size_t rm_head = 18;    // of a chunk of data; others have less
constexpr std::size_t chunk_name = 8;  // and size
constexpr std::uint64_t least_packet = 12;
constexpr std::uint32_t rm_chunks[] = {mark(".RMF"), mark("PROP"), mark("MDPR"), mark("CONT"), mark("DATA"),
                                       mark("INDX"), mark("RMMD"), mark("RJMD"), mark("RMJE")};

bool is_rm_packet(Bytes bytes) {
    return big_endian(bytes, 0, 2) <= 1 && big_endian(bytes, 2, 2) >= least_packet;
}

class RmScan final : public SteppingScan<RmScan> {
public:
    RmScan() : SteppingScan(&RmScan::chunk, rm_head) {}
    void end(std::int64_t size) override {
        if (here() > size) {
            fault(size, "the file ends before its chunks do");
        }
        fault_behind(behind_, read_behind);
    }

private:
    void chunk(Bytes bytes);
    void packet(Bytes bytes);
    void behind(Bytes bytes) { look_behind(behind_, bytes); }
    void ask_packets(std::int64_t at, std::uint64_t count) {
        packets_ = count;
        ask(at, rm_head, &RmScan::packet);
    }

    std::uint64_t packets_ = 0;  // that are still to come
    std::int64_t data_end_ = 0;  // by the size of the chunk
    bool met_data_ = false;
    BehindEnd behind_;
};

void RmScan::chunk(Bytes bytes) {
    const auto name = static_cast<std::uint32_t>(big_endian(bytes, 0, 4));
    const std::uint64_t size = big_endian(bytes, 4, 4);
    if (bytes.size() < chunk_name || (!met_data_ && size < chunk_name)) {
        return stop();
    }
    if (std::ranges::find(rm_chunks, name) == std::end(rm_chunks) || size < chunk_name) {
        if (here() + signed_value(big_endian(bytes, 2, 2)) <= data_end_ && is_rm_packet(bytes)) {
            ask_packets(here(), 1);  // one more than were counted
        } else if (met_data_) {
            // The demuxer goes on to look for packets.
            behind_.begin(here());
            ask(here(), search_window, &RmScan::behind);
        } else {
            stop();
        }
        return;
    }
    if (name != mark("DATA")) {
        return move_to(here() + signed_value(size));
    }
    const std::uint64_t packets = big_endian(bytes, 10, 4);
    if (packets == 0 || size < rm_head) {
        return stop();  // live, nobody came back to write it
    }
    met_data_ = true;
    data_end_ = here() + signed_value(size);
    ask_packets(here() + signed_value(rm_head), packets);
}

void RmScan::packet(Bytes bytes) {
    const std::uint64_t size = big_endian(bytes, 2, 2);
    if (bytes.size() < least_packet) {
        fault(here(), "the file ends inside of a packet");
        return stop();
    }
    if (!is_rm_packet(bytes)) {
        fault(here(), "no packet where one should begin");
        return move_to(std::max(here() + 1, data_end_));
    }
    const std::int64_t next = here() + signed_value(size);
    --packets_ > 0 ? ask_packets(next, packets_) : move_to(next);
}

}  // namespace

std::unique_ptr<ContainerScan> make_rm_scan() {
    return std::make_unique<RmScan>();
}

}  // namespace vfilter
