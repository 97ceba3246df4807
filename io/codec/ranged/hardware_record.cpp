#include "io/codec/ranged/hardware_record.h"

#include <spdlog/spdlog.h>

namespace vfilter {

void HardwareRecord::made() {
    const std::lock_guard lock(mutex_);
    ++sessions_;
}

bool HardwareRecord::not_made(const std::string& why) {
    const std::lock_guard lock(mutex_);
    if (sessions_ > 0) {
        most_ = sessions_;
        spdlog::debug("no more than {} sessions: {}", sessions_, why);
        return false;
    }
    given_up_ = why;
    return true;
}

void HardwareRecord::succeeded() {
    const std::lock_guard lock(mutex_);
    failures_ = 0;
}

void HardwareRecord::left_to_cpu(const std::string& why, bool failed) {
    const std::lock_guard lock(mutex_);
    if (on_cpu_ == 0) {
        why_on_cpu_ = why;
        spdlog::info("a part of the video is decoded on the CPU: {}", why);
    } else {
        spdlog::debug("range decoded on the CPU: {}", why);
    }
    ++on_cpu_;
    if (failed && ++failures_ >= most_failures_ && !given_up_) {
        given_up_ = why;
        spdlog::info("the rest of the video is decoded on the CPU, as hardware failed {} times in a row", failures_);
    }
}

std::optional<std::string> HardwareRecord::given_up() const {
    const std::lock_guard lock(mutex_);
    return given_up_;
}

int HardwareRecord::sessions() const {
    const std::lock_guard lock(mutex_);
    return sessions_;
}

int HardwareRecord::most_sessions() const {
    const std::lock_guard lock(mutex_);
    return most_;
}

void HardwareRecord::tell(DecodeFacts& facts) const {
    const std::lock_guard lock(mutex_);
    facts.sessions = sessions_;
    facts.on_cpu = on_cpu_;
    facts.why_on_cpu = why_on_cpu_;
}

}  // namespace vfilter
