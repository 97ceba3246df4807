// Warps and blocks of fibers: a launch, the barriers that its threads wait at and the memory that it checks.

#include "tests/emulator/cuda_emulator.h"

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <deque>
#include <map>
#include <mutex>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "tests/emulator/cuda_device.h"
#include "tests/emulator/fiber.h"

dim3 threadIdx;
dim3 blockIdx;
dim3 blockDim;
dim3 gridDim;

namespace {
using cuda_emulator::max_shared_bytes;
constexpr std::size_t guard_bytes = 1024;  // after a block's shared memory
}  // namespace

// The dynamic shared memory. Kernels call it what they like, so it has all names that they use, in whichever namespace.
extern "C" {
alignas(1024) constinit thread_local unsigned char vfilter_emulated_shared[max_shared_bytes + guard_bytes];
}
#define SHARED_NAME(name) ".globl " name "\n.type " name ",@tls_object\n.set " name ", vfilter_emulated_shared\n"
asm(SHARED_NAME("_ZN7vfilter4cuda9decimated6sharedE") SHARED_NAME("_ZN7vfilter4cuda8fallback6sharedE")
        SHARED_NAME("_ZN7vfilter4cuda8nl_means6sharedE") SHARED_NAME("_ZN7vfilter4cuda6median6sharedE")
            SHARED_NAME("_ZN7vfilter4cuda16tensor_registers6sharedE")
                SHARED_NAME("_ZN7vfilter4cuda13tensor_shared6sharedE")
                    SHARED_NAME("_ZN7vfilter4cuda12_GLOBAL__N_16sharedE"));

namespace cuda_emulator {

namespace {

struct Copy {
    void* to;
    const void* from;
    int valid_bytes;
};

/// Copies that an arrival waits for.
struct Arrival {
    std::uint64_t* arrivals;
    std::vector<Copy> copies;
};

enum class State { ready, at_block_barrier, in_warp, at_arrivals, ended };

struct Thread {
    Fiber fiber;
    State state = State::ready;
    const char* operation = nullptr;
    unsigned mask = 0;
    void* operand = nullptr;
    std::vector<Copy> copies;       // that no arrival waits for yet
    std::vector<Arrival> arriving;  // oldest first
    std::uint64_t* awaited = nullptr;
    unsigned parity = 0;
};

struct Launch {
    void (*body)(Function, void*);
    Function kernel;
    void* argument;
};

std::mutex launching;  // one kernel at a time
std::map<Function, std::size_t> asked_shared_bytes;
Fiber scheduler;
std::deque<Thread> threads;  // of the block; more, if a launch before had more
int thread_count = 0;
int current = -1;
std::size_t shared_bytes = 0;
Launch launched;
std::minstd_rand order_of_threads;

Thread& own() {
    return threads[static_cast<std::size_t>(current)];
}

// A count of arrivals, from the lowest bits on: those of a phase, those that are missing, the phase's number.
constexpr std::uint64_t arrivals_unit = std::uint64_t{1} << 16;
constexpr std::uint64_t phase_unit = std::uint64_t{1} << 32;

bool ended(const std::uint64_t* arrivals, unsigned parity) {
    return (*arrivals / phase_unit & 1) != parity;
}

void make(std::vector<Copy>& copies) {
    for (const Copy& copy : copies) {
        std::memset(copy.to, 0, 16);
        if (copy.valid_bytes > 0) {
            std::memcpy(copy.to, copy.from, static_cast<std::size_t>(copy.valid_bytes));
        }
    }
    copies.clear();
}

void give_way(State state) {
    own().state = state;
    switch_fiber(own().fiber, scheduler);
}

void run_thread() {
    begin_fiber(scheduler);
    launched.body(launched.kernel, launched.argument);
    give_way(State::ended);
    std::abort();
}

void resume(int index) {
    current = index;
    const auto i = static_cast<unsigned>(index);
    threadIdx = {i % blockDim.x, i / blockDim.x % blockDim.y, i / blockDim.x / blockDim.y};
    switch_fiber(scheduler, own().fiber);
}

/// Makes the copies that such arrivals wait for. Returns whether there were any.
bool make_arrive(std::uint64_t* arrivals) {
    bool any = false;
    for (int i = 0; i < thread_count; ++i) {
        std::vector<Arrival>& arriving = threads[static_cast<std::size_t>(i)].arriving;
        const auto here = std::stable_partition(arriving.begin(), arriving.end(),
                                                [&](const Arrival& arrival) { return arrival.arrivals != arrivals; });
        any = any || here != arriving.end();
        for (auto arrival = here; arrival != arriving.end(); ++arrival) {
            make(arrival->copies);
            arrive(arrivals);
        }
        arriving.erase(here, arriving.end());
    }
    return any;
}

/// Runs a warp until none of its threads can go on. Returns whether one could.
bool run_warp(int first) {
    bool any = false;
    for (bool again = true; again;) {
        again = false;
        const auto turn = static_cast<int>(order_of_threads() % warp_lanes);
        for (int i = 0; i < warp_lanes; ++i) {
            const int index = first + (i ^ turn);
            if (index >= thread_count) {
                continue;
            }
            const Thread& thread = threads[static_cast<std::size_t>(index)];
            if (thread.state == State::ready ||
                (thread.state == State::at_arrivals && ended(thread.awaited, thread.parity))) {
                resume(index);
                again = any = true;
            }
        }
    }
    return any;
}

int count(State state) {
    return static_cast<int>(std::count_if(threads.begin(), threads.begin() + thread_count,
                                          [=](const Thread& thread) { return thread.state == state; }));
}

void run_block() {
    std::memset(vfilter_emulated_shared, poison, shared_bytes + guard_bytes);
    std::vector<int> warps;
    for (int i = 0; i < thread_count; ++i) {
        Thread& thread = threads[static_cast<std::size_t>(i)];
        prepare(thread.fiber, run_thread);
        thread.state = State::ready;
        thread.copies.clear();
        thread.arriving.clear();
        if (i % warp_lanes == 0) {
            warps.push_back(i);
        }
    }
    while (count(State::ended) < thread_count) {
        std::shuffle(warps.begin(), warps.end(), order_of_threads);
        bool any = false;
        for (const int warp : warps) {
            any = run_warp(warp) || any;
        }
        for (int i = 0; i < thread_count && !any; ++i) {
            const Thread& thread = threads[static_cast<std::size_t>(i)];
            any = thread.state == State::at_arrivals && make_arrive(thread.awaited);
        }
        const int waiting = count(State::at_block_barrier);
        if (waiting == thread_count) {
            for (int i = 0; i < thread_count; ++i) {
                threads[static_cast<std::size_t>(i)].state = State::ready;
            }
        } else if (!any) {
            const auto stuck = std::find_if(threads.begin(), threads.begin() + thread_count,
                                            [](const Thread& thread) { return thread.state != State::ended; });
            current = static_cast<int>(stuck - threads.begin());
            const std::string what = std::string("deadlock: ") + std::to_string(waiting) + " of " +
                                     std::to_string(thread_count) + " threads wait at __syncthreads, " +
                                     std::to_string(count(State::in_warp)) + " for their warps, " +
                                     std::to_string(count(State::at_arrivals)) + " for arrivals, " +
                                     std::to_string(count(State::ended)) + " have ended; the first one waits at " +
                                     (stuck->state == State::in_warp       ? stuck->operation
                                      : stuck->state == State::at_arrivals ? "a count of arrivals"
                                                                           : "__syncthreads");
            fail(what.c_str());
        }
    }
    const auto* const guard = vfilter_emulated_shared + shared_bytes;
    if (!std::all_of(guard, guard + guard_bytes, [](unsigned char byte) { return byte == poison; })) {
        fail("something was written after the block's shared memory");
    }
}

}  // namespace

void fail(const char* what) {
    std::fprintf(
        stderr, "CUDA emulator: %s\n  block %u,%u,%u of %u,%u,%u, thread %d of %d, %zu bytes of shared memory\n", what,
        blockIdx.x, blockIdx.y, blockIdx.z, gridDim.x, gridDim.y, gridDim.z, current, thread_count, shared_bytes);
    std::abort();
}

int lane() {
    return current % warp_lanes;
}

void wait_for_block() {
    give_way(State::at_block_barrier);
}

void together(const char* operation, unsigned mask, void* operand, void (*work)(Operands& operands)) {
    if ((mask >> lane() & 1) == 0) {
        fail((std::string(operation) + " by a lane that is not in its mask").c_str());
    }
    Thread& thread = own();
    thread.operation = operation;
    thread.mask = mask;
    thread.operand = operand;
    const int first = current / warp_lanes * warp_lanes;
    // Mostly the lanes come in their order, so that the last one tells soonest that not all are there. The one that
    // finds all of them there compares them all.
    for (int i = warp_lanes - 1; i >= 0; --i) {
        if ((mask >> i & 1) == 0 || first + i == current) {
            continue;
        }
        const Thread* const other = first + i < thread_count ? &threads[static_cast<std::size_t>(first + i)] : nullptr;
        if (other == nullptr || other->state == State::ended) {
            fail((std::string(operation) + " with lane " + std::to_string(i) + ", which has ended").c_str());
        }
        if (other->state == State::at_block_barrier) {
            fail((std::string(operation) + " with lane " + std::to_string(i) + ", which is at __syncthreads").c_str());
        }
        if (other->state != State::in_warp) {
            give_way(State::in_warp);
            return;
        }
    }
    Operands operands{};
    for (int i = 0; i < warp_lanes; ++i) {
        if ((mask >> i & 1) == 0 || first + i == current) {
            continue;
        }
        const Thread& other = threads[static_cast<std::size_t>(first + i)];
        const bool same = other.operation == operation || std::strcmp(other.operation, operation) == 0;
        if (other.mask != mask || !same) {
            fail((std::string(operation) + " with lane " + std::to_string(i) + ", which is at " + other.operation +
                  (other.mask != mask ? " with another mask" : ""))
                     .c_str());
        }
        operands[i] = other.operand;
    }
    operands[lane()] = operand;
    work(operands);
    for (int i = 0; i < warp_lanes; ++i) {
        if ((mask >> i & 1) != 0) {
            threads[static_cast<std::size_t>(first + i)].state = State::ready;
        }
    }
}

void check_shared(const void* address, std::size_t bytes, std::size_t alignment) {
    const auto offset =
        reinterpret_cast<std::uintptr_t>(address) - reinterpret_cast<std::uintptr_t>(vfilter_emulated_shared);
    if (offset > shared_bytes || shared_bytes - offset < bytes) {
        fail(("byte " + std::to_string(static_cast<std::ptrdiff_t>(offset)) + " is outside of shared memory").c_str());
    }
    if (reinterpret_cast<std::uintptr_t>(address) % alignment != 0) {
        fail(("byte " + std::to_string(offset) + " of shared memory: no multiple of " + std::to_string(alignment))
                 .c_str());
    }
}

void begin_copy(void* shared_to, const void* from, int valid_bytes) {
    check_shared(shared_to, 16, 16);
    if (reinterpret_cast<std::uintptr_t>(from) % 16 != 0) {
        fail("a copy from an address that is no multiple of 16");
    }
    if (valid_bytes < 0 || valid_bytes > 16) {
        fail("a copy of more than 16 bytes, or of fewer than none");
    }
    std::memset(shared_to, poison, 16);  // from now on it may arrive
    own().copies.push_back({shared_to, from, valid_bytes});
}

void wait_for_copies() {
    make(own().copies);
}

void init_arrivals(std::uint64_t* arrivals, int count) {
    check_shared(arrivals, sizeof(*arrivals), alignof(std::uint64_t));
    *arrivals = static_cast<std::uint64_t>(count) * (1 + arrivals_unit);
}

void arrive(std::uint64_t* arrivals) {
    check_shared(arrivals, sizeof(*arrivals), alignof(std::uint64_t));
    *arrivals -= arrivals_unit;
    if (*arrivals / arrivals_unit % arrivals_unit == 0) {
        *arrivals += *arrivals % arrivals_unit * arrivals_unit + phase_unit;
    }
}

void arrive_with_copies(std::uint64_t* arrivals) {
    own().arriving.push_back({arrivals, std::exchange(own().copies, {})});
}

void wait_for_arrivals(std::uint64_t* arrivals, unsigned parity) {
    check_shared(arrivals, sizeof(*arrivals), alignof(std::uint64_t));
    make_arrive(arrivals);
    own().awaited = arrivals;
    own().parity = parity;
    while (!ended(arrivals, parity)) {
        give_way(State::at_arrivals);
    }
}

cudaError_t set_attribute(Function kernel, cudaFuncAttribute attribute, int value) {
    if (attribute == cudaFuncAttributeMaxDynamicSharedMemorySize) {
        if (value < 0 || static_cast<std::size_t>(value) > max_shared_bytes) {
            return cudaErrorInvalidValue;
        }
        const std::scoped_lock lock(launching);
        asked_shared_bytes[kernel] = static_cast<std::size_t>(value);
    }
    return cudaSuccess;
}

cudaError_t launch(Function kernel, dim3 grid, dim3 block, std::size_t bytes, void (*body)(Function, void*),
                   void* argument) {
    const std::scoped_lock lock(launching);
    const auto asked = asked_shared_bytes.find(kernel);
    const std::size_t max_bytes =
        asked != asked_shared_bytes.end() ? std::max(asked->second, plain_shared_bytes) : plain_shared_bytes;
    const unsigned count = block.x * block.y * block.z;
    if (grid.x == 0 || grid.y == 0 || grid.z == 0 || count == 0 || count > 1024 || bytes > max_bytes) {
        return cudaErrorInvalidValue;
    }
    static const bool seeded = [] {
        const char* const seed = std::getenv("VFILTER_EMULATOR_SEED");
        order_of_threads.seed(seed != nullptr ? static_cast<unsigned>(std::strtoul(seed, nullptr, 10)) : 1);
        return true;
    }();
    static_cast<void>(seeded);
    gridDim = grid;
    blockDim = block;
    shared_bytes = bytes;
    thread_count = static_cast<int>(count);
    if (threads.size() < count) {
        threads.resize(count);
    }
    launched = {body, kernel, argument};
    for (blockIdx.z = 0; blockIdx.z < grid.z; ++blockIdx.z) {
        for (blockIdx.y = 0; blockIdx.y < grid.y; ++blockIdx.y) {
            for (blockIdx.x = 0; blockIdx.x < grid.x; ++blockIdx.x) {
                run_block();
            }
        }
    }
    return cudaSuccess;
}

}  // namespace cuda_emulator
