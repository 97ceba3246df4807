#pragma once
// Memory, streams and times on one GPU, for the benchmarks. Everything throws std::runtime_error with the call's name.

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "bench/report.h"
#include "kernels/cuda/filter.h"

namespace vfilter::bench {

struct DeviceFree {
    void operator()(void* memory) const { cudaFree(memory); }
};
using DeviceMemory = std::unique_ptr<unsigned char, DeviceFree>;
DeviceMemory allocate(std::size_t bytes);

/// Device memory that several calls share: room for so many, and a copy of values.
template <class T>
using Device = std::shared_ptr<T>;
template <class T>
Device<T> on_device(std::size_t count) {
    const Device<unsigned char> bytes(allocate(sizeof(T) * count));
    return {bytes, reinterpret_cast<T*>(bytes.get())};
}
Device<float> on_device(const std::vector<float>& values);

/// At its end the last CUDA error is forgotten, so that the next launch is not blamed for it.
struct ErrorScope {
    ErrorScope() = default;
    ErrorScope(const ErrorScope&) = delete;
    ErrorScope& operator=(const ErrorScope&) = delete;
    ~ErrorScope() { cudaGetLastError(); }
};

/// Bytes that pictures must have together so that no cache holds them: beyond four times the GPU's L2.
std::size_t rotated_bytes();

/// How many parts of that size cover a whole.
inline unsigned parts(std::size_t whole, std::size_t part) {
    return static_cast<unsigned>((whole + part - 1) / part);
}

/// One way to do the work on buffers number n. Launches on `stream` and returns.
struct Contestant {
    std::string name;
    std::function<void(int n, cudaStream_t stream)> run;
    std::vector<double> microseconds{};  ///< filled by measure(): of one work, one value for each round
    int works = 0;                       ///< of its own; 0: measure()'s
    int of_call = 1;                     ///< works that one call of `run` is
};

/// The same as a graph of `works` works, numbers 0 and following, which is made here and launched with each call: what
/// a GPU needs without the time in which a program tells it what to do.
Contestant replayed(const Contestant& contestant, int works);

/// Times the contestants in turns, forwards and backwards: each round of each one is `works` calls, with n from 0,
/// between two events. The first round warms up and does not count.
void measure(std::vector<Contestant>& contestants, int works, int rounds);

/// Times one way by itself, in microseconds of one work: each round is as many works as fill the time that they get
/// together, and a way that is slow gets fewer rounds. `run` is called with ever higher n.
Spread measure_alone(const std::function<void(int n, cudaStream_t stream)>& run, double milliseconds = 30);

/// A kernel that copies `bytes` (a multiple of 16) with accesses of 16 bytes: the floor of whatever reads and writes
/// as much.
void copy(const void* from, void* to, std::size_t bytes, cudaStream_t stream);

/// What the current GPU could compute, multiply-adds counted as two: in fp32 on its ordinary lanes, and in fp16 with
/// sums in fp32 on its tensor cores, dense. 0 where it is not known.
struct Peak {
    double fp32 = 0;         ///< FLOP/s
    double fp16_tensor = 0;  ///< FLOP/s
};
Peak peak();

/// Operations per second, multiply-adds counted as two, of mma.sync.m16n8k32 on signed bytes with sums of 32 bits, as
/// the current GPU does them here and now. 0 where this program has no such instruction for it: before sm_80, or where
/// a program made for older ones is translated for it.
double byte_tensor_rate();

/// Random bytes; of each 32 bits those in `mask`.
void fill_random(void* to, std::size_t bytes, unsigned mask);

/// Name, multiprocessors, memory, L2 cache, driver and runtime of a GPU.
std::vector<Fact> gpu_facts(int gpu);

}  // namespace vfilter::bench
