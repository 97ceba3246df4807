#include "io/output/output_peer.h"

#include <fmt/format.h>

#include <new>
#include <utility>

#include "config/error.h"

namespace vfilter {

namespace {

// A connection that held so long was a good one: tries are counted anew.
constexpr std::chrono::seconds time_to_trust{10};

}  // namespace

OutputPeer::OutputPeer(std::string path, int reconnect, std::function<bool()> given_up)
    : path_(std::move(path)), retries_(reconnect), given_up_(std::move(given_up)), sink_(*sink_of(path_)) {}

OutputPeer::~OutputPeer() {
    disconnect();
}

int OutputPeer::interrupted(void* self) {
    const auto& peer = *static_cast<const OutputPeer*>(self);
    return peer.given_up_ && peer.given_up_() ? 1 : 0;
}

void OutputPeer::set_options(Dictionary& settings) const {
    for (const SourceSetting& setting : sink_.settings) {
        if (!setting.key.empty()) {
            settings.set(std::string(setting.key), std::string(setting.value));
        }
    }
}

void OutputPeer::connect(AVFormatContext& muxer) {
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
    const int opened = avio_open2(&context_, path_.c_str(), AVIO_FLAG_WRITE, &muxer.interrupt_callback, settings.get());
    if (opened < 0) {
        throw Error(ExitCode::output, fmt::format("{}: {}", name(), av_message(opened)));
    }
    muxer.pb = context_;
    muxer.flags |= AVFMT_FLAG_CUSTOM_IO;
}

bool OutputPeer::wait_for_another_try(const std::string& why) {
    using Clock = std::chrono::steady_clock;
    disconnect();
    if (Clock::now() - connected_ > time_to_trust) {
        retries_.forget();
    }
    connected_ = Clock::now();
    if (!retries_.left()) {
        return false;
    }
    const auto stop = [this] { return given_up_ && given_up_(); };
    return retries_.wait(fmt::format("{}: {}", name(), why), "tried", stop);
}

void OutputPeer::disconnect() {
    avio_closep(&context_);
}

}  // namespace vfilter
