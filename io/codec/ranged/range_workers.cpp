#include "io/codec/ranged/range_workers.h"

#include <fmt/format.h>

#include <system_error>
#include <utility>

#include "config/error.h"

namespace vfilter {

RangeWorkers::RangeWorkers(RangeQueue& queue, HardwareRecord& hardware, DecodingSetup setup, FramePool& pool,
                           RangeSessionMakers make)
    : work_{.queue = queue, .hardware = hardware, .setup = std::move(setup), .pool = pool, .make = std::move(make)} {}

RangeWorkers::~RangeWorkers() {
    work_.queue.stop();
    for (std::thread& thread : threads_) {
        thread.join();
    }
    if (beside_.joinable()) {
        beside_.join();
    }
}

void RangeWorkers::warm_up_with(const AVPacket& closed_entry) {
    work_.closed_entry = reference_to(closed_entry);
}

void RangeWorkers::help(std::int64_t ranges) {
    if (ranges <= work_.starting || threads_.size() >= static_cast<std::size_t>(work_.hardware.most_sessions())) {
        return;
    }
    const auto start = [this](Made kind) { return std::thread([this, kind] { RangeWorker(work_, kind).run(); }); };
    threads_.reserve(threads_.size() + 1);  // no memory is no reason to lose a thread that runs
    ++work_.starting;
    try {
        if (work_.make.beside && !beside_.joinable()) {
            beside_ = start(Made::beside_it);
        }
        threads_.push_back(start(Made::by_hardware));
    } catch (const std::system_error& error) {
        --work_.starting;
        if (threads_.empty()) {
            throw Error(ExitCode::internal, fmt::format("no thread for a decoder: {}", error.what()));
        }
    }
}

}  // namespace vfilter
