// What a muxer does about an address: one that is not there yet, that goes away, and that comes back.

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstddef>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "io/log/complaints.h"
#include "io/log/unknown_hosts.h"
#include "io/output/muxer.h"
#include "io/output/output_streams.h"
#include "io/source.h"

namespace vfilter {

// Whether an error is a packet's own, and neither of the file, nor of memory, nor of a connection.
bool Muxer::is_packets_fault(int error) const {
    constexpr int others[] = {AVERROR(ENOMEM), AVERROR(ENOSPC),     AVERROR(EIO),          AVERROR(EPIPE),
                              AVERROR_EOF,     AVERROR(ECONNRESET), AVERROR(ECONNREFUSED), AVERROR(ETIMEDOUT),
                              AVERROR_EXIT,    AVERROR(ENOTCONN),   AVERROR(EHOSTUNREACH), AVERROR(ENETUNREACH)};
    if (std::ranges::find(others, error) != std::end(others)) {
        return false;
    }
    if (peer_ == nullptr) {
        return true;
    }
    if (format_->pb != nullptr) {
        return format_->pb->error >= 0;  // once it has failed, FFmpeg sends nothing more through it
    }
    // The connections are the muxer's own. Of packets it speaks in FFmpeg's numbers, and in this one of the system's.
    constexpr int largest_errno = 4095;
    return error < -largest_errno || error == AVERROR(EINVAL);
}

void Muxer::begin_sending() {
    if (peer_ != nullptr) {
        peer_->begin_sending();
    }
}

// Since the address came back nobody there can show anything before a key frame.
bool Muxer::passes_gap(const AVPacket& packet) {
    const bool video = video_packets_.contains(packet.stream_index);
    awaits_key_frame_ = awaits_key_frame_ && !(video && (packet.flags & AV_PKT_FLAG_KEY) != 0);
    lost_packets_ += awaits_key_frame_ ? 1 : 0;
    return !awaits_key_frame_;
}

// The first header of all. An address may come later than we do.
void Muxer::begin_output() {
    try {
        write_header();
    } catch (const PeerAway& away) {
        connect_again(away.what(), Sent::nothing);
    }
}

// An address that was lost: the header again, and then whatever can be shown.
void Muxer::begin_again(int error) {
    const std::string why = peer_->why_lost(error);
    while (const PacketPtr packet = interleaver_ ? interleaver_->next(true) : nullptr) {
        ++lost_packets_;
        ++settled_[packet->stream_index];
    }
    if (peer_->muxer_connects()) {
        av_write_trailer(format_.get());  // its connections are its own, and would be left open
    }
    connect_again(why, Sent::something);
    take_turns();
    awaits_key_frame_ = true;
}

// Throws Error(output) where that is in vain, or nobody waits for it; where nothing was sent before, also what other
// tries would not mend.
void Muxer::connect_again(std::string why, Sent before) {
    const std::string name = peer_->name() + ": ";
    while (peer_->wait_for_another_try(why)) {
        repeat_output();
        try {
            write_header();
            return;
        } catch (const PeerAway& away) {
            why = away.what();
        } catch (const Error& failure) {
            if (before == Sent::nothing) {
                throw;
            }
            why = failure.what();
            why.erase(0, why.starts_with(name) ? name.size() : 0);
        }
    }
    throw Error(ExitCode::output, name + why);
}

// A context into which a header can be written, with everything that the old one has.
void Muxer::repeat_output() {
    OutputContextPtr again = make_output(*format_->oformat);
    again->io_open = format_->io_open;
    again->flags |= format_->flags & AVFMT_FLAG_BITEXACT;
    again->max_interleave_delta = format_->max_interleave_delta;
    repeat_streams(*format_, *again);
    copy_chapters(input_, *again, options_.strip);
    complaints_.listen(again.get());
    std::swap(format_, again);
    complaints_.forget(again.get());
    times_->go_on_in(*format_);
}

namespace {

// What FFmpeg said last, of whatever object, without the object's name and address.
std::string last_of(const std::vector<std::string>& lines) {
    std::string line = lines.empty() ? "" : lines.back();
    const std::size_t address = line.find(" @ 0x");
    const std::size_t end = line.find("] ", address);
    return line.starts_with('[') && end != std::string::npos ? line.substr(end + 2) : line;
}

}  // namespace

// A header that was refused: by the muxer, or by the other side. `heard` is what FFmpeg said meanwhile.
void Muxer::tell_refused_header(int error, const std::vector<std::string>& heard) const {
    if (file_ != nullptr) {
        file_->check();
    }
    if (const std::string unknown = unknown_host(heard); peer_ != nullptr && !unknown.empty()) {
        throw PeerAway(unknown);
    }
    if (peer_ != nullptr && !is_packets_fault(error)) {
        throw PeerAway(peer_->why_lost(error));
    }
    std::string why = complaints_.latest();
    if (peer_ != nullptr && peer_->muxer_connects()) {
        why = why.empty() ? last_of(heard) : why;  // what describes the streams is an object of its own
        // What a server says goes by numbers that libavformat has no words for.
        throw Error(ExitCode::output,
                    fmt::format("{}: {}", peer_->name(), why.empty() ? av_message(error) : shown_name(why)));
    }
    throw Error(ExitCode::output, fmt::format("{} cannot hold these streams: {}", format_->oformat->name,
                                              why.empty() ? av_message(error) : why));
}

}  // namespace vfilter
