// Losses of whole streams, before and after it is known which of them matter.

#include "io/input/stream_watch.h"

#include <gtest/gtest.h>

#include "config/error.h"
#include "config/io_options.h"

namespace vfilter {
namespace {

Damage silence_of(const std::string& what) {
    Damage loss;
    loss.fall_silent();
    loss.note(what);
    return loss;
}

TEST(StreamWatchTest, WhatIsLostEarlyWaitsUntilItIsKnownWhatIsUsed) {
    StreamWatch watch(kind::all, false, false);
    watch.add(1, silence_of("stream 1"));
    watch.add(2, silence_of("stream 2"));
    EXPECT_FALSE(watch.take().any());
    watch.settle({2});
    EXPECT_EQ(watch.take().notes, std::vector<std::string>{"stream 1"});
    watch.add(2, silence_of("stream 2 again"));
    EXPECT_FALSE(watch.take().any()) << "there is no place for it";
    watch.add(-1, silence_of("a new one"));
    EXPECT_EQ(watch.take().silences, 1);
    EXPECT_FALSE(watch.take().any()) << "it was taken";
}

TEST(StreamWatchTest, TheFirstLossEndsAStrictRunOnceItMatters) {
    StreamWatch watch(kind::all, true, false);
    watch.add(1, silence_of("stream 1"));
    EXPECT_THROW(watch.settle({}), Error);
    StreamWatch other(kind::all, true, false);
    other.add(1, silence_of("stream 1"));
    EXPECT_NO_THROW(other.settle({1}));
    EXPECT_NO_THROW(other.add(1, silence_of("stream 1")));
    EXPECT_THROW(other.add(0, silence_of("stream 0")), Error);
}

TEST(StreamWatchTest, WhatIsReadAgainFromElsewhereIsForgotten) {
    StreamWatch watch(kind::all, false, false);
    watch.add(1, silence_of("stream 1"));
    watch.forget();
    watch.settle({});
    watch.add(1, silence_of("stream 1"));
    watch.forget();
    EXPECT_FALSE(watch.take().any());
}

}  // namespace
}  // namespace vfilter
