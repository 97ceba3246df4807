#include "pipeline/engine/cuda_engine.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <array>
#include <utility>

namespace vfilter {

namespace {

constexpr std::ptrdiff_t alignment = 16;  // of what kernels read: see DevicePlane
constexpr double mebibyte = 1024.0 * 1024.0;
// Longer than a 1080p picture's copies take, shorter than a 2160p one's.
constexpr std::chrono::microseconds patience{150};
// Events' times are floats: a fresh reference now and then keeps them exact to a microsecond.
constexpr float clock_milliseconds = 4000;

// A failure of the device while pictures are on it.
void run_check(cudaError_t result, const char* call, const char* file = __builtin_FILE(), int line = __builtin_LINE()) {
    try {
        cuda_check(result, call, file, line);
    } catch (const CudaError& error) {
        throw Error(ExitCode::device_lost, fmt::format("the GPU was lost: {}", error.what()));
    }
}

CudaEvent make_event(bool timed) {
    cudaEvent_t event = nullptr;
    start_check(cudaEventCreateWithFlags(&event, cudaEventBlockingSync | (timed ? 0U : cudaEventDisableTiming)),
                "cudaEventCreateWithFlags");
    return CudaEvent(event);
}

bool is_pinned(const void* memory) {
    cudaPointerAttributes attributes{};
    return cudaPointerGetAttributes(&attributes, memory) == cudaSuccess && attributes.type == cudaMemoryTypeHost;
}

std::ptrdiff_t row_bytes(const PlaneLayout& layout) {
    return std::ptrdiff_t{layout.width} * layout.step * (layout.depth == 8 ? 1 : 2);
}

std::ptrdiff_t round_up(std::ptrdiff_t size, std::ptrdiff_t unit) {
    return (size + unit - 1) / unit * unit;
}

}  // namespace

CudaEngine::CudaEngine(const std::vector<FilterSpec>& filters, const PictureFormat& format, FramePool& pool, int device,
                       int streams, Trace* trace)
    : format_(format), pool_(pool), device_(device), trace_(trace), layouts_(plane_layouts(format)) {
    cudaDeviceProp properties{};
    start_check(cudaSetDevice(device_), "cudaSetDevice");
    start_check(cudaGetDeviceProperties(&properties, device_), "cudaGetDeviceProperties");
    device_name_ = properties.name;
    try {
        make_stages(filters);
    } catch (const CudaError& error) {
        throw Error(ExitCode::device, error.what());
    }
    for (const int plane : active_) {
        const PlaneLayout& layout = layouts_[static_cast<std::size_t>(plane)];
        image_bytes_ += static_cast<std::size_t>(round_up(row_bytes(layout), 64) * layout.height);
    }
    // Decoders pad their pictures to whole blocks: room enough that those can be taken as they lie.
    image_bytes_ =
        static_cast<std::size_t>(round_up(static_cast<std::ptrdiff_t>(image_bytes_ + image_bytes_ / 8), 4096)) + 65536;
    make_slots(streams);
    warm_up();
    if (trace_ != nullptr) {
        for (std::size_t i = 0; i < slots_.size(); ++i) {
            slots_[i].trace_lane = trace_->lane(fmt::format("cuda stream {}", i));
        }
        clock_ = make_event(true);
        next_clock_ = make_event(true);
        start_check(cudaEventRecord(clock_.get(), slots_[0].stream.get()), "cudaEventRecord");
        start_check(cudaEventSynchronize(clock_.get()), "cudaEventSynchronize");
        clock_time_ = StageStats::Clock::now();
    }
}

CudaEngine::~CudaEngine() {
    cudaSetDevice(device_);
    for (const Slot& slot : slots_) {
        // Nothing may still be copied from or to a picture that goes home.
        if (const cudaError_t result = cudaStreamSynchronize(slot.stream.get()); result != cudaSuccess) {
            spdlog::debug("cudaStreamSynchronize: {}", cudaGetErrorString(result));
        }
    }
}

void CudaEngine::make_stages(const std::vector<FilterSpec>& filters) {
    std::vector<bool> touched(layouts_.size());
    for (const FilterSpec& filter : filters) {
        CudaStage stage(make_stage(filter, format_), layouts_);
        bool any = false;
        for (std::size_t i = 0; i < layouts_.size(); ++i) {
            const bool own = stage.filters(static_cast<int>(i));
            touched[i] = touched[i] || own;
            any = any || own;
        }
        if (any) {
            counters_.device_bytes += static_cast<std::int64_t>(stage.device_bytes());
            counters_.device_allocations += stage.device_bytes() > 0 ? 1 : 0;
            stages_.push_back(std::move(stage));
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
    for (const CudaStage& stage : stages_) {
        counters.device_bytes += static_cast<std::int64_t>(stage.borrowed_bytes());
    }
    return counters;
}

CudaEngine::Slot CudaEngine::make_slot() {
    Slot slot;
    cudaStream_t stream = nullptr;
    start_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    slot.stream.reset(stream);
    const bool timed = trace_ != nullptr;
    slot.begun = make_event(timed);
    slot.uploaded = make_event(true);
    slot.computed = make_event(timed);
    slot.done = make_event(true);
    for (DeviceMemory& image : slot.images) {
        void* memory = nullptr;
        cuda_check(cudaMalloc(&memory, image_bytes_), "cudaMalloc");
        image.reset(memory);
        // Whole pictures are downloaded, with what lies between their rows.
        cuda_check(cudaMemsetAsync(memory, 0, image_bytes_, stream), "cudaMemsetAsync");
        ++counters_.device_allocations;
        counters_.device_bytes += static_cast<std::int64_t>(image_bytes_);
    }
    return slot;
}

void CudaEngine::make_slots(int streams) {
    const EngineCounters before = counters_;
    const auto need = [&](int count) { return static_cast<double>(2 * image_bytes_) * count / mebibyte; };
    for (int count = streams;; count = (count + 1) / 2) {
        std::size_t free_bytes = 0;
        std::size_t total_bytes = 0;
        start_check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
        spdlog::debug("cuda:{} {}: {} streams need {:.0f} MiB of the {:.0f} MiB that are free", device_, device_name_,
                      count, need(count), static_cast<double>(free_bytes) / mebibyte);
        try {
            for (int i = 0; i < count; ++i) {
                slots_.push_back(make_slot());
            }
            return;
        } catch (const CudaError& error) {
            slots_.clear();
            counters_ = before;
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
    Slot& slot = slots_.front();
    const DeviceLayout layout = packed_layout();
    const EngineCounters before = counters_;
    try {
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
    for (const CudaStage& stage : stages_) {
        kernels.push_back(stage.kernel());
    }
    return kernels;
}

CudaEngine::DeviceLayout CudaEngine::layout_of(const AVFrame& picture) const {
    DeviceLayout layout;
    std::uint8_t* first = nullptr;
    std::uint8_t* end = nullptr;
    layout.whole = true;
    for (const int i : active_) {
        const PlaneLayout& plane = layouts_[static_cast<std::size_t>(i)];
        std::uint8_t* const data = picture.data[plane.index];
        const std::ptrdiff_t pitch = picture.linesize[plane.index];
        std::uint8_t* const plane_end = data + pitch * (plane.height - 1) + row_bytes(plane);
        layout.whole = layout.whole && pitch > 0 && pitch % alignment == 0 && (end == nullptr || data >= end);
        first = first == nullptr ? data : first;
        layout.whole = layout.whole && (data - first) % alignment == 0;
        layout.offsets.push_back(data - first);
        layout.pitches.push_back(pitch);
        end = plane_end;
    }
    // Between two buffers there may be no memory at all.
    const AVBufferRef* const buffer = picture.buf[0];
    layout.whole = layout.whole && buffer != nullptr && first >= buffer->data && end <= buffer->data + buffer->size;
    layout.host = first;
    layout.span = layout.whole ? static_cast<std::size_t>(end - first) : 0;
    layout.whole = layout.whole && layout.span + 8 <= image_bytes_;
    if (!layout.whole) {
        DeviceLayout packed = packed_layout();
        packed.host = layout.host;
        return packed;
    }
    return layout;
}

// Plane by plane, each as close to the one before as the kernels allow.
CudaEngine::DeviceLayout CudaEngine::packed_layout() const {
    DeviceLayout layout;
    std::ptrdiff_t offset = 0;
    for (const int i : active_) {
        const PlaneLayout& plane = layouts_[static_cast<std::size_t>(i)];
        layout.offsets.push_back(offset);
        layout.pitches.push_back(round_up(row_bytes(plane), 64));
        offset += layout.pitches.back() * plane.height;
    }
    return layout;
}

// The result shares the planes that no stage filters.
FramePtr CudaEngine::make_result(const AVFrame& from) const {
    FramePtr to = make_result_picture(format_, pool_, from);
    int spare_buffer = 1;
    for (std::size_t i = 0; i < layouts_.size(); ++i) {
        if (std::ranges::find(active_, static_cast<int>(i)) == active_.end()) {
            share_plane(*to, from, layouts_[i].index, spare_buffer);
        }
    }
    return to;
}

void CudaEngine::upload(Slot& slot, const AVFrame& from, const DeviceLayout& layout) {
    if (!known_pinned_.contains(layout.host)) {
        if (is_pinned(layout.host)) {
            known_pinned_.insert(layout.host);
        } else {
            ++counters_.pageable_pictures;
        }
    }
    auto* const image = static_cast<std::uint8_t*>(slot.images[0].get());
    if (layout.whole) {
        run_check(cudaMemcpyAsync(image, layout.host, layout.span, cudaMemcpyHostToDevice, slot.stream.get()),
                  "cudaMemcpyAsync");
        return;
    }
    for (std::size_t n = 0; n < active_.size(); ++n) {
        const PlaneLayout& plane = layouts_[static_cast<std::size_t>(active_[n])];
        const std::ptrdiff_t pitch = from.linesize[plane.index];
        const auto rows = static_cast<std::size_t>(plane.height);
        const auto bytes = static_cast<std::size_t>(row_bytes(plane));
        if (pitch > 0) {
            run_check(cudaMemcpy2DAsync(image + layout.offsets[n], static_cast<std::size_t>(layout.pitches[n]),
                                        from.data[plane.index], static_cast<std::size_t>(pitch), bytes, rows,
                                        cudaMemcpyHostToDevice, slot.stream.get()),
                      "cudaMemcpy2DAsync");
            continue;
        }
        for (int y = 0; y < plane.height; ++y) {  // upside down: no copy of CUDA's takes that
            run_check(
                cudaMemcpyAsync(image + layout.offsets[n] + layout.pitches[n] * y, from.data[plane.index] + pitch * y,
                                bytes, cudaMemcpyHostToDevice, slot.stream.get()),
                "cudaMemcpyAsync");
        }
    }
}

// Returns in which of the slot's images each active plane ends.
std::vector<int> CudaEngine::launch(Slot& slot, const DeviceLayout& from, const DeviceLayout& to, int fields) {
    std::vector<int> images(active_.size(), 0);
    std::vector<bool> fresh(active_.size(), true);  // still as it was uploaded
    for (const CudaStage& stage : stages_) {
        std::array<CudaStage::Rows, CudaFilter::max_planes> planes;
        std::size_t count = 0;
        for (std::size_t n = 0; n < active_.size(); ++n) {
            if (!stage.filters(active_[n])) {
                continue;
            }
            const DeviceLayout& source = fresh[n] ? from : to;
            auto* const src = static_cast<std::uint8_t*>(slot.images[images[n]].get()) + source.offsets[n];
            auto* const dst = static_cast<std::uint8_t*>(slot.images[1 - images[n]].get()) + to.offsets[n];
            planes[count++] = {active_[n], src, source.pitches[n], dst, to.pitches[n]};
            images[n] = 1 - images[n];
            fresh[n] = false;
        }
        try {
            counters_.launches += stage.launch({planes.data(), count}, fields, slot.stream.get());
        } catch (const CudaError& error) {
            throw Error(ExitCode::device_lost, fmt::format("the GPU was lost: {}", error.what()));
        }
    }
    return images;
}

void CudaEngine::download(Slot& slot, AVFrame& to, const DeviceLayout& layout, const std::vector<int>& images) {
    const auto at = [&](std::size_t n) {
        return static_cast<std::uint8_t*>(slot.images[images[n]].get()) + layout.offsets[n];
    };
    const bool together = std::ranges::adjacent_find(images, std::ranges::not_equal_to()) == images.end();
    if (layout.whole && together) {
        run_check(cudaMemcpyAsync(layout.host, at(0), layout.span, cudaMemcpyDeviceToHost, slot.stream.get()),
                  "cudaMemcpyAsync");
        return;
    }
    for (std::size_t n = 0; n < active_.size(); ++n) {
        const PlaneLayout& plane = layouts_[static_cast<std::size_t>(active_[n])];
        run_check(
            cudaMemcpy2DAsync(to.data[plane.index], static_cast<std::size_t>(to.linesize[plane.index]), at(n),
                              static_cast<std::size_t>(layout.pitches[n]), static_cast<std::size_t>(row_bytes(plane)),
                              static_cast<std::size_t>(plane.height), cudaMemcpyDeviceToHost, slot.stream.get()),
            "cudaMemcpy2DAsync");
    }
}

void CudaEngine::submit(Frame frame) {
    Slot& slot = slots_[next_];
    next_ = (next_ + 1) % slots_.size();
    run_check(cudaSetDevice(device_), "cudaSetDevice");
    slot.source = std::move(frame.picture);
    slot.frame = std::move(frame);
    slot.frame.picture = nullptr;
    if (active_.empty()) {
        slot.frame.picture = std::move(slot.source);
        run_check(cudaEventRecord(slot.done.get(), slot.stream.get()), "cudaEventRecord");
        ++in_flight_;
        return;
    }
    slot.frame.picture = make_result(*slot.source);
    const DeviceLayout from = layout_of(*slot.source);
    const DeviceLayout to = layout_of(*slot.frame.picture);
    const auto record = [&](const CudaEvent& event) {
        run_check(cudaEventRecord(event.get(), slot.stream.get()), "cudaEventRecord");
    };
    if (trace_ != nullptr) {
        record(slot.begun);
    }
    upload(slot, *slot.source, from);
    record(slot.uploaded);
    const std::vector<int> images = launch(slot, from, to, field_count(*slot.source));
    if (trace_ != nullptr) {
        record(slot.computed);
    }
    download(slot, *slot.frame.picture, to, images);
    record(slot.done);
    ++in_flight_;
    release_sources();
}

// What has been uploaded goes home, however long its result takes. Uploads end in the order in which they began.
void CudaEngine::release_sources() {
    for (std::size_t n = 0; n < in_flight_; ++n) {
        Slot& slot = slots_[(next_ + slots_.size() - in_flight_ + n) % slots_.size()];
        if (slot.source) {
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
    Slot& slot = slots_[(next_ + slots_.size() - in_flight_) % slots_.size()];
    run_check(cudaSetDevice(device_), "cudaSetDevice");
    release_sources();
    wait(slot.done);
    --in_flight_;
    slot.source.reset();
    if (!active_.empty()) {
        float milliseconds = 0;
        run_check(cudaEventElapsedTime(&milliseconds, slot.uploaded.get(), slot.done.get()), "cudaEventElapsedTime");
        slot.frame.stamps.uploaded = Stamps::Clock::now() - std::chrono::duration_cast<Stamps::Clock::duration>(
                                                                std::chrono::duration<float, std::milli>(milliseconds));
    }
    if (trace_ != nullptr && !active_.empty()) {
        trace_slot(slot);
    }
    return std::move(slot.frame);
}

void CudaEngine::trace_slot(const Slot& slot) {
    float last = 0;
    const auto time = [&](const CudaEvent& event) {
        run_check(cudaEventElapsedTime(&last, clock_.get(), event.get()), "cudaEventElapsedTime");
        return clock_time_ + std::chrono::duration_cast<StageStats::Clock::duration>(
                                 std::chrono::duration<double, std::milli>(static_cast<double>(last)));
    };
    const auto begun = time(slot.begun);
    const auto uploaded = time(slot.uploaded);
    const auto computed = time(slot.computed);
    const auto done = time(slot.done);
    trace_->span(slot.trace_lane, "upload", slot.frame.index, begun, uploaded);
    trace_->span(slot.trace_lane, "kernels", slot.frame.index, uploaded, computed);
    trace_->span(slot.trace_lane, "download", slot.frame.index, computed, done);
    if (last > clock_milliseconds) {
        run_check(cudaEventRecord(next_clock_.get(), slot.stream.get()), "cudaEventRecord");
        run_check(cudaEventSynchronize(next_clock_.get()), "cudaEventSynchronize");
        clock_time_ = time(next_clock_);
        std::swap(clock_, next_clock_);
    }
}

}  // namespace vfilter
