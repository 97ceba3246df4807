#include "io/input/stream_watch.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "config/error.h"
#include "io/stream_facts.h"

namespace vfilter {

bool StreamWatch::wants(const AVStream& stream) const {
    return (kind_of(stream) & kinds_) != 0;
}

void StreamWatch::add(int stream, const Damage& loss) {
    const std::lock_guard lock(mutex_);
    if (!settled_) {
        early_[stream] += loss;
    } else if (!unused_.contains(stream)) {
        report(loss);
    }
}

void StreamWatch::settle(std::set<int> unused) {
    const std::lock_guard lock(mutex_);
    settled_ = true;
    unused_ = std::move(unused);
    for (const auto& [stream, loss] : std::exchange(early_, {})) {
        if (!unused_.contains(stream)) {
            report(loss);
        }
    }
}

void StreamWatch::report(const Damage& loss) {
    for (const std::string& what : loss.notes) {
        if (strict_) {
            throw Error(ExitCode::damaged, what + "; --strict was given");
        }
        if (aloud_) {
            spdlog::warn("{}", what);
        }
    }
    damage_ += loss;
}

Damage StreamWatch::take() {
    const std::lock_guard lock(mutex_);
    return std::exchange(damage_, {});
}

void StreamWatch::forget() {
    const std::lock_guard lock(mutex_);
    early_.clear();
    damage_ = {};
}

}  // namespace vfilter
