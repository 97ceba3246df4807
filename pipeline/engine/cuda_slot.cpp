#include "pipeline/engine/cuda_slot.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "config/error.h"
#include "kernels/cuda/filter.h"
#include "pipeline/engine/cuda_device.h"

namespace vfilter {

void run_check(cudaError_t result, const char* call, const char* file, int line) {
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

CudaSlot::CudaSlot(std::size_t image_bytes, bool traced) {
    cudaStream_t made = nullptr;
    start_check(cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    stream.reset(made);
    begun = make_event(traced);
    uploaded = make_event(true);
    computed = make_event(traced);
    done = make_event(true);
    for (DeviceMemory& image : images) {
        void* memory = nullptr;
        cuda_check(cudaMalloc(&memory, image_bytes), "cudaMalloc");
        image.reset(memory);
        // Whole pictures are downloaded, with what lies between their rows.
        cuda_check(cudaMemsetAsync(memory, 0, image_bytes, made), "cudaMemsetAsync");
    }
}

void CudaSlot::begin_at(void* memory, const ImageLayout& layout) {
    begins.clear();
    for (const std::ptrdiff_t offset : layout.offsets) {
        begins.push_back(static_cast<std::uint8_t*>(memory) + offset);
    }
}

void CudaSlot::upload(const AVFrame& from, const ImageLayout& layout, const std::vector<PlaneLayout>& planes) {
    auto* const image = static_cast<std::uint8_t*>(images[0].get());
    if (layout.whole) {
        run_check(cudaMemcpyAsync(image, layout.host, layout.span, cudaMemcpyHostToDevice, stream.get()),
                  "cudaMemcpyAsync");
        return;
    }
    for (std::size_t n = 0; n < planes.size(); ++n) {
        const PlaneLayout& plane = planes[n];
        const std::ptrdiff_t pitch = from.linesize[plane.index];
        const auto rows = static_cast<std::size_t>(plane.height);
        const auto bytes = static_cast<std::size_t>(row_bytes(plane));
        if (pitch > 0) {
            run_check(cudaMemcpy2DAsync(image + layout.offsets[n], static_cast<std::size_t>(layout.pitches[n]),
                                        from.data[plane.index], static_cast<std::size_t>(pitch), bytes, rows,
                                        cudaMemcpyHostToDevice, stream.get()),
                      "cudaMemcpy2DAsync");
            continue;
        }
        for (int y = 0; y < plane.height; ++y) {  // upside down: no copy of CUDA's takes that
            run_check(cudaMemcpyAsync(image + layout.offsets[n] + layout.pitches[n] * y,
                                      from.data[plane.index] + pitch * y, bytes, cudaMemcpyHostToDevice, stream.get()),
                      "cudaMemcpyAsync");
        }
    }
}

void CudaSlot::download(AVFrame& to, const ImageLayout& layout, const std::vector<PlaneLayout>& planes,
                        const std::vector<int>& ends) {
    const auto at = [&](std::size_t n) {
        return static_cast<std::uint8_t*>(images[ends[n]].get()) + layout.offsets[n];
    };
    const bool together = std::ranges::adjacent_find(ends, std::ranges::not_equal_to()) == ends.end();
    if (layout.whole && together) {
        run_check(cudaMemcpyAsync(layout.host, at(0), layout.span, cudaMemcpyDeviceToHost, stream.get()),
                  "cudaMemcpyAsync");
        return;
    }
    for (std::size_t n = 0; n < planes.size(); ++n) {
        const PlaneLayout& plane = planes[n];
        run_check(
            cudaMemcpy2DAsync(to.data[plane.index], static_cast<std::size_t>(to.linesize[plane.index]), at(n),
                              static_cast<std::size_t>(layout.pitches[n]), static_cast<std::size_t>(row_bytes(plane)),
                              static_cast<std::size_t>(plane.height), cudaMemcpyDeviceToHost, stream.get()),
            "cudaMemcpy2DAsync");
    }
}

void CudaSlot::pass_on(const PlaneLayout& plane, const std::uint8_t* from, std::ptrdiff_t from_pitch,
                       std::ptrdiff_t to_offset, std::ptrdiff_t to_pitch) const {
    run_check(
        cudaMemcpy2DAsync(static_cast<std::uint8_t*>(images[1].get()) + to_offset, static_cast<std::size_t>(to_pitch),
                          from, static_cast<std::size_t>(from_pitch), static_cast<std::size_t>(row_bytes(plane)),
                          static_cast<std::size_t>(plane.height), cudaMemcpyDeviceToDevice, stream.get()),
        "cudaMemcpy2DAsync");
}

void CudaSlot::record(const CudaEvent& event) const {
    run_check(cudaEventRecord(event.get(), stream.get()), "cudaEventRecord");
}

}  // namespace vfilter
