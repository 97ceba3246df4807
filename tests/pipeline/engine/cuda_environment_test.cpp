#include "pipeline/engine/cuda_environment.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

using Numbers = std::vector<int>;

TEST(CudaEnvironment, NamesAreNumbers) {
    EXPECT_EQ(gpu_numbers("auto"), Numbers({0}));
    EXPECT_EQ(gpu_numbers("cuda"), Numbers({0}));
    EXPECT_EQ(gpu_numbers("cuda:3"), Numbers({3}));
    EXPECT_EQ(gpu_numbers("cuda:2,cuda:0"), Numbers({2, 0}));
    EXPECT_EQ(gpu_numbers("all"), Numbers());
}

TEST(CudaEnvironment, GpusBehindTheLastOneAreNotShown) {
    EXPECT_EQ(visible_devices({0}, {}), "0");
    EXPECT_EQ(visible_devices({2}, {}), "0,1,2");
    EXPECT_EQ(visible_devices({1, 0}, {}), "0,1");
    EXPECT_EQ(visible_devices({}, {}), std::nullopt);
}

TEST(CudaEnvironment, WhatTheUserShowsKeepsItsNumbers) {
    EXPECT_EQ(visible_devices({0}, "5,3"), "5");
    EXPECT_EQ(visible_devices({1}, "5,3,GPU-8f"), "5,3");
    EXPECT_EQ(visible_devices({0}, "GPU-8f"), std::nullopt);
    EXPECT_EQ(visible_devices({4}, "0,1"), std::nullopt);
    EXPECT_EQ(visible_devices({0}, ""), std::nullopt);
}

// In a process of its own: what is set stays.
void set(const char* users, const std::string& device, bool all_visible, const char* expected) {
    users == nullptr ? unsetenv("CUDA_VISIBLE_DEVICES") : setenv("CUDA_VISIBLE_DEVICES", users, 1);
    setenv("CUDA_DEVICE_MAX_CONNECTIONS", "4", 1);
    set_cuda_environment(device, all_visible);
    const auto is = [](const char* name) {
        const char* const value = std::getenv(name);
        return std::string(value == nullptr ? "unset" : value);
    };
    const bool users_kept = users_visible_devices().value_or("unset") == (users == nullptr ? "unset" : users);
    std::_Exit(is("CUDA_VISIBLE_DEVICES") == expected && is("CUDA_DEVICE_MAX_CONNECTIONS") == "4" && users_kept ? 0
                                                                                                                : 1);
}

TEST(CudaEnvironmentDeathTest, SetsWhatTheUserHasNot) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    EXPECT_EXIT(set(nullptr, "auto", false, "0"), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(set(nullptr, "auto", true, "unset"), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(set(nullptr, "all", false, "unset"), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(set("7,6", "cuda", false, "7"), testing::ExitedWithCode(0), "");
    EXPECT_EXIT(set("7,6", "cuda:1", false, "7,6"), testing::ExitedWithCode(0), "");
}

}  // namespace
}  // namespace vfilter
