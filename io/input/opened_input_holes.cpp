#include <fmt/format.h>

#include <span>

#include "io/demuxers.h"
#include "io/input/lost_fragments.h"
#include "io/input/opened_input.h"
#include "io/source.h"

namespace vfilter {

void OpenedInput::bridge_lost_fragments(const AVInputFormat& format) {
    if (!bytes_->seekable() || is_live(options_) || !demuxer_facts(format).has(input_fact::movie)) {
        return;
    }
    auto read = [this](std::int64_t offset, std::span<std::uint8_t> to) { return bytes_->read_at(offset, to); };
    bytes_->change([lost = LostFragments(read, bytes_->size(), interrupted_)](
                       std::int64_t offset, std::span<std::uint8_t> bytes) mutable { lost.bridge(offset, bytes); });
}

// Some demuxers give up in the middle of a file, where they find no beginning of something within some bytes, and look
// on from there when they are asked again. True as long as that comes to bytes that were not read yet.
bool OpenedInput::goes_on_behind(int error) {
    if (!bytes_ || error == AVERROR_EOF || error == AVERROR_EXIT || error == AVERROR(ENOMEM) || interrupted_() ||
        format_->pb->error < 0 || avio_feof(format_->pb) != 0) {
        return false;
    }
    const std::int64_t at = avio_tell(format_->pb);
    if (at <= given_up_) {
        return false;
    }
    given_up_ = at;
    if (!std::exchange(in_hole_, true)) {  // a few bytes further on it may give up again
        ++met_.packets;
        met_.note(fmt::format("reading, at byte {}: {}", at, av_message(error)));
    }
    return true;
}

}  // namespace vfilter
