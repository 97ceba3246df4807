#include "pipeline/engine/cuda_slot.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "config/error.h"
#include "kernels/cuda/filter.h"
#include "pipeline/engine/cuda_device.h"

namespace vfilter {

void fail_while_running(const CudaError& error) {
    if (error.code() == cudaErrorMemoryAllocation) {
        throw Error(
            ExitCode::device,
            fmt::format("the GPU's memory ran out while pictures were filtered: {}; --gpu-streams 1 and --decode "
                        "cpu take less of it",
                        error.what()));
    }
    throw Error(ExitCode::device_lost, fmt::format("the GPU was lost: {}", error.what()));
}

void run_check(cudaError_t result, const char* call, const char* file, int line) {
    try {
        cuda_check(result, call, file, line);
    } catch (const CudaError& error) {
        fail_while_running(error);
    }
}

CudaEvent make_event(EventUse use) {
    const unsigned flags = use == EventUse::order  ? cudaEventDisableTiming
                           : use == EventUse::time ? cudaEventDefault
                                                   : cudaEventBlockingSync;
    cudaEvent_t event = nullptr;
    start_check(cudaEventCreateWithFlags(&event, flags), "cudaEventCreateWithFlags");
    return CudaEvent(event);
}

CudaSlot::CudaSlot(std::size_t image_bytes, std::size_t windows, bool traced)
    : windowed(windows), images(image_count(windows)) {
    cudaStream_t made = nullptr;
    start_check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    stream.reset(made);
    const EventUse if_traced = traced ? EventUse::time : EventUse::order;
    begun = make_event(if_traced);
    uploaded = make_event(EventUse::time);
    computed = make_event(if_traced);
    done = make_event(EventUse::sleep);
    for (std::size_t i = 0; i < windows; ++i) {
        ready.push_back(make_event(EventUse::order));
    }
    for (DeviceMemory& image : images) {
        void* memory = nullptr;
        cuda_check(cudaMalloc(&memory, image_bytes), "cudaMalloc");
        image.reset(memory);
        // Whole pictures are downloaded, with what lies between their rows.
        cuda_check(cudaMemsetAsync(memory, 0, image_bytes, made), "cudaMemsetAsync");
    }
}

int CudaSlot::free_image(const Plane& plane) const {
    int number = images.size() > image_count(0) ? 1 : 0;
    while (number == plane.image || (plane.kept >> number & 1) != 0) {
        ++number;
    }
    return number;
}

void CudaSlot::begin_at(std::uint8_t* memory, const ImageLayout& layout) {
    planes.assign(layout.offsets.size(), {});
    for (std::size_t n = 0; n < planes.size(); ++n) {
        planes[n].at = {memory + layout.offsets[n], layout.pitches[n]};
    }
}

void CudaSlot::upload(const AVFrame& from, const ImageLayout& layout, const std::vector<PlaneLayout>& layouts) {
    if (layout.whole) {
        run_check(cudaMemcpyAsync(image(0), layout.host, layout.span, cudaMemcpyHostToDevice, stream.get()),
                  "cudaMemcpyAsync");
        return;
    }
    for (std::size_t n = 0; n < layouts.size(); ++n) {
        const PlaneLayout& plane = layouts[n];
        const PlaneAt& at = planes[n].at;
        const std::ptrdiff_t pitch = from.linesize[plane.index];
        const auto rows = static_cast<std::size_t>(plane.height);
        const auto bytes = static_cast<std::size_t>(row_bytes(plane));
        if (pitch > 0) {
            run_check(
                cudaMemcpy2DAsync(at.data, static_cast<std::size_t>(at.pitch), from.data[plane.index],
                                  static_cast<std::size_t>(pitch), bytes, rows, cudaMemcpyHostToDevice, stream.get()),
                "cudaMemcpy2DAsync");
            continue;
        }
        for (int y = 0; y < plane.height; ++y) {  // upside down: no copy of CUDA's takes that
            run_check(cudaMemcpyAsync(at.data + at.pitch * y, from.data[plane.index] + pitch * y, bytes,
                                      cudaMemcpyHostToDevice, stream.get()),
                      "cudaMemcpyAsync");
        }
    }
}

void CudaSlot::copy(const AVFrame& from, const std::vector<PlaneLayout>& layouts) {
    for (std::size_t n = 0; n < layouts.size(); ++n) {
        const PlaneLayout& plane = layouts[n];
        run_check(cudaMemcpy2DAsync(planes[n].at.data, static_cast<std::size_t>(planes[n].at.pitch),
                                    from.data[plane.index], static_cast<std::size_t>(from.linesize[plane.index]),
                                    static_cast<std::size_t>(row_bytes(plane)), static_cast<std::size_t>(plane.height),
                                    cudaMemcpyDeviceToDevice, stream.get()),
                  "cudaMemcpy2DAsync");
    }
}

void CudaSlot::copy_across(const AVFrame& from, int other, int own, const std::vector<PlaneLayout>& layouts) {
    for (std::size_t n = 0; n < layouts.size(); ++n) {
        const PlaneLayout& plane = layouts[n];
        const auto bytes = static_cast<std::size_t>(row_bytes(plane));
        const auto rows = static_cast<std::size_t>(plane.height);
        cudaMemcpy3DPeerParms parameters{};
        parameters.srcDevice = other;
        parameters.srcPtr = {from.data[plane.index], static_cast<std::size_t>(from.linesize[plane.index]), bytes, rows};
        parameters.dstDevice = own;
        parameters.dstPtr = {planes[n].at.data, static_cast<std::size_t>(planes[n].at.pitch), bytes, rows};
        parameters.extent = {bytes, rows, 1};
        run_check(cudaMemcpy3DPeerAsync(&parameters, stream.get()), "cudaMemcpy3DPeerAsync");
    }
}

void CudaSlot::download(AVFrame& result, const std::vector<PlaneLayout>& layouts) {
    const bool together =
        std::ranges::adjacent_find(planes, std::ranges::not_equal_to(), &Plane::image) == planes.end();
    if (to.whole && together) {
        run_check(cudaMemcpyAsync(to.host, planes[0].at.data, to.span, cudaMemcpyDeviceToHost, stream.get()),
                  "cudaMemcpyAsync");
        return;
    }
    for (std::size_t n = 0; n < layouts.size(); ++n) {
        const PlaneLayout& plane = layouts[n];
        const PlaneAt& at = planes[n].at;
        run_check(
            cudaMemcpy2DAsync(result.data[plane.index], static_cast<std::size_t>(result.linesize[plane.index]), at.data,
                              static_cast<std::size_t>(at.pitch), static_cast<std::size_t>(row_bytes(plane)),
                              static_cast<std::size_t>(plane.height), cudaMemcpyDeviceToHost, stream.get()),
            "cudaMemcpy2DAsync");
    }
}

void CudaSlot::pass_on(std::size_t n, const PlaneLayout& layout) {
    Plane& plane = planes[n];
    const int number = free_image(plane);
    const PlaneAt copy{image(number) + to.offsets[n], to.pitches[n]};
    run_check(cudaMemcpy2DAsync(copy.data, static_cast<std::size_t>(copy.pitch), plane.at.data,
                                static_cast<std::size_t>(plane.at.pitch), static_cast<std::size_t>(row_bytes(layout)),
                                static_cast<std::size_t>(layout.height), cudaMemcpyDeviceToDevice, stream.get()),
              "cudaMemcpy2DAsync");
    plane = {copy, number, plane.kept, false};
}

void CudaSlot::record(const CudaEvent& event) const {
    run_check(cudaEventRecord(event.get(), stream.get()), "cudaEventRecord");
}

}  // namespace vfilter
