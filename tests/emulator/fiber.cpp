#include "tests/emulator/fiber.h"

#include <sys/mman.h>

#include <algorithm>

#include "tests/emulator/cuda_emulator.h"

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define __SANITIZE_ADDRESS__ 1
#endif
#endif
#ifdef __SANITIZE_ADDRESS__
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

#ifdef __x86_64__
// Saves what a call keeps on the stack, and goes on where another stack was left.
extern "C" void vfilter_switch_stack(void** left, void* to);
asm(R"(
.text
.globl vfilter_switch_stack
.type vfilter_switch_stack,@function
vfilter_switch_stack:
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    movq %rsp, (%rdi)
    movq %rsi, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    ret
.size vfilter_switch_stack, .-vfilter_switch_stack
)");
#endif

namespace cuda_emulator {

namespace {

constexpr std::size_t stack_bytes = 256 * 1024;

}  // namespace

void switch_fiber(Fiber& from, Fiber& to) {
#ifdef __SANITIZE_ADDRESS__
    void* fake = nullptr;
    __sanitizer_start_switch_fiber(&fake, to.bottom, to.size);
#endif
#ifdef __x86_64__
    vfilter_switch_stack(&from.top, to.top);
#else
    swapcontext(&from.context, &to.context);
#endif
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(fake, nullptr, nullptr);
#endif
}

void prepare(Fiber& fiber, void (*entry)()) {
    if (fiber.memory == nullptr) {
        void* const memory = mmap(nullptr, stack_bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
        if (memory == MAP_FAILED || mprotect(memory, 4096, PROT_NONE) != 0) {
            fail("no memory for a stack");
        }
        fiber.memory = static_cast<char*>(memory);
        fiber.bottom = memory;
        fiber.size = stack_bytes;
    }
#ifdef __SANITIZE_ADDRESS__
    __asan_unpoison_memory_region(fiber.memory + 4096, stack_bytes - 4096);
#endif
#ifdef __x86_64__
    void** const top = reinterpret_cast<void**>(fiber.memory + stack_bytes);
    std::fill_n(top - 8, 8, nullptr);
    top[-2] = reinterpret_cast<void*>(entry);  // where `ret` leads to; below are the six registers
    fiber.top = top - 8;
#else
    getcontext(&fiber.context);
    fiber.context.uc_stack.ss_sp = fiber.memory;
    fiber.context.uc_stack.ss_size = stack_bytes;
    makecontext(&fiber.context, entry, 0);
#endif
}

void begin_fiber([[maybe_unused]] Fiber& scheduler) {
#ifdef __SANITIZE_ADDRESS__
    __sanitizer_finish_switch_fiber(nullptr, &scheduler.bottom, &scheduler.size);
#endif
}

}  // namespace cuda_emulator
