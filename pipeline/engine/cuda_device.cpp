#include "pipeline/engine/cuda_device.h"

#include <fmt/format.h>

#include <algorithm>
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
        case cudaErrorStubLibrary:
            return "libcuda.so.1 is the toolkit's stub: install the driver, or take the stub off LD_LIBRARY_PATH";
        default:
            return fmt::format("{} ({})", cudaGetErrorString(error), cudaGetErrorName(error));
    }
}

// Page-locked, usable from every thread and device.
AVBufferRef* allocate_pinned(int device, std::size_t size) {
    void* memory = nullptr;
    if (cudaSetDevice(device) != cudaSuccess || cudaHostAlloc(&memory, size, cudaHostAllocPortable) != cudaSuccess) {
        cudaGetLastError();  // told as a lack of memory
        return nullptr;
    }
    const auto release = [](void*, std::uint8_t* data) { cudaFreeHost(data); };
    AVBufferRef* const buffer = av_buffer_create(static_cast<std::uint8_t*>(memory), size, release, nullptr, 0);
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
    start_check(cudaSetDevice(device), "cudaSetDevice");
    start_check(cudaFree(nullptr), "cudaFree");
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
