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

constexpr int tensor_threads = 256;
constexpr int tensor_sums = 8;  // tiles of each warp whose products do not wait for each other
constexpr int tensor_loops = 2048;
constexpr double tile_operations = 2.0 * 16 * 8 * 32;

// Products of bytes that are not zero, as zeros cost less power and so leave a higher clock. A result is written so
// that something depends on each product.
__global__ void __launch_bounds__(tensor_threads) multiply_bytes(int* results) {
#if __CUDA_ARCH__ >= 800
    unsigned random = (blockIdx.x * tensor_threads + threadIdx.x) * 2654435761u + 12345u;
    unsigned a[4];
    unsigned b[2];
    for (unsigned& word : a) {
        word = random;
        random = random * 1664525u + 1013904223u;
    }
    for (unsigned& word : b) {
        word = random;
        random = random * 1664525u + 1013904223u;
    }
    int sums[tensor_sums][4] = {};
    for (int i = 0; i < tensor_loops; ++i) {
#pragma unroll
        for (int j = 0; j < tensor_sums; ++j) {
            asm volatile(
                "mma.sync.aligned.m16n8k32.row.col.s32.s8.s8.s32 {%0, %1, %2, %3}, {%4, %5, %6, %7}, {%8, %9}, "
                "{%0, %1, %2, %3};"
                : "+r"(sums[j][0]), "+r"(sums[j][1]), "+r"(sums[j][2]), "+r"(sums[j][3])
                : "r"(a[0]), "r"(a[1]), "r"(a[2]), "r"(a[3]), "r"(b[0]), "r"(b[1]));
        }
    }
    int result = 0;
#pragma unroll
    for (int j = 0; j < tensor_sums; ++j) {
        result ^= sums[j][0] ^ sums[j][1] ^ sums[j][2] ^ sums[j][3];
    }
    results[blockIdx.x * tensor_threads + threadIdx.x] = result;
#else
    results[blockIdx.x * tensor_threads + threadIdx.x] = 0;
#endif
}

}  // namespace

DeviceMemory allocate(std::size_t bytes) {
    void* memory = nullptr;
    cuda_check(cudaMalloc(&memory, bytes), "cudaMalloc");
    return DeviceMemory(static_cast<unsigned char*>(memory));
}

Device<float> on_device(const std::vector<float>& values) {
    Device<float> memory = on_device<float>(values.size());
    cuda_check(cudaMemcpy(memory.get(), values.data(), sizeof(float) * values.size(), cudaMemcpyHostToDevice),
               "cudaMemcpy");
    cuda_check(cudaStreamSynchronize(nullptr), "cudaStreamSynchronize");
    return memory;
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
                contestant->microseconds.push_back(1e3 * double{milliseconds} / calls / contestant->of_call);
            }
        }
        std::ranges::reverse(order);
    }
    cuda_check(cudaEventDestroy(begin), "cudaEventDestroy");
    cuda_check(cudaEventDestroy(end), "cudaEventDestroy");
    cuda_check(cudaStreamDestroy(stream), "cudaStreamDestroy");
}

Contestant replayed(const Contestant& contestant, int works) {
    cudaStream_t stream = nullptr;
    cudaGraph_t graph = nullptr;
    cudaGraphExec_t made = nullptr;
    cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    cuda_check(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "cudaStreamBeginCapture");
    for (int n = 0; n < works; ++n) {
        contestant.run(n, stream);
    }
    cuda_check(cudaStreamEndCapture(stream, &graph), "cudaStreamEndCapture");
    cuda_check(cudaGraphInstantiate(&made, graph, 0), "cudaGraphInstantiate");
    cuda_check(cudaGraphDestroy(graph), "cudaGraphDestroy");
    cuda_check(cudaStreamDestroy(stream), "cudaStreamDestroy");
    const std::shared_ptr<CUgraphExec_st> owner(made, cudaGraphExecDestroy);
    Contestant replay{contestant.name, [owner](int /*n*/, cudaStream_t on) {
                          cuda_check(cudaGraphLaunch(owner.get(), on), "cudaGraphLaunch");
                      }};
    replay.of_call = works;
    return replay;
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

double byte_tensor_rate() {
    cudaFuncAttributes made{};
    cuda_check(cudaFuncGetAttributes(&made, multiply_bytes), "cudaFuncGetAttributes");
    if (made.ptxVersion < 80) {  // of the PTX that the code came from
        return 0;
    }
    int device = 0;
    int multiprocessors = 0;
    cuda_check(cudaGetDevice(&device), "cudaGetDevice");
    cuda_check(cudaDeviceGetAttribute(&multiprocessors, cudaDevAttrMultiProcessorCount, device),
               "cudaDeviceGetAttribute");
    int blocks_of_one = 0;
    cuda_check(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks_of_one, multiply_bytes, tensor_threads, 0),
               "cudaOccupancyMaxActiveBlocksPerMultiprocessor");
    const unsigned blocks = static_cast<unsigned>(multiprocessors) * static_cast<unsigned>(blocks_of_one);
    const DeviceMemory results = allocate(sizeof(int) * tensor_threads * blocks);
    const Spread microseconds = measure_alone([&](int /*n*/, cudaStream_t stream) {
        multiply_bytes<<<blocks, tensor_threads, 0, stream>>>(reinterpret_cast<int*>(results.get()));
        cuda_check(cudaGetLastError(), "multiply_bytes");
    });
    const double warps = double{tensor_threads} / 32 * blocks;
    return 1e6 * warps * tensor_loops * tensor_sums * tile_operations / microseconds.median;
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
