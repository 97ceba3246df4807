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

bool is_pinned(const void* memory) {
    cudaPointerAttributes attributes{};
    return cudaPointerGetAttributes(&attributes, memory) == cudaSuccess && attributes.type == cudaMemoryTypeHost;
}

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
            steps_.push_back(std::move(step));
        }
    }
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

// As many as there is memory for, but at least half of the streams.
void CudaEngine::make_slots(int streams, bool traced) {
    const std::size_t slot_bytes = CudaSlot::image_count * images_.image_bytes();
    const auto need = [&](int count) { return static_cast<double>(slot_bytes) * count / mebibyte; };
    for (int count = streams;; count = (count + 1) / 2) {
        std::size_t free_bytes = 0;
        std::size_t total_bytes = 0;
        start_check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
        spdlog::debug("cuda:{} {}: {} streams need {:.0f} MiB of the {:.0f} MiB that are free", device_, device_name_,
                      count, need(count), static_cast<double>(free_bytes) / mebibyte);
        try {
            for (int i = 0; i < count; ++i) {
                slots_.emplace_back(images_.image_bytes(), traced).weights.resize(steps_.size());
            }
            counters_.device_allocations += count * static_cast<std::int64_t>(CudaSlot::image_count);
            counters_.device_bytes += count * static_cast<std::int64_t>(slot_bytes);
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
    const ImageLayout layout = images_.packed();
    const EngineCounters before = counters_;
    try {
        CudaWeights none;
        turns_.clear();
        for (const CudaStep& step : steps_) {
            turns_.push_back(step.first_turn(none, slot.stream.get()));
        }
        slot.begin_at(slot.images[0].get(), layout);
        static_cast<void>(launch(slot, layout, layout, 1));
        run_check(cudaStreamSynchronize(slot.stream.get()), "cudaStreamSynchronize");
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

FramePtr CudaEngine::on_host(const AVFrame& picture) {
    if (!is_on_device(picture)) {
        return FilterEngine::on_host(picture);
    }
    run_check(cudaSetDevice(device_), "cudaSetDevice");
    FramePtr copy = make_result_picture(format_, pool_, picture);
    // The slot's stream, as there is one: what is queued there is the picture's that comes out last.
    cudaStream_t const stream = slots_[next_].stream.get();
    run_check(cudaStreamWaitEvent(stream, CudaPictures::ready(picture), 0), "cudaStreamWaitEvent");
    for (const PlaneLayout& plane : layouts_) {
        download_plane(*copy, picture, plane, stream);
    }
    run_check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
    ++counters_.downloads;
    return copy;
}

// The result shares the planes that no step filters, or has them copied from the device.
FramePtr CudaEngine::make_result(const AVFrame& from, cudaStream_t stream) {
    FramePtr to = make_result_picture(format_, pool_, from);
    int spare_buffer = 1;
    for (std::size_t i = 0; i < layouts_.size(); ++i) {
        if (std::ranges::find(active_, static_cast<int>(i)) != active_.end()) {
            continue;
        }
        if (is_on_device(from)) {
            download_plane(*to, from, layouts_[i], stream);
        } else {
            share_plane(*to, from, layouts_[i].index, spare_buffer);
        }
    }
    return to;
}

void CudaEngine::note_host_memory(const ImageLayout& layout) {
    if (known_pinned_.contains(layout.host)) {
        return;
    }
    if (is_pinned(layout.host)) {
        known_pinned_.insert(layout.host);
    } else {
        ++counters_.pageable_pictures;
    }
}

// Returns in which of the slot's images each active plane ends.
std::vector<int> CudaEngine::launch(CudaSlot& slot, const ImageLayout& from, const ImageLayout& to, int fields) {
    std::vector<int> images(active_.size(), 0);
    std::vector<bool> fresh(active_.size(), true);  // still as it was uploaded
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        const CudaStep& step = steps_[i];
        if (!turns_[i].works) {
            continue;
        }
        std::array<CudaStep::Rows, CudaFilter::max_planes> planes;
        std::size_t count = 0;
        for (std::size_t n = 0; n < active_.size(); ++n) {
            if (!step.filters(active_[n])) {
                continue;
            }
            auto* const src =
                fresh[n] ? slot.begins[n] : static_cast<std::uint8_t*>(slot.images[images[n]].get()) + to.offsets[n];
            auto* const dst = static_cast<std::uint8_t*>(slot.images[1 - images[n]].get()) + to.offsets[n];
            planes[count++] = {active_[n], src, fresh[n] ? from.pitches[n] : to.pitches[n], dst, to.pitches[n]};
            images[n] = 1 - images[n];
            fresh[n] = false;
        }
        try {
            counters_.launches += step.launch(turns_[i], {planes.data(), count}, fields, slot.stream.get());
        } catch (const CudaError& error) {
            throw Error(ExitCode::device_lost, fmt::format("the GPU was lost: {}", error.what()));
        }
    }
    for (std::size_t n = 0; n < active_.size(); ++n) {
        if (fresh[n]) {  // only steps that do not work in this picture filter it
            slot.pass_on(images_.planes()[n], slot.begins[n], from.pitches[n], to.offsets[n], to.pitches[n]);
            images[n] = 1;
        }
    }
    return images;
}

// What the steps do to the slot's picture. False if they leave it as it is.
bool CudaEngine::take_turns(CudaSlot& slot) {
    const PictureTime time = picture_time(format_.clock, slot.frame.index, slot.source->pts);
    turns_.clear();
    bool any = false;
    for (std::size_t i = 0; i < steps_.size(); ++i) {
        try {
            turns_.push_back(steps_[i].turn(time, field_count(*slot.source), slot.weights[i], slot.stream.get()));
        } catch (const CudaError& error) {
            throw Error(ExitCode::device_lost, fmt::format("the GPU was lost: {}", error.what()));
        }
        any = any || turns_.back().works;
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
    const bool resident = is_on_device(*slot.source);
    if (resident) {
        run_check(cudaStreamWaitEvent(slot.stream.get(), CudaPictures::ready(*slot.source), 0), "cudaStreamWaitEvent");
        ++counters_.resident;
    }
    const bool works = take_turns(slot);
    slot.computes = works || resident;
    if (!slot.computes) {
        slot.frame.picture = std::move(slot.source);
        slot.record(slot.done);
        ++in_flight_;
        return;
    }
    slot.frame.picture = make_result(*slot.source, slot.stream.get());
    const ImageLayout from = resident ? on_device(*slot.source) : images_.of(*slot.source);
    const ImageLayout to = images_.of(*slot.frame.picture);
    if (trace_) {
        slot.record(slot.begun);
    }
    bring(slot, from);
    slot.record(slot.uploaded);
    const std::vector<int> ends = launch(slot, from, to, field_count(*slot.source));
    if (trace_) {
        slot.record(slot.computed);
    }
    slot.download(*slot.frame.picture, to, images_.planes(), ends);
    slot.record(slot.done);
    ++counters_.downloads;
    ++in_flight_;
    release_sources();
}

// Where the planes of a picture in the device's memory lie.
ImageLayout CudaEngine::on_device(const AVFrame& picture) const {
    ImageLayout layout;
    for (const PlaneLayout& plane : images_.planes()) {
        layout.offsets.push_back(picture.data[plane.index] - picture.data[0]);
        layout.pitches.push_back(picture.linesize[plane.index]);
    }
    return layout;
}

// To the device, unless it is there.
void CudaEngine::bring(CudaSlot& slot, const ImageLayout& from) {
    if (is_on_device(*slot.source)) {
        slot.begin_at(slot.source->data[0], from);
        return;
    }
    slot.begin_at(slot.images[0].get(), from);
    note_host_memory(from);
    slot.upload(*slot.source, from, images_.planes());
    ++counters_.uploads;
}

// What has been uploaded goes home, however long its result takes. Uploads end in the order in which they began.
void CudaEngine::release_sources() {
    for (std::size_t n = 0; n < in_flight_; ++n) {
        CudaSlot& slot = slots_[(oldest() + n) % slots_.size()];
        // What is on the device already is read there until the kernels have run.
        if (slot.source && !is_on_device(*slot.source)) {
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
