// Filters of the library that look at several pictures.

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "tests/library/test_pictures.h"

namespace {

using namespace vfilter_library_test;
using vfilter::Context;
using vfilter::Operation;

// Pictures of a batch are a video's. Each step is made of all that the one before has made.
std::vector<std::vector<PlainPlane>> filter_video(const std::vector<std::pair<std::string, std::string>>& steps,
                                                  const vfilter_format& format, int width, int height,
                                                  std::vector<std::vector<PlainPlane>> channels) {
    for (const auto& [filter, arguments] : steps) {
        for (std::size_t channel = 0; channel < channels.size(); ++channel) {
            const std::vector<PlainPlane> before = channels[channel];
            for (int i = 0; i < static_cast<int>(before.size()); ++i) {
                channels[channel][static_cast<std::size_t>(i)] = vfilter::test::filter_plainly(
                    filter, arguments, {.depth = format.depth, .component = format.components[channel]}, width, height,
                    before, i);
            }
        }
    }
    return channels;
}

TEST(Library, FiltersWithTimeSeeTheBatch) {
    const Context context(2);
    using Steps = std::vector<std::pair<std::string, std::string>>;
    std::size_t turn = 0;
    for (const Steps& steps : {Steps{{"tmedian", "1"}},
                               {{"taverage", "2:limit=200"}},
                               {{"tmedian", "2:after=1"}},
                               {{"nlmeans", "9:frames=1:search=3:patch=3:alpha=on"}},
                               {{"gaussian", "3"}, {"tmedian", "1"}, {"taverage", "1:after=0"}, {"sharpen", "1"}}}) {
        for (const int count : {1, 2, 7}) {
            const int channels = 1 + static_cast<int>(turn % 4);
            const Layout& layout = layouts[turn % std::size(layouts)];
            const Layout& result_layout = layouts[turn / 2 % std::size(layouts)];
            ++turn;
            SCOPED_TRACE(steps.back().first + ", " + std::to_string(count) + " of " + std::to_string(channels) +
                         " channels, " + layout.name + ", " + result_layout.name);
            const vfilter_format format = vfilter::picture_format(12, channels);
            TestPictures<std::uint16_t> source(layout, 19, 13, channels, count);
            std::vector<std::vector<PlainPlane>> video(static_cast<std::size_t>(channels));
            for (int i = 0; i < count * channels; ++i) {
                const PlainPlane plane = random_plane(19, 13, 12, static_cast<unsigned>(i));
                source.set(i / channels, i % channels, plane);
                video[static_cast<std::size_t>(i % channels)].push_back(plane);
            }
            const auto expected = filter_video(steps, format, 19, 13, std::move(video));
            const Operation operation(context, steps, format);
            TestPictures<std::uint16_t> whole(result_layout, 19, 13, channels, count);
            operation.run(source.picture(), whole.picture());
            for (int i = 0; i < count * channels; ++i) {
                EXPECT_TRUE(whole.get(i / channels, i % channels) ==
                            expected[static_cast<std::size_t>(i % channels)][static_cast<std::size_t>(i / channels)])
                    << "channel " << i % channels << " of picture " << i / channels;
            }
            EXPECT_TRUE(whole.guards_intact());

            // Picture by picture, of as many as decide it, each at a place of its own.
            const auto [before, after] = operation.reach();
            for (int i = 0; i < count; ++i) {
                const int first = std::max(i - before, 0);
                std::vector<void*> places;
                for (int j = first; j <= std::min(i + after, count - 1); ++j) {
                    places.push_back(static_cast<unsigned char*>(source.picture().data) +
                                     j * source.picture().picture_pitch);
                }
                vfilter_picture window = source.picture();
                window.data = nullptr;
                window.places = places.data();
                window.count = static_cast<std::ptrdiff_t>(places.size());
                TestPictures<std::uint16_t> alone(result_layout, 19, 13, channels, 1);
                vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
                options.first = i - first;
                operation.run(window, alone.picture(), &options);
                for (int channel = 0; channel < channels; ++channel) {
                    EXPECT_TRUE(alone.get(0, channel) ==
                                expected[static_cast<std::size_t>(channel)][static_cast<std::size_t>(i)])
                        << "channel " << channel << " of picture " << i << " by itself";
                }
            }
        }
    }
}

}  // namespace
