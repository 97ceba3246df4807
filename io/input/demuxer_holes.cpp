#include "io/input/demuxer_holes.h"

#include <fmt/format.h>

#include <utility>

namespace vfilter {

bool DemuxerHoles::go_on(AVIOContext& bytes, int error, Damage& damage) {
    if (bytes.error < 0 || avio_feof(&bytes) != 0) {
        return false;
    }
    const std::int64_t at = avio_tell(&bytes);
    if (at <= given_up_) {
        return false;
    }
    given_up_ = at;
    if (!std::exchange(in_hole_, true)) {  // a few bytes further on it may give up again
        ++damage.packets;
        damage.note(fmt::format("reading, at byte {}: {}", at, av_message(error)));
    }
    return true;
}

}  // namespace vfilter
