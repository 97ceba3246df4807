// Steps with time one after another: what works when, and on which pictures.

#include "pipeline/engine/window_legs.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <vector>

namespace vfilter {
namespace {

struct WindowChain {
    std::vector<TimeReach> windows;
    std::size_t delay;
    int memory;
};

const WindowChain window_chains[] = {
    {{{1, 1}}, 1, 1}, {{{2, 0}}, 0, 2}, {{{0, 3}}, 3, 0}, {{{1, 2}, {3, 1}}, 3, 3}, {{{2, 2}, {1, 0}, {1, 4}}, 6, 2},
};

TEST(WindowLegs, TellsWhatChainsWaitForAndKeep) {
    for (const WindowChain& chain : window_chains) {
        const WindowLegs legs(chain.windows);
        EXPECT_EQ(legs.delay(), chain.delay);
        EXPECT_EQ(legs.longest_memory(), chain.memory);
    }
}

// Each picture goes through each leg once, in order, when its window has come there and as soon as it has; the window
// is that of a video of so many pictures; and nobody looks at one that may be forgotten.
TEST(WindowLegs, EveryPictureGoesThroughEveryLegWithItsWindow) {
    for (const WindowChain& chain : window_chains) {
        for (const std::int64_t count : {1, 2, 5, 20}) {
            WindowLegs legs(chain.windows);
            std::vector<std::int64_t> gone(chain.windows.size());
            std::int64_t added = 0;
            const auto run = [&] {
                while (const auto turn = legs.next()) {
                    const TimeReach reach = chain.windows[turn->leg];
                    EXPECT_EQ(turn->picture, gone[turn->leg]++);
                    std::vector<std::int64_t> window;
                    for (int offset = -reach.before; offset <= reach.after; ++offset) {
                        if (offset != 0) {
                            window.push_back(picture_in_time(turn->picture, offset, reach, count));
                        }
                    }
                    EXPECT_EQ(turn->neighbours, window);
                    for (const std::int64_t seen : window) {
                        EXPECT_LT(seen, turn->leg == 0 ? added : gone[turn->leg - 1]);
                        EXPECT_LE(added - 1 - seen, static_cast<std::int64_t>(legs.pictures_kept()));
                    }
                }
            };
            for (; added < count;) {
                ++added;
                legs.add();
                run();
                EXPECT_EQ(gone.back(), std::max<std::int64_t>(added - static_cast<std::int64_t>(chain.delay), 0));
            }
            legs.end();
            run();
            EXPECT_EQ(gone, std::vector<std::int64_t>(chain.windows.size(), count));
        }
    }
}

}  // namespace
}  // namespace vfilter
