// What Highway's library would be linked for, on x86: which of its targets this processor runs, and where its dispatch
// keeps that. With it Highway is headers alone, so that libvfilter and the Python module run where nobody has installed
// it. A Highway that asks for more than this does not link.

#include <cpuid.h>
#include <hwy/targets.h>

#include <atomic>
#include <cstdint>
#include <initializer_list>

#if !HWY_ARCH_X86
#error "Highway's library is linked on this machine: kernels/CMakeLists.txt"
#endif

namespace hwy {

namespace {

// Registers of CPUID that have to hold all of these bits, and the state that the operating system has to keep (XCR0).
// Each row is of the rows above it, too.
struct TargetNeeds {
    std::int64_t target;
    std::uint32_t basic;       // leaf 1, ecx
    std::uint32_t extended_b;  // leaf 7, ebx
    std::uint32_t extended_c;  // leaf 7, ecx
    std::uint32_t amd;         // leaf 0x80000001, ecx
    std::uint32_t state;
};

constexpr std::uint32_t bits_of(std::initializer_list<int> numbers) {
    std::uint32_t bits = 0;
    for (const int number : numbers) {
        bits |= 1U << number;
    }
    return bits;
}

constexpr TargetNeeds needs[] = {
    {HWY_SSSE3, bits_of({0, 9}), 0, 0, 0, 0},          // SSE3, SSSE3
    {HWY_SSE4, bits_of({1, 19, 20, 25}), 0, 0, 0, 0},  // PCLMUL, SSE4.1, SSE4.2, AES
    {HWY_AVX2, bits_of({12, 27, 28, 29}), bits_of({3, 5, 8}), 0, bits_of({5}), bits_of({1, 2})},
    // FMA, OSXSAVE, AVX, F16C; BMI, AVX2, BMI2; LZCNT
    {HWY_AVX3, 0, bits_of({16, 17, 28, 30, 31}), 0, 0, bits_of({5, 6, 7})},  // AVX-512 F, DQ, CD, BW, VL
    {HWY_AVX3_DL, 0, 0, bits_of({1, 6, 8, 9, 10, 11, 12, 14}), 0, 0},
    // VBMI, VBMI2, GFNI, VAES, VPCLMULQDQ, VNNI, BITALG, VPOPCNTDQ
};

std::uint32_t kept_state() {
    std::uint32_t low = 0;
    std::uint32_t high = 0;
    asm volatile("xgetbv" : "=a"(low), "=d"(high) : "c"(0));
    return low;
}

std::int64_t targets_of_processor() {
    unsigned a = 0;
    unsigned b = 0;
    unsigned c = 0;
    unsigned d = 0;
    TargetNeeds has{};
    if (__get_cpuid(1, &a, &b, &c, &d) != 0) {
        has.basic = c;
    }
    if (__get_cpuid_count(7, 0, &a, &b, &c, &d) != 0) {
        has.extended_b = b;
        has.extended_c = c;
    }
    if (__get_cpuid(0x80000001U, &a, &b, &c, &d) != 0) {
        has.amd = c;
    }
    if ((has.basic & bits_of({27})) != 0) {
        has.state = kept_state();
    }
    std::int64_t targets = HWY_ENABLED_BASELINE | HWY_SCALAR | HWY_EMU128;
    for (const TargetNeeds& row : needs) {
        const auto met = [](std::uint32_t there, std::uint32_t needed) { return (there & needed) == needed; };
        if (!met(has.basic, row.basic) || !met(has.extended_b, row.extended_b) ||
            !met(has.extended_c, row.extended_c) || !met(has.amd, row.amd) || !met(has.state, row.state)) {
            break;
        }
        targets |= row.target;
    }
    return targets;
}

std::atomic<std::int64_t> only_target{0};

}  // namespace

ChosenTarget& GetChosenTarget() {
    static ChosenTarget chosen;
    return chosen;
}

std::int64_t SupportedTargets() {
    static const std::int64_t supported = targets_of_processor();
    const std::int64_t only = only_target.load();
    return only != 0 ? only : supported;
}

void SetSupportedTargetsForTest(std::int64_t targets) {
    only_target.store(targets);
    GetChosenTarget().DeInit();
}

}  // namespace hwy
