// What stands for Highway's library on x86, against that library.

#include <dlfcn.h>
#include <gtest/gtest.h>
#include <hwy/targets.h>

#include <cstdint>

#include "kernels/cpu/simd.h"

#if HWY_ARCH_X86

namespace vfilter::test {

namespace {

TEST(Highway, FindsTheTargetsThatItsLibraryFinds) {
    void* const library = dlopen("libhwy.so.1", RTLD_NOW | RTLD_LOCAL);  // libhwy-dev brings it
    ASSERT_NE(library, nullptr) << dlerror();
    void* const symbol = dlsym(library, "_ZN3hwy16SupportedTargetsEv");
    ASSERT_NE(symbol, nullptr) << dlerror();
    const std::int64_t theirs = reinterpret_cast<std::int64_t (*)()>(symbol)();
    force_simd_target("");
    EXPECT_NE(reinterpret_cast<std::int64_t (*)()>(symbol), &hwy::SupportedTargets);
    constexpr std::int64_t asked = HWY_SSSE3 | HWY_SSE4 | HWY_AVX2 | HWY_AVX3 | HWY_AVX3_DL;
    EXPECT_EQ(hwy::SupportedTargets() & asked, theirs & asked);
    EXPECT_NE(theirs & asked, 0);
}

}  // namespace

}  // namespace vfilter::test

#endif
