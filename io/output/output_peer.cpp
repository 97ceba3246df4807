#include "io/output/output_peer.h"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "io/log/complaints.h"
#include "io/log/unknown_hosts.h"

namespace vfilter {

namespace {

// A connection that held so long was a good one: tries are counted anew.
constexpr std::chrono::seconds time_to_trust{10};

}  // namespace

OutputPeer::OutputPeer(std::string path, int reconnect, Waiting waiting)
    : path_(std::move(path)), retries_(reconnect), waiting_(std::move(waiting)), sink_(*sink_of(path_)) {}

OutputPeer::~OutputPeer() {
    disconnect();
}

int OutputPeer::interrupted(void* self) {
    return static_cast<OutputPeer*>(self)->wait_is_over() ? 1 : 0;
}

// As long as this asks, nothing hangs: how long may be waited is its own business.
bool OutputPeer::asks_to_end() const {
    if (waiting_.beat) {
        waiting_.beat();
    }
    return waiting_.given_up && waiting_.given_up();
}

bool OutputPeer::wait_is_over() {
    const Clock::duration now = attended_.look();
    // Large packets go out in pieces.
    if (const std::int64_t place = context_ != nullptr ? avio_tell(context_) : 0; place != place_) {
        place_ = place;
        since_ = now;
        taken_ = Clock::now();
    }
    silent_ = silent_ || (waiting_.most_seconds > 0 &&
                          std::chrono::duration<double>(now - since_).count() > waiting_.most_seconds);
    return asks_to_end() || silent_;
}

void OutputPeer::note_connected() {
    connected_ = Clock::now();
}

void OutputPeer::begin_sending() {
    since_ = attended_.look();
    taken_ = Clock::now();
}

std::string OutputPeer::why_lost(int error) const {
    return silent_ && error == AVERROR_EXIT ? fmt::format("nothing was taken for {:g} s", waiting_.most_seconds)
                                            : av_message(error);
}

void OutputPeer::set_options(Dictionary& settings) const {
    for (const SourceSetting& setting : sink_.settings) {
        if (!setting.key.empty()) {
            settings.set(std::string(setting.key), std::string(setting.value));
        }
    }
}

void OutputPeer::connect(AVFormatContext& muxer) {
    silent_ = false;
    begin_sending();
    muxer.interrupt_callback = {&OutputPeer::interrupted, this};
    if (sink_.kind == Sink::Kind::announced) {
        av_freep(&muxer.url);
        av_freep(&muxer.protocol_whitelist);
        muxer.url = av_strdup(path_.c_str());
        muxer.protocol_whitelist = av_strdup(std::string(sink_.protocols).c_str());
        if (muxer.url == nullptr || muxer.protocol_whitelist == nullptr) {
            throw std::bad_alloc();
        }
        return;
    }
    disconnect();
    Dictionary settings;
    settings.set("protocol_whitelist", std::string(sink_.protocols));
    if (!sink_.protocol_setting.key.empty()) {
        settings.set(std::string(sink_.protocol_setting.key), std::string(sink_.protocol_setting.value));
    }
    const ThreadComplaints heard;
    const int opened = avio_open2(&context_, path_.c_str(), AVIO_FLAG_WRITE, &muxer.interrupt_callback, settings.get());
    if (opened < 0) {
        const std::string unknown = unknown_host(heard.all());
        throw PeerAway(unknown.empty() ? why_lost(opened) : unknown);
    }
    muxer.pb = context_;
    muxer.flags |= AVFMT_FLAG_CUSTOM_IO;
}

bool OutputPeer::wait_for_another_try(const std::string& why) {
    disconnect();
    if (connected_ && (silent_ ? taken_ : Clock::now()) - *connected_ > time_to_trust) {
        retries_.forget();
    }
    connected_.reset();
    return retries_.left() &&
           retries_.wait(fmt::format("{}: {}", name(), why), "tried", [this] { return asks_to_end(); });
}

void OutputPeer::disconnect() {
    avio_closep(&context_);
}

}  // namespace vfilter
