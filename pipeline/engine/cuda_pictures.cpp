#include "pipeline/engine/cuda_pictures.h"

#include <fmt/format.h>

#include <algorithm>
#include <iterator>
#include <new>
#include <utility>

#include "config/error.h"
#include "pipeline/engine/cuda_device.h"

namespace vfilter {

CudaPictures::CudaPictures(int device, const PictureKind& kind)
    : device_(device), kind_(kind), planes_(plane_layouts({kind.format, kind.width, kind.height})) {
    constexpr std::ptrdiff_t alignment = 256;
    constexpr std::size_t read_past_end = 64;
    for (const PlaneLayout& plane : planes_) {
        pitches_.push_back((row_bytes(plane) + alignment - 1) / alignment * alignment);
        bytes_ += static_cast<std::size_t>(pitches_.back() * plane.height);
    }
    bytes_ = (bytes_ + read_past_end + alignment - 1) / alignment * alignment;
}

// Whichever thread holds the last of them, no context is made on another GPU.
CudaPictures::~CudaPictures() {
    cudaSetDevice(device_);
}

// By the lock of those that grow.
void CudaPictures::grow() {
    constexpr std::size_t at_once = std::size_t{64} << 20U;
    std::size_t count = std::max<std::size_t>(1, at_once / bytes_);
    start_check(cudaSetDevice(device_), "cudaSetDevice");
    void* memory = nullptr;
    cudaError_t result = cudaMalloc(&memory, count * bytes_);
    if (result == cudaErrorMemoryAllocation && count > 1) {
        cudaGetLastError();
        count = 1;
        result = cudaMalloc(&memory, bytes_);
    }
    if (result != cudaSuccess) {
        cudaGetLastError();
        throw Error(ExitCode::device,
                    fmt::format("the GPU has no memory for decoded pictures ({})", cudaGetErrorName(result)));
    }
    memory_.emplace_back(memory);
    std::vector<std::unique_ptr<Place>> places;
    for (std::size_t i = 0; i < count; ++i) {
        auto place = std::make_unique<Place>();
        place->memory = static_cast<std::uint8_t*>(memory) + i * bytes_;
        place->ready = make_event(EventUse::order);
        places.push_back(std::move(place));
    }
    const std::lock_guard lock(mutex_);
    std::ranges::move(places, std::back_inserter(free_));
}

std::unique_ptr<CudaPictures::Place> CudaPictures::free_place() {
    const auto taken = [this]() -> std::unique_ptr<Place> {
        const std::lock_guard lock(mutex_);
        if (free_.empty()) {
            return nullptr;
        }
        std::unique_ptr<Place> place = std::move(free_.back());
        free_.pop_back();
        return place;
    };
    std::unique_ptr<Place> place = taken();
    while (!place) {
        // Pictures go home meanwhile.
        const std::lock_guard lock(growing_);
        place = taken();
        if (!place) {
            grow();
            place = taken();
        }
    }
    return place;
}

FramePtr CudaPictures::lend(cudaStream_t writer) {
    std::unique_ptr<Place> place = free_place();
    place->home = shared_from_this();
    FramePtr picture = make_frame();
    const auto go_home = [](void* opaque, std::uint8_t*) {
        std::unique_ptr<Place> own(static_cast<Place*>(opaque));
        const std::shared_ptr<CudaPictures> home = std::move(own->home);
        const std::lock_guard lock(home->mutex_);
        home->free_.push_back(std::move(own));
    };
    std::uint8_t* const memory = place->memory;
    picture->buf[0] = av_buffer_create(memory, bytes_, go_home, place.get(), 0);
    if (picture->buf[0] == nullptr) {
        throw std::bad_alloc();
    }
    static_cast<void>(place.release());
    picture->format = AV_PIX_FMT_CUDA;
    picture->width = kind_.width;
    picture->height = kind_.height;
    std::ptrdiff_t offset = 0;
    for (std::size_t i = 0; i < planes_.size(); ++i) {
        picture->data[planes_[i].index] = memory + offset;
        picture->linesize[planes_[i].index] = static_cast<int>(pitches_[i]);
        offset += pitches_[i] * planes_[i].height;
    }
    run_check(cudaStreamWaitEvent(writer, ready(*picture), 0), "cudaStreamWaitEvent");
    return picture;
}

const CudaPictures::Place& CudaPictures::place_of(const AVFrame& picture) {
    return *static_cast<const Place*>(av_buffer_get_opaque(picture.buf[0]));
}

cudaEvent_t CudaPictures::ready(const AVFrame& picture) {
    return place_of(picture).ready.get();
}

int CudaPictures::device(const AVFrame& picture) {
    return place_of(picture).home->device_;
}

void CudaPictures::download(AVFrame& to, const AVFrame& from) {
    CudaPictures& home = *place_of(from).home;
    run_check(cudaSetDevice(home.device_), "cudaSetDevice");
    const std::lock_guard lock(home.downloading_);
    if (!home.downloads_) {
        cudaStream_t made = nullptr;
        run_check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
        home.downloads_.reset(made);
    }
    cudaStream_t const stream = home.downloads_.get();
    run_check(cudaStreamWaitEvent(stream, ready(from), 0), "cudaStreamWaitEvent");
    for (const PlaneLayout& plane : home.planes_) {
        download_plane(to, from, plane, stream);
    }
    run_check(cudaStreamSynchronize(stream), "cudaStreamSynchronize");
}

void download_plane(AVFrame& to, const AVFrame& from, const PlaneLayout& plane, cudaStream_t stream) {
    const int i = plane.index;
    run_check(cudaMemcpy2DAsync(to.data[i], static_cast<std::size_t>(to.linesize[i]), from.data[i],
                                static_cast<std::size_t>(from.linesize[i]), static_cast<std::size_t>(row_bytes(plane)),
                                static_cast<std::size_t>(plane.height), cudaMemcpyDeviceToHost, stream),
              "cudaMemcpy2DAsync");
}

}  // namespace vfilter
