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

}  // namespace
}  // namespace vfilter
