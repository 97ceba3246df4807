// RealMedia: chunks with a name and a size, and numbered packets in those of data.

#include <algorithm>

#include "io/bitstream/bytes.h"
#include "io/input/evidence/behind_end.h"
#include "io/input/evidence/scans.h"

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

class RmScan final : public ContainerScan {
public:
    [[nodiscard]] Wish wish() const override { return {at_, want_}; }
    void take(Bytes bytes) override {
        if (behind_end_) {
            look_behind(bytes);
        } else if (packets_ > 0) {
            packet(bytes);
        } else {
            chunk(bytes);
        }
    }
    void end(std::int64_t size) override {
        if (at_ > size && !behind_end_) {
            fault(size, "the file ends before its chunks do");
        }
        if (behind_.matters()) {
            fault(behind_.at(), read_behind);
        }
    }

private:
    void chunk(Bytes bytes);
    void packet(Bytes bytes);
    void look_behind(Bytes bytes) {
        want_ = behind_.read(at_, bytes) && bytes.size() == want_ ? search_window : 0;
        at_ += signed_value(bytes.size());
    }

    std::int64_t at_ = 0;
    std::size_t want_ = rm_head;
    std::uint64_t packets_ = 0;  // that are still to come
    std::int64_t data_end_ = 0;  // by the size of the chunk
    bool met_data_ = false;
    bool behind_end_ = false;
    BehindEnd behind_;
};

void RmScan::chunk(Bytes bytes) {
    const auto name = static_cast<std::uint32_t>(big_endian(bytes, 0, 4));
    const std::uint64_t size = big_endian(bytes, 4, 4);
    if (bytes.size() < chunk_name || (!met_data_ && size < chunk_name)) {
        want_ = 0;
        return;
    }
    if (std::ranges::find(rm_chunks, name) == std::end(rm_chunks) || size < chunk_name) {
        if (at_ + signed_value(big_endian(bytes, 2, 2)) <= data_end_ && is_rm_packet(bytes)) {
            packets_ = 1;  // one more than were counted
        } else if (met_data_) {
            // The demuxer goes on to look for packets.
            behind_end_ = true;
            behind_.begin(at_);
            want_ = search_window;
        } else {
            want_ = 0;
        }
        return;
    }
    if (name != mark("DATA")) {
        at_ += signed_value(size);
        return;
    }
    packets_ = big_endian(bytes, 10, 4);
    if (packets_ == 0 || size < rm_head) {
        want_ = 0;  // live, nobody came back to write it
        return;
    }
    met_data_ = true;
    data_end_ = at_ + signed_value(size);
    at_ += signed_value(rm_head);
}

void RmScan::packet(Bytes bytes) {
    const std::uint64_t size = big_endian(bytes, 2, 2);
    if (bytes.size() < least_packet) {
        fault(at_, "the file ends inside of a packet");
        want_ = 0;
        return;
    }
    if (!is_rm_packet(bytes)) {
        fault(at_, "no packet where one should begin");
        packets_ = 0;
        at_ = std::max(at_ + 1, data_end_);
        return;
    }
    --packets_;
    at_ += signed_value(size);
}

}  // namespace

std::unique_ptr<ContainerScan> make_rm_scan() {
    return std::make_unique<RmScan>();
}

}  // namespace vfilter
