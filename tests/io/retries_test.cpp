// Further tries at what was lost.

#include "io/retries.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

TEST(Retries, AreCountedInARow) {
    const auto at_once = [] { return true; };  // interrupted
    Retries retries(2);
    EXPECT_TRUE(retries.left());
    EXPECT_FALSE(retries.wait("it ended", "opened", at_once));
    EXPECT_TRUE(retries.left());
    EXPECT_FALSE(retries.wait("it ended", "opened", at_once));
    EXPECT_FALSE(retries.left());
    retries.forget();
    EXPECT_TRUE(retries.left());
    EXPECT_FALSE(Retries(0).left());
}

}  // namespace
}  // namespace vfilter
