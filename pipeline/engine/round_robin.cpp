#include "pipeline/engine/round_robin.h"

#include <algorithm>
#include <utility>

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

std::vector<int> DeviceGroup::gpus() const {
    std::vector<int> all;
    for (const auto& device : devices_) {
        const std::vector<int> own = device->gpus();
        all.insert(all.end(), own.begin(), own.end());
    }
    return all;
}

std::unique_ptr<FilterEngine> DeviceGroup::make_engine(const std::vector<FilterSpec>& filters,
                                                       const PictureFormat& format, FramePool& pool,
                                                       Trace* trace) const {
    if (look_in_time(filters)) {
        return devices_.front()->make_engine(filters, format, pool, trace);
    }
    std::vector<std::unique_ptr<FilterEngine>> engines;
    engines.reserve(devices_.size());
    for (const auto& device : devices_) {
        engines.push_back(device->make_engine(filters, format, pool, trace));
    }
    return std::make_unique<RoundRobinEngine>(std::move(engines));
}

}  // namespace vfilter
