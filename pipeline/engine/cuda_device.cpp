#include "pipeline/engine/cuda_device.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstdint>
#include <utility>

#include "pipeline/engine/cuda_engine.h"
#include "pipeline/engine/missing_gpu.h"

namespace vfilter {

namespace {

constexpr int oldest_major = 7;  // Turing
constexpr int oldest_minor = 5;
constexpr double device_mebibyte = 1024.0 * 1024.0;

std::string cuda_version(int number) {
    return fmt::format("{}.{}", number / 1000, number % 1000 / 10);
}

// Why CUDA cannot be used at all, and what would help.
std::string why_not(cudaError_t error) {
    int driver = 0;
    int runtime = 0;
    cudaDriverGetVersion(&driver);
    cudaRuntimeGetVersion(&runtime);
    switch (error) {
        case cudaErrorInsufficientDriver:
            return driver == 0 ? no_driver_text(look_around("/"))
                               : fmt::format("the NVIDIA driver knows CUDA {}, and this program needs {}: update it",
                                             cuda_version(driver), cuda_version(runtime));
        case cudaErrorNoDevice:
            return no_gpu_text(look_around("/"));
        case cudaErrorDevicesUnavailable:
            return "the GPU is another program's alone, or nobody's: nvidia-smi tells its compute mode, and "
                   "nvidia-smi -c DEFAULT lets several use it";
        case cudaErrorMemoryAllocation:
            return "the GPU has no memory left, which other programs have taken: nvidia-smi tells which";
        case cudaErrorStubLibrary:
            return "libcuda.so.1 is the toolkit's stub: install the driver, or take the stub off LD_LIBRARY_PATH";
        default:
            return fmt::format("{} ({})", cudaGetErrorString(error), cudaGetErrorName(error));
    }
}

void* as_pointer(int number) {
    return reinterpret_cast<void*>(static_cast<std::intptr_t>(number));
}

// Page-locked, usable from every thread and device. Where no more may be locked ordinary memory is only slower; of a
// GPU that was lost other calls tell.
AVBufferRef* allocate_pinned(int device, std::size_t size) {
    void* memory = nullptr;
    if (cudaSetDevice(device) != cudaSuccess || cudaHostAlloc(&memory, size, cudaHostAllocPortable) != cudaSuccess) {
        spdlog::debug("no more memory can be page-locked: {}", cudaGetErrorString(cudaGetLastError()));
        return allocate_picture(size);
    }
    // Whichever thread it is whose reference was the last one, no context is made on another GPU.
    const auto release = [](void* number, std::uint8_t* data) {
        cudaSetDevice(static_cast<int>(reinterpret_cast<std::intptr_t>(number)));
        cudaFreeHost(data);
    };
    AVBufferRef* const buffer =
        av_buffer_create(static_cast<std::uint8_t*>(memory), size, release, as_pointer(device), 0);
    if (buffer == nullptr) {
        cudaFreeHost(memory);
    }
    return buffer;
}

}  // namespace

void start_check(cudaError_t result, const char* call, const char* file, int line) {
    try {
        cuda_check(result, call, file, line);
    } catch (const CudaError& error) {
        throw Error(ExitCode::device, error.what());
    }
}

CudaDevice::CudaDevice(int device, int streams) : device_(device), streams_(streams > 0 ? streams : default_streams) {
    int count = 0;
    const cudaError_t found = cudaGetDeviceCount(&count);
    if (found != cudaSuccess || count == 0) {
        throw Error(ExitCode::device, why_not(found == cudaSuccess ? cudaErrorNoDevice : found));
    }
    if (device < 0 || device >= count) {
        throw Error(ExitCode::device, fmt::format("there is no GPU number {}, only {} of them", device, count));
    }
    cudaDeviceProp properties{};
    start_check(cudaGetDeviceProperties(&properties, device), "cudaGetDeviceProperties");
    if (std::pair(properties.major, properties.minor) < std::pair(oldest_major, oldest_minor)) {
        throw Error(ExitCode::device,
                    fmt::format("{} has compute capability {}.{}, and {}.{} is needed", properties.name,
                                properties.major, properties.minor, oldest_major, oldest_minor));
    }
    // The context is made here, so that a GPU that does not work is found before anything is opened.
    cudaError_t made = cudaSetDevice(device);
    made = made == cudaSuccess ? cudaFree(nullptr) : made;
    if (made != cudaSuccess) {
        cudaGetLastError();
        throw Error(ExitCode::device, fmt::format("{}: {}", properties.name, why_not(made)));
    }
}

PictureAllocator CudaDevice::allocator() const {
    return [device = device_](std::size_t size) { return allocate_pinned(device, size); };
}

std::unique_ptr<FilterEngine> CudaDevice::make_engine(const std::vector<FilterSpec>& filters,
                                                      const PictureFormat& format, FramePool& pool,
                                                      Trace* trace) const {
    return std::make_unique<CudaEngine>(filters, format, pool, device_, streams_, trace);
}

int CudaDevice::count() {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess ? std::max(count, 1) : 1;
}

std::string CudaDevice::list() {
    int count = 0;
    const cudaError_t found = cudaGetDeviceCount(&count);
    if (found != cudaSuccess || count == 0) {
        return fmt::format("cuda        none: {}\n", why_not(found == cudaSuccess ? cudaErrorNoDevice : found));
    }
    std::string text;
    for (int i = 0; i < count; ++i) {
        cudaDeviceProp properties{};
        if (cudaGetDeviceProperties(&properties, i) == cudaSuccess) {
            text += fmt::format("cuda:{:<7}{}, {:.0f} MiB, compute capability {}.{}\n", i, properties.name,
                                static_cast<double>(properties.totalGlobalMem) / device_mebibyte, properties.major,
                                properties.minor);
        }
    }
    return text;
}

}  // namespace vfilter
