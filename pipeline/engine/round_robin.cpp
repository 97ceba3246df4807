#include "pipeline/engine/round_robin.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "config/error.h"

namespace vfilter {

RoundRobinEngine::RoundRobinEngine(std::vector<std::unique_ptr<FilterEngine>> engines) {
    for (std::unique_ptr<FilterEngine>& engine : engines) {
        members_.push_back({std::move(engine)});
    }
}

void RoundRobinEngine::submit(Frame frame) {
    Member& member = members_[next_];
    next_ = (next_ + 1) % members_.size();
    ++member.pictures;
    member.engine->submit(std::move(frame));
}

Frame RoundRobinEngine::take() {
    Member& member = members_[oldest_];
    oldest_ = (oldest_ + 1) % members_.size();
    return member.engine->take();
}

std::size_t RoundRobinEngine::in_flight() const {
    std::size_t sum = 0;
    for (const Member& member : members_) {
        sum += member.engine->in_flight();
    }
    return sum;
}

// In turn all get as much as the one that holds least.
std::size_t RoundRobinEngine::slots() const {
    std::size_t least = members_.front().engine->slots();
    for (const Member& member : members_) {
        least = std::min(least, member.engine->slots());
    }
    return least * members_.size();
}

std::vector<int> RoundRobinEngine::gpus() const {
    std::vector<int> all;
    for (const Member& member : members_) {
        const std::vector<int> own = member.engine->gpus();
        if (own.empty() || !member.engine->takes_from_others()) {
            return {};
        }
        all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}

std::string RoundRobinEngine::name() const {
    std::string text;
    for (const Member& member : members_) {
        text += (text.empty() ? "" : " + ") + member.engine->name();
    }
    return text;
}

std::vector<std::string> RoundRobinEngine::kernels() const {
    std::vector<std::string> kernels;
    for (const Member& member : members_) {
        for (std::string& kernel : member.engine->kernels()) {
            if (&member == &members_.front() || std::ranges::find(kernels, kernel) == kernels.end()) {
                kernels.push_back(std::move(kernel));
            }
        }
    }
    return kernels;
}

EngineCounters RoundRobinEngine::counters() const {
    EngineCounters sum;
    for (const Member& member : members_) {
        const EngineCounters own = member.engine->counters();
        sum.device_bytes += own.device_bytes;
        sum.device_allocations += own.device_allocations;
        sum.pageable_pictures += own.pageable_pictures;
        sum.launches += own.launches;
        sum.uploads += own.uploads;
        sum.downloads += own.downloads;
        sum.resident += own.resident;
        sum.crossings += own.crossings;
        sum.shares.push_back({member.engine->name(), member.pictures});
    }
    return sum;
}

std::vector<StepCount> RoundRobinEngine::step_counts() const {
    std::vector<StepCount> sum = members_.front().engine->step_counts();
    for (std::size_t i = 1; i < members_.size(); ++i) {
        add(sum, members_[i].engine->step_counts());
    }
    return sum;
}

std::string DeviceGroup::note() const {
    const std::lock_guard lock(mutex_);
    return note_;
}

bool DeviceGroup::fails(std::size_t number) const {
    const std::lock_guard lock(mutex_);
    return fails_[number];
}

std::vector<int> DeviceGroup::gpus() const {
    std::vector<int> all;
    for (std::size_t i = 0; i < devices_.size(); ++i) {
        const std::vector<int> own = fails(i) ? std::vector<int>{} : devices_[i]->gpus();
        all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}

std::unique_ptr<FilterEngine> DeviceGroup::make_engine(const std::vector<FilterSpec>& filters,
                                                       const PictureFormat& format, FramePool& pool,
                                                       Trace* trace) const {
    const bool first_alone = look_in_time(filters);
    std::vector<std::unique_ptr<FilterEngine>> engines;
    for (std::size_t i = 0; i < devices_.size() && !(first_alone && !engines.empty()); ++i) {
        if (fails(i)) {
            continue;
        }
        try {
            engines.push_back(devices_[i]->make_engine(filters, format, pool, trace));
        } catch (const Error& error) {
            const bool last = i + 1 == devices_.size() && engines.empty();
            if (wanted_ == Wanted::all || error.code() != ExitCode::device || last) {
                throw;
            }
            const std::lock_guard lock(mutex_);
            fails_[i] = true;
            note_ += fmt::format("{}a GPU is left out: {}", note_.empty() ? "" : "; ", error.what());
        }
    }
    return engines.size() == 1 ? std::move(engines.front()) : std::make_unique<RoundRobinEngine>(std::move(engines));
}

}  // namespace vfilter
