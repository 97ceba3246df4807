#include "bench/gpu.h"

#include <algorithm>
#include <cstdint>

namespace vfilter::bench {

namespace {

// Four independent accesses of 16 bytes per thread.
__global__ void __launch_bounds__(256) copy_words(const uint4* from, uint4* to, std::size_t count) {
    const std::size_t first = std::size_t{blockIdx.x} * 1024 + threadIdx.x;
    uint4 words[4];
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
        if (first + 256 * i < count) {
            words[i] = __ldcs(from + first + 256 * i);
        }
    }
#pragma unroll
    for (unsigned i = 0; i < 4; ++i) {
        if (first + 256 * i < count) {
            __stcs(to + first + 256 * i, words[i]);
        }
    }
}

__global__ void scatter(std::uint32_t* words, std::size_t count, std::uint32_t mask) {
    const std::size_t stride = std::size_t{gridDim.x} * blockDim.x;
    for (std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x; i < count; i += stride) {
        std::uint32_t x = static_cast<std::uint32_t>(i) * 2654435761u + 12345u;
        x ^= x >> 16;
        x *= 0x85ebca6bu;
        x ^= x >> 13;
        words[i] = x & mask;
    }
}

}  // namespace

DeviceMemory allocate(std::size_t bytes) {
    void* memory = nullptr;
    cuda_check(cudaMalloc(&memory, bytes), "cudaMalloc");
    return DeviceMemory(static_cast<unsigned char*>(memory));
}

std::size_t rotated_bytes() {
    int device = 0;
    int cache = 0;
    cuda_check(cudaGetDevice(&device), "cudaGetDevice");
    cuda_check(cudaDeviceGetAttribute(&cache, cudaDevAttrL2CacheSize, device), "cudaDeviceGetAttribute");
    return 4 * std::max(static_cast<std::size_t>(cache), std::size_t{16} << 20);
}

void measure(std::vector<Contestant>& contestants, int works, int rounds) {
    cudaStream_t stream = nullptr;
    cudaEvent_t begin = nullptr;
    cudaEvent_t end = nullptr;
    cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    cuda_check(cudaEventCreate(&begin), "cudaEventCreate");
    cuda_check(cudaEventCreate(&end), "cudaEventCreate");
    std::vector<Contestant*> order;
    for (Contestant& contestant : contestants) {
        order.push_back(&contestant);
    }
    for (int round = -1; round < rounds; ++round) {
        for (Contestant* const contestant : order) {
            const int calls = contestant->works > 0 ? contestant->works : works;
            cuda_check(cudaEventRecord(begin, stream), "cudaEventRecord");
            for (int n = 0; n < calls; ++n) {
                contestant->run(n, stream);
            }
            cuda_check(cudaEventRecord(end, stream), "cudaEventRecord");
            cuda_check(cudaEventSynchronize(end), "cudaEventSynchronize");
            float milliseconds = 0;
            cuda_check(cudaEventElapsedTime(&milliseconds, begin, end), "cudaEventElapsedTime");
            if (round >= 0) {
                contestant->microseconds.push_back(1e3 * double{milliseconds} / calls);
            }
        }
        std::ranges::reverse(order);
    }
    cuda_check(cudaEventDestroy(begin), "cudaEventDestroy");
    cuda_check(cudaEventDestroy(end), "cudaEventDestroy");
    cuda_check(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

Spread measure_alone(const std::function<void(int n, cudaStream_t stream)>& run, double milliseconds) {
    int next = 0;
    std::vector<Contestant> alone{{"", [&](int /*n*/, cudaStream_t stream) { run(next++, stream); }}};
    measure(alone, 1, 1);
    const double once = std::max(alone[0].microseconds[0], 1.0);
    const int rounds = once > 200e3 ? 2 : once > 20e3 ? 3 : 7;
    alone[0].microseconds.clear();
    measure(alone, std::clamp(static_cast<int>(1e3 * milliseconds / (rounds + 1) / once), 1, 2000), rounds);
    return spread_of(alone[0].microseconds);
}

void copy(const void* from, void* to, std::size_t bytes, cudaStream_t stream) {
    const std::size_t words = bytes / sizeof(uint4);
    copy_words<<<static_cast<unsigned>((words + 1023) / 1024), 256, 0, stream>>>(static_cast<const uint4*>(from),
                                                                                 static_cast<uint4*>(to), words);
    cuda_check(cudaGetLastError(), "copy_words");
}

Peak peak() {
    struct Capability {
        int major;
        int minor;
        double lanes;             // of one multiprocessor
        double tensor_per_clock;  // FLOP of one multiprocessor
    };
    constexpr Capability known[] = {
        {7, 5, 64, 1024}, {8, 0, 64, 2048}, {8, 6, 128, 1024}, {8, 9, 128, 1024}, {9, 0, 128, 4096},
    };
    int device = 0;
    cuda_check(cudaGetDevice(&device), "cudaGetDevice");
    const auto attribute = [&](cudaDeviceAttr name) {
        int value = 0;
        cuda_check(cudaDeviceGetAttribute(&value, name, device), "cudaDeviceGetAttribute");
        return value;
    };
    const int major = attribute(cudaDevAttrComputeCapabilityMajor);
    const int minor = attribute(cudaDevAttrComputeCapabilityMinor);
    const auto* const row =
        std::ranges::find_if(known, [&](const Capability& each) { return each.major == major && each.minor == minor; });
    const Capability mine = row != std::end(known) ? *row : Capability{major, minor, 128, 0};
    const double clocks = 1e3 * attribute(cudaDevAttrClockRate) * attribute(cudaDevAttrMultiProcessorCount);
    return {2 * mine.lanes * clocks, mine.tensor_per_clock * clocks};
}

void fill_random(void* to, std::size_t bytes, unsigned mask) {
    scatter<<<1024, 256>>>(static_cast<std::uint32_t*>(to), bytes / sizeof(std::uint32_t), mask);
    cuda_check(cudaDeviceSynchronize(), "scatter");
}

std::vector<Fact> gpu_facts(int gpu) {
    cudaDeviceProp properties{};
    int driver = 0;
    int runtime = 0;
    cuda_check(cudaGetDeviceProperties(&properties, gpu), "cudaGetDeviceProperties");
    cuda_check(cudaDriverGetVersion(&driver), "cudaDriverGetVersion");
    cuda_check(cudaRuntimeGetVersion(&runtime), "cudaRuntimeGetVersion");
    const auto version = [](int number) {
        return std::to_string(number / 1000) + "." + std::to_string(number % 1000 / 10);
    };
    return {{"gpu", "GPU", properties.name},
            {"gpu_capability", "Compute capability",
             std::to_string(properties.major) + "." + std::to_string(properties.minor)},
            {"gpu_multiprocessors", "Multiprocessors", std::to_string(properties.multiProcessorCount)},
            {"gpu_memory", "GPU memory", std::to_string(properties.totalGlobalMem >> 30) + " GiB"},
            {"gpu_l2", "GPU's L2 cache", std::to_string(properties.l2CacheSize >> 20) + " MiB"},
            {"cuda", "CUDA", "driver for " + version(driver) + ", runtime " + version(runtime)}};
}

}  // namespace vfilter::bench
