#include "io/output/peer_session.h"

#include <fmt/format.h>

#include <cstddef>
#include <utility>

#include "io/log/unknown_hosts.h"
#include "io/source.h"

namespace vfilter {

namespace {

// What FFmpeg said last, of whatever object, without the object's name and address.
std::string last_of(const std::vector<std::string>& lines) {
    std::string line = lines.empty() ? "" : lines.back();
    const std::size_t address = line.find(" @ 0x");
    const std::size_t end = line.find("] ", address);
    return line.starts_with('[') && end != std::string::npos ? line.substr(end + 2) : line;
}

}  // namespace

PeerSession::PeerSession(OutputPeer& peer, Output output) : peer_(peer), output_(std::move(output)) {}

void PeerSession::begin() {
    try {
        output_.write_header();
    } catch (const PeerAway& away) {
        connect_again(away.what(), Sent::nothing);
    }
}

void PeerSession::begin_again(std::string why) {
    connect_again(std::move(why), Sent::something);
    awaits_key_frame_ = true;
}

// Where nothing was sent before, also what other tries would not mend is thrown.
void PeerSession::connect_again(std::string why, Sent before) {
    const std::string name = peer_.name() + ": ";
    while (peer_.wait_for_another_try(why)) {
        output_.repeat();
        try {
            output_.write_header();
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

void PeerSession::prepare(AVFormatContext& muxer, Dictionary& settings) {
    peer_.connect(muxer);
    peer_.set_options(settings);
    muxer.flags |= AVFMT_FLAG_FLUSH_PACKETS;
}

void PeerSession::tell_refused_header(int error, bool of_streams, const std::vector<std::string>& heard,
                                      const std::string& complaint) const {
    if (const std::string unknown = unknown_host(heard); !unknown.empty()) {
        throw PeerAway(unknown);
    }
    if (!of_streams) {
        throw PeerAway(peer_.why_lost(error));
    }
    if (peer_.muxer_connects()) {
        // What describes the streams is an object of its own. What a server says goes by numbers that libavformat has
        // no words for.
        const std::string why = complaint.empty() ? last_of(heard) : complaint;
        throw Error(ExitCode::output,
                    fmt::format("{}: {}", peer_.name(), why.empty() ? av_message(error) : shown_name(why)));
    }
}

bool PeerSession::passes(const AVPacket& packet, bool video) {
    awaits_key_frame_ = awaits_key_frame_ && !(video && (packet.flags & AV_PKT_FLAG_KEY) != 0);
    lost_ += awaits_key_frame_ ? 1 : 0;
    return !awaits_key_frame_;
}

}  // namespace vfilter
