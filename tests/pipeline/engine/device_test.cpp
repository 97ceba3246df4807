// What --device chooses.

#include <gtest/gtest.h>

#include <string>

#include "config/error.h"
#include "pipeline/engine/filter_engine.h"

namespace vfilter {
namespace {

TEST(Device, AnExplicitGpuNeverFallsBack) {
    try {
        choose_device("cuda:99", 0);
        FAIL();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::device);
        EXPECT_NE(std::string(error.what()).find("--device cuda:99"), std::string::npos) << error.what();
    }
    EXPECT_NO_THROW(choose_device("auto", 0));
}

TEST(Device, WhatHasRunOnNoGpuIsTheCpusUnlessAGpuIsAskedFor) {
    const std::vector<FilterSpec> chain{parse_filter(*find_filter("gaussian"), "5"),
                                        parse_filter(*find_filter("deband"), "")};
    const auto chosen = choose_device_for(chain, "auto", 0, 0);
    EXPECT_FALSE(chosen->gpu());
    EXPECT_NE(chosen->note().find("filtering on the CPU: the kernel of deband has run"), std::string::npos)
        << chosen->note();
    const auto dithered = choose_device_for({parse_filter(*find_filter("box"), "3:dither=on")}, "auto", 0, 0);
    EXPECT_NE(dithered->note().find("the kernel of box with dither"), std::string::npos) << dithered->note();
    EXPECT_EQ(choose_device_for(chain, "cpu", 0, 0)->note(), "");
    try {
        EXPECT_TRUE(choose_device_for(chain, "cuda", 0, 0)->gpu());
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::device) << error.what();
    }
}

}  // namespace
}  // namespace vfilter
