#pragma once
// Stacks of execution that give way to each other, by hand: a kernel has up to 1,024 threads a block.

#include <cstddef>

#ifndef __x86_64__
#include <ucontext.h>
#endif

namespace cuda_emulator {

/// A stack of execution: the scheduler's, or a thread's with memory of its own.
struct Fiber {
#ifdef __x86_64__
    void* top = nullptr;
#else
    ucontext_t context{};
#endif
    char* memory = nullptr;
    // The address sanitizer wants to know on which stack it is.
    const void* bottom = nullptr;
    std::size_t size = 0;
};

/// Goes on where `to` was left; returns when somebody switches back to `from`.
void switch_fiber(Fiber& from, Fiber& to);
/// Makes the next switch to that fiber a call of `entry`, which does not return. Its memory is made once, and kept.
void prepare(Fiber& fiber, void (*entry)());
/// To be called first on a fiber that was prepared: learns the scheduler's stack for the address sanitizer.
void begin_fiber(Fiber& scheduler);

}  // namespace cuda_emulator
