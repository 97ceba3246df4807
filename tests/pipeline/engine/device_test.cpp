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

TEST(Device, WhatGpusHaveNoKernelForIsTheCpus) {
    const std::vector<FilterSpec> chain{parse_filter(*find_filter("gaussian"), "5"),
                                        parse_filter(*find_filter("deband"), "")};
    const auto chosen = choose_device_for(chain, "auto", 0, 0);
    EXPECT_FALSE(chosen->gpu());
    EXPECT_NE(chosen->note().find("filtering on the CPU: deband"), std::string::npos) << chosen->note();
    const auto dithered = choose_device_for({parse_filter(*find_filter("box"), "3:dither=on")}, "auto", 0, 0);
    EXPECT_NE(dithered->note().find("box with dither has no kernel"), std::string::npos) << dithered->note();
    EXPECT_EQ(choose_device_for(chain, "cpu", 0, 0)->note(), "");
    for (const char* const name : {"cuda", "cuda:0,cuda:1", "all"}) {
        try {
            choose_device_for(chain, name, 0, 0);
            ADD_FAILURE() << name;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::usage);
            EXPECT_NE(std::string(error.what()).find("deband"), std::string::npos) << error.what();
        }
    }
}

}  // namespace
}  // namespace vfilter
