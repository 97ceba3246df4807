#include "io/input/stream_watch.h"

#include <spdlog/spdlog.h>

#include <utility>

#include "config/error.h"
#include "io/stream_facts.h"

namespace vfilter {

void StreamWatch::ignore(int stream) {
    const std::lock_guard lock(mutex_);
    ignored_.insert(stream);
}

bool StreamWatch::has_use_for(const AVStream& stream, int place) const {
    if ((kind_of(stream) & kinds_) == 0) {
        return false;
    }
    const std::lock_guard lock(mutex_);
    return !ignored_.contains(place);
}

void StreamWatch::tell(std::string what, Damage& damage) const {
    if (!strict_) {
        spdlog::warn("{}", what);
    }
    note(std::move(what), damage);
}

void StreamWatch::note(std::string what, Damage& damage) const {
    if (strict_) {
        throw Error(ExitCode::damaged, what + "; --strict was given");
    }
    damage.note(std::move(what));
}

}  // namespace vfilter
