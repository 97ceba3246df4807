#pragma once
// A block's threads as fibers, which give way to each other at barriers and at what a warp does together, and nowhere
// else: what the emulated instructions and launches stand on.
//
// Warps, and the lanes of a warp, run in an order that is drawn anew after every barrier, so that a forgotten one makes
// wrong results: VFILTER_EMULATOR_SEED gives another order. Misuse ends the program and says where.

#include <cstddef>
#include <cstdint>
#include <memory>

namespace cuda_emulator {

constexpr int warp_lanes = 32;
// What a block may have of shared memory: without asking for it, and at most.
constexpr std::size_t plain_shared_bytes = 48 * 1024;
constexpr std::size_t max_shared_bytes = 227 * 1024;
/// What memory holds that nobody has written.
constexpr unsigned char poison = 0xa5;

/// What the lanes of a mask gave to an operation of the warp, null for the others.
using Operands = void* [warp_lanes];

/// Says what is wrong, in which thread of which block, and aborts.
[[noreturn]] void fail(const char* what);
/// The index in its warp of the thread that runs.
int lane();
/// Waits until all threads of the block are here.
void wait_for_block();
/// Waits until all lanes of the mask are here; the last one does the work of all. `operand` may lie on the stack.
void together(const char* operation, unsigned mask, void* operand, void (*work)(Operands& operands));
/// Ends the program unless these bytes are part of the block's shared memory and begin at a multiple of `alignment`.
void check_shared(const void* address, std::size_t bytes, std::size_t alignment);

// Copies of one thread that are under way. They are made when they are waited for, and no sooner.
void begin_copy(void* shared_to, const void* from, int valid_bytes);
void wait_for_copies();

// Counts of arrivals in shared memory.
void init_arrivals(std::uint64_t* arrivals, int count);
void arrive(std::uint64_t* arrivals);
/// Once the copies that this thread has begun until now are made, which is when somebody waits for it.
void arrive_with_copies(std::uint64_t* arrivals);
/// Waits until the current phase is none of that parity.
void wait_for_arrivals(std::uint64_t* arrivals, unsigned parity);

/// together() with a work of any type, for all lanes of the mask: `work(lanes)`, an array of pointers to what they
/// gave.
template <class Operand, class Work>
void together(const char* operation, unsigned mask, Operand& operand, const Work&) {
    together(operation, mask, std::addressof(operand), [](Operands& operands) {
        Operand* lanes[warp_lanes];
        for (int i = 0; i < warp_lanes; ++i) {
            lanes[i] = static_cast<Operand*>(operands[i]);
        }
        Work{}(lanes);
    });
}

}  // namespace cuda_emulator
