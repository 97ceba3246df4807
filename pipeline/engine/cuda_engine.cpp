#include "pipeline/engine/cuda_engine.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <utility>

#include "pipeline/engine/cuda_pictures.h"

namespace vfilter {

namespace {

constexpr double mebibyte = 1024.0 * 1024.0;
// Longer than a 1080p picture's copies take, shorter than a 2160p one's.
constexpr std::chrono::microseconds patience{150};

}  // namespace

CudaEngine::CudaEngine(const std::vector<FilterSpec>& filters, const PictureFormat& format, FramePool& pool, int device,
                       int streams, Trace* trace)
    : format_(format), pool_(pool), device_(device), layouts_(plane_layouts(format)) {
    cudaDeviceProp properties{};
    start_check(cudaSetDevice(device_), "cudaSetDevice");
    start_check(cudaGetDeviceProperties(&properties, device_), "cudaGetDeviceProperties");
    device_name_ = properties.name;
    try {
        make_steps(filters);
    } catch (const CudaError& error) {
        throw Error(ExitCode::device, error.what());
    }
    std::vector<PlaneLayout> active;
    for (const int plane : active_) {
        active.push_back(layouts_[static_cast<std::size_t>(plane)]);
    }
    images_ = ImageLayouts(std::move(active));
    make_slots(streams, trace != nullptr);
    warm_up();
    if (trace != nullptr) {
        trace_.emplace(*trace, device_, slots_);
    }
}

CudaEngine::~CudaEngine() {
    cudaSetDevice(device_);
    for (const CudaSlot& slot : slots_) {
        // Nothing may still be copied from or to a picture that goes home.
        if (const cudaError_t result = cudaStreamSynchronize(slot.stream.get()); result != cudaSuccess) {
            spdlog::debug("cudaStreamSynchronize: {}", cudaGetErrorString(result));
        }
    }
}

void CudaEngine::make_steps(const std::vector<FilterSpec>& filters) {
    std::vector<bool> touched(layouts_.size());
    for (const FilterSpec& filter : filters) {
        CudaStep step(make_step(filter, format_), layouts_);
        bool any = false;
        for (std::size_t i = 0; i < layouts_.size(); ++i) {
            const bool own = step.filters(static_cast<int>(i));
            touched[i] = touched[i] || own;
            any = any || own;
        }
        numbers_.push_back(any ? std::optional(steps_.size()) : std::nullopt);
        if (any) {
            if (step.window() != TimeReach{}) {
                windowed_.push_back(steps_.size());
            }
            steps_.push_back(std::move(step));
        }
    }
    std::vector<TimeReach> reaches;
    for (const std::size_t step : windowed_) {
        reaches.push_back(steps_[step].window());
    }
    legs_ = WindowLegs(reaches);
    turns_.resize(steps_.size());
    for (std::size_t i = 0; i < touched.size(); ++i) {
        if (touched[i]) {
            active_.push_back(static_cast<int>(i));
        }
    }
}

EngineCounters CudaEngine::counters() const {
    EngineCounters counters = counters_;
    for (const CudaStep& step : steps_) {
        counters.device_bytes += static_cast<std::int64_t>(step.borrowed_bytes() + step.device_bytes());
        counters.device_allocations += step.allocations();
    }
    for (const CudaSlot& slot : slots_) {
        for (const CudaWeights& weights : slot.weights) {
            counters.device_bytes += static_cast<std::int64_t>(weights.device_bytes());
            counters.device_allocations += weights.allocations();
        }
    }
    return counters;
}

std::vector<StepCount> CudaEngine::step_counts() const {
    std::vector<StepCount> counts;
    for (const std::optional<std::size_t>& number : numbers_) {
        counts.push_back(number ? steps_[*number].count() : StepCount{});
    }
    return counts;
}

// As many as there is memory for, but at least half of the streams, and what windows keep besides.
void CudaEngine::make_slots(int streams, bool traced) {
    const std::size_t image_count = CudaSlot::image_count(windows());
    const std::size_t slot_bytes = image_count * images_.image_bytes();
    const auto slots = [&](int count) { return count + static_cast<int>(legs_.pictures_kept()); };
    const auto need = [&](int count) { return static_cast<double>(slot_bytes) * slots(count) / mebibyte; };
    for (int count = streams;; count = (count + 1) / 2) {
        std::size_t free_bytes = 0;
        std::size_t total_bytes = 0;
        start_check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
        spdlog::debug("cuda:{} {}: {} streams need {:.0f} MiB of the {:.0f} MiB that are free", device_, device_name_,
                      count, need(count), static_cast<double>(free_bytes) / mebibyte);
        try {
            for (int i = 0; i < slots(count); ++i) {
                slots_.emplace_back(images_.image_bytes(), windows(), traced).weights.resize(steps_.size());
            }
            counters_.device_allocations += slots(count) * static_cast<std::int64_t>(image_count);
            counters_.device_bytes += slots(count) * static_cast<std::int64_t>(slot_bytes);
            return;
        } catch (const CudaError& error) {
            slots_.clear();
            cudaGetLastError();
            if (error.code() != cudaErrorMemoryAllocation || count < streams || count == 1) {
                throw Error(ExitCode::device,
                            fmt::format("cuda:{} {} has {:.0f} MiB free, and {:.0f} MiB are needed for {} streams ({})",
                                        device_, device_name_, static_cast<double>(free_bytes) / mebibyte, need(count),
                                        count, cudaGetErrorName(error.code())));
            }
            spdlog::warn("cuda:{} {} has no {:.0f} MiB free for {} streams: {} are tried", device_, device_name_,
                         need(count), count, (count + 1) / 2);
        }
    }
}

// A kernel's code is loaded when it is first launched: rather now than between the first pictures.
void CudaEngine::warm_up() {
    CudaSlot& slot = slots_.front();
    const EngineCounters before = counters_;
    slot.to = images_.packed();
    slot.begin_at(slot.image(0), slot.to);
    try {
        CudaWeights none;
        for (std::size_t i = 0; i < steps_.size(); ++i) {
            turns_[i] = steps_[i].first_turn(none, slot.stream.get());
        }
        for (std::size_t i = 0; i <= windows(); ++i) {
            // Of a video of one picture.
            WindowLegs::Turn turn;
            if (i > 0) {
                const auto neighbours = static_cast<std::size_t>(steps_[windowed_[i - 1]].window().neighbours());
                turn = {i - 1, 0, std::vector<std::int64_t>(neighbours)};
            }
            launch(slot, leg(i), i == 0 ? nullptr : &turn);
            if (i < windows()) {
                keep_for_window(slot, i);
            }
        }
        cuda_check(cudaStreamSynchronize(slot.stream.get()), "cudaStreamSynchronize");
    } catch (const CudaError& error) {
        throw Error(
            ExitCode::device,
            error.code() == cudaErrorMemoryAllocation
                ? fmt::format("cuda:{} {} has no memory left for what the filters borrow", device_, device_name_)
                : fmt::format("cuda:{} {} cannot run the filters: {}", device_, device_name_, error.what()));
    } catch (const Error& error) {
        throw Error(ExitCode::device, error.what());
    }
    counters_ = before;
}

std::string CudaEngine::name() const {
    return fmt::format("cuda:{} {} ({} stream{})", device_, device_name_, slots_.size(), slots_.size() == 1 ? "" : "s");
}

std::vector<std::string> CudaEngine::kernels() const {
    std::vector<std::string> kernels;
    for (const CudaStep& step : steps_) {
        kernels.push_back(step.kernel());
    }
    return kernels;
}

// `turn` is that of the first step, if it is one with time. Throws CudaError.
void CudaEngine::launch(CudaSlot& slot, Steps steps, const WindowLegs::Turn* turn) {
    std::array<std::array<NeighbourPlane, max_neighbours>, CudaFilter::max_planes> windows;
    for (std::size_t i = steps.first; i < steps.last; ++i) {
        const CudaStep& step = steps_[i];
        if (!turns_[i].works) {
            continue;
        }
        const bool looks = turn != nullptr && i == steps.first;
        std::array<CudaStep::Rows, CudaFilter::max_planes> planes;
        std::size_t count = 0;
        for (std::size_t n = 0; n < active_.size(); ++n) {
            if (!step.filters(active_[n])) {
                continue;
            }
            const std::span window(windows.at(n).data(), looks ? turn->neighbours.size() : 0);
            for (std::size_t k = 0; k < window.size(); ++k) {
                const PlaneAt& seen = slot_of(turn->neighbours[k]).windowed[turn->leg][n];
                window[k] = {seen.data, seen.pitch};
            }
            CudaSlot::Plane& plane = slot.planes[n];
            const int image = slot.free_image(plane);
            const PlaneAt made{slot.image(image) + slot.to.offsets[n], slot.to.pitches[n]};
            planes.at(count++) = {active_[n], plane.at.data, plane.at.pitch, made.data, made.pitch, window};
            plane = {made, image, plane.kept, false};
        }
        counters_.launches += step.launch(turns_[i], {planes.data(), count}, slot.fields, slot.stream.get());
    }
}

// What the steps do to the slot's picture. False if they leave it as it is.
bool CudaEngine::take_turns(CudaSlot& slot, Steps steps) {
    bool any = false;
    for (std::size_t i = steps.first; i < steps.last; ++i) {
        try {
            turns_[i] = steps_[i].turn(slot.time, slot.fields, slot.weights[i], slot.stream.get());
        } catch (const CudaError& error) {
            fail_while_running(error);
        }
        any = any || turns_[i].works;
    }
    return any;
}

void CudaEngine::submit(Frame frame) {
    CudaSlot& slot = slots_[next_];
    next_ = (next_ + 1) % slots_.size();
    run_check(cudaSetDevice(device_), "cudaSetDevice");
    slot.source = std::move(frame.picture);
    slot.frame = std::move(frame);
    slot.frame.picture = nullptr;
    slot.time = picture_time(format_.clock, slot.frame.counted(), slot.source->pts);
    slot.fields = field_count(*slot.source);
    const std::int64_t number = submitted_++;
    ++in_flight_;
    const bool resident = is_on_device(*slot.source);
    if (resident) {
        run_check(cudaStreamWaitEvent(slot.stream.get(), CudaPictures::ready(*slot.source), 0), "cudaStreamWaitEvent");
        ++counters_.resident;
    }
    // Others may look at a picture in which nothing works.
    const bool works = take_turns(slot, leg(0));
    slot.computes = works || resident || windows() > 0;
    if (!slot.computes) {
        slot.frame.picture = std::move(slot.source);
        slot.record(slot.done);
        return;
    }
    wait_for_readers(slot, number);
    begin(slot);
    pass(slot, 0, nullptr);
    if (windows() > 0) {
        legs_.add();
        pass_on_ready();
    }
    release_sources();
}

void CudaEngine::begin(CudaSlot& slot) {
    slot.frame.picture = make_result(*slot.source, slot.stream.get());
    const ImageLayout from = is_on_device(*slot.source) ? on_device(*slot.source) : images_.of(*slot.source);
    slot.to = images_.of(*slot.frame.picture);
    if (trace_) {
        slot.record(slot.begun);
    }
    bring(slot, from);
    slot.record(slot.uploaded);
}

// Through one leg, 0 being what comes before the first window.
void CudaEngine::pass(CudaSlot& slot, std::size_t number, const WindowLegs::Turn* turn) {
    try {
        launch(slot, leg(number), turn);
    } catch (const CudaError& error) {
        fail_while_running(error);
    }
    if (number < windows()) {
        keep_for_window(slot, number);
        slot.record(slot.ready[number]);
    } else {
        complete(slot);
    }
}

void CudaEngine::complete(CudaSlot& slot) {
    for (std::size_t n = 0; n < active_.size(); ++n) {
        if (slot.planes[n].fresh) {  // only steps that do not work in this picture filter it
            slot.pass_on(n, images_.planes()[n]);
        }
    }
    if (trace_ || windows() > 0) {
        slot.record(slot.computed);
    }
    slot.download(*slot.frame.picture, images_.planes());
    slot.record(slot.done);
    ++counters_.downloads;
}

// What has been uploaded goes home, however long its result takes. Uploads end in the order in which they began.
void CudaEngine::release_sources() {
    for (std::size_t n = 0; n < in_flight_; ++n) {
        CudaSlot& slot = slots_[(oldest() + n) % slots_.size()];
        // What is on the device already is read there until the kernels have run.
        if (slot.source && !stays(*slot.source)) {
            const cudaError_t state = cudaEventQuery(slot.uploaded.get());
            if (state == cudaErrorNotReady) {
                return;
            }
            run_check(state, "cudaEventQuery");
            slot.source.reset();
        }
    }
}

// A thread that sleeps takes some 50 us to come back, as long as a picture's copy takes: so it looks for a while first.
void CudaEngine::wait(const CudaEvent& event) {
    const auto until = StageStats::Clock::now() + patience;
    cudaError_t state = cudaEventQuery(event.get());
    while (state == cudaErrorNotReady && StageStats::Clock::now() < until) {
        state = cudaEventQuery(event.get());
    }
    run_check(state == cudaErrorNotReady ? cudaEventSynchronize(event.get()) : state, "cudaEventSynchronize");
}

Frame CudaEngine::take() {
    const std::size_t number = oldest();
    CudaSlot& slot = slots_[number];
    run_check(cudaSetDevice(device_), "cudaSetDevice");
    release_sources();
    wait(slot.done);
    --in_flight_;
    slot.source.reset();
    if (slot.computes) {
        float milliseconds = 0;
        run_check(cudaEventElapsedTime(&milliseconds, slot.uploaded.get(), slot.done.get()), "cudaEventElapsedTime");
        slot.frame.stamps.uploaded = Stamps::Clock::now() - std::chrono::duration_cast<Stamps::Clock::duration>(
                                                                std::chrono::duration<float, std::milli>(milliseconds));
        if (trace_) {
            trace_->show(slot, number);
        }
    }
    return std::move(slot.frame);
}

}  // namespace vfilter
