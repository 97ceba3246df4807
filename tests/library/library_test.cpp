// libvfilter as others use it: its headers and its shared library.

#include <gtest/gtest.h>
#include <malloc.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdio>
#include <cstring>
#include <random>
#include <set>
#include <string>
#include <thread>
#include <vector>

#include "tests/library/c_interface.h"
#include "tests/library/plain_filter.h"
#include "vfilter/vfilter.hpp"

namespace {

using vfilter::Context;
using vfilter::Operation;
using vfilter::test::PlainFormat;
using vfilter::test::PlainPlane;

// Samples of pictures, and how they lie: what is between them must stay as it is.
struct Layout {
    const char* name;
    bool interleaved;
    bool backwards;    // channels
    bool upside_down;  // rows
    int gap;           // samples after a row
};
constexpr Layout layouts[] = {
    {"HWC", true, false, false, 0},
    {"HWC with gaps", true, false, false, 5},
    {"HWC backwards, upside down", true, true, true, 3},
    {"CHW", false, false, false, 0},
    {"CHW with gaps, upside down", false, false, true, 7},
};

template <class T>
class TestPictures {
public:
    TestPictures(const Layout& layout, int width, int height, int channels, int count)
        : width_(width), height_(height), channels_(channels), count_(count) {
        const int step = layout.interleaved ? channels : 1;
        const int row = width * step + layout.gap;
        const int plane = row * height;
        const int planes = layout.interleaved ? 1 : channels;
        bytes_.assign(static_cast<std::size_t>(plane * planes * count), guard);
        const std::ptrdiff_t size = sizeof(T);
        picture_ = VFILTER_PICTURE_INIT;
        const int first = (layout.upside_down ? row * (height - 1) : 0) + (layout.backwards ? channels - 1 : 0);
        picture_.data = bytes_.data() + first;
        picture_.width = width;
        picture_.height = height;
        picture_.channels = channels;
        picture_.count = count;
        picture_.pixel_pitch = size * step;
        picture_.row_pitch = size * (layout.upside_down ? -row : row);
        picture_.channel_pitch = size * (!layout.interleaved ? plane : layout.backwards ? -1 : 1);
        picture_.picture_pitch = size * plane * planes;
    }

    T& at(int picture, int channel, int x, int y) {
        return *reinterpret_cast<T*>(static_cast<unsigned char*>(picture_.data) + picture * picture_.picture_pitch +
                                     channel * picture_.channel_pitch + y * picture_.row_pitch +
                                     x * picture_.pixel_pitch);
    }
    void set(int picture, int channel, const PlainPlane& plane) {
        for (int i = 0; i < width_ * height_; ++i) {
            at(picture, channel, i % width_, i / width_) = static_cast<T>(plane[static_cast<std::size_t>(i)]);
        }
    }
    PlainPlane get(int picture, int channel) {
        PlainPlane plane;
        for (int i = 0; i < width_ * height_; ++i) {
            plane.push_back(at(picture, channel, i % width_, i / width_));
        }
        return plane;
    }
    // Whether no byte but samples is another than it was.
    bool guards_intact() {
        for (int i = 0; i < width_ * height_ * channels_ * count_; ++i) {
            const int pixel = i / channels_ / count_;
            at(i % count_, i / count_ % channels_, pixel % width_, pixel / width_) = guard;
        }
        return std::ranges::all_of(bytes_, [](T sample) { return sample == guard; });
    }
    const vfilter_picture& picture() const { return picture_; }

private:
    static constexpr T guard = static_cast<T>(0xa5a5);
    int width_;
    int height_;
    int channels_;
    int count_;
    std::vector<T> bytes_;
    vfilter_picture picture_{};
};

PlainPlane random_plane(int width, int height, int depth, unsigned seed) {
    std::mt19937 random(seed);
    PlainPlane plane(static_cast<std::size_t>(width * height));
    std::ranges::generate(plane, [&] { return static_cast<std::uint16_t>(random() % (1U << depth)); });
    return plane;
}

struct Run {
    std::string filter;
    std::string arguments{};
    int depth = 8;
    int channels = 1;
    int count = 1;
    int width = 37;
    int height = 21;
    const Layout* layout = &layouts[0];
    const Layout* result_layout = nullptr;  // null: the same
};

template <class T>
void expect_plain_result(const Context& context, const Run& run) {
    SCOPED_TRACE(run.filter + " " + run.arguments + ", " + std::to_string(run.depth) + " bits, " +
                 std::to_string(run.channels) + " channels, " + run.layout->name);
    const vfilter_format format = vfilter::picture_format(run.depth, run.channels);
    const Operation operation(context, run.filter, run.arguments, format);
    const Layout& result_layout = run.result_layout != nullptr ? *run.result_layout : *run.layout;
    TestPictures<T> source(*run.layout, run.width, run.height, run.channels, run.count);
    TestPictures<T> result(result_layout, run.width, run.height, run.channels, run.count);
    const auto plane = [&](int picture, int channel) {
        return random_plane(run.width, run.height, run.depth, static_cast<unsigned>(picture * 10 + channel));
    };
    for (int i = 0; i < run.count * run.channels; ++i) {
        source.set(i / run.channels, i % run.channels, plane(i / run.channels, i % run.channels));
    }
    operation.run(source.picture(), result.picture());
    for (int i = 0; i < run.count * run.channels; ++i) {
        const int picture = i / run.channels;
        const int channel = i % run.channels;
        const PlainPlane expected = vfilter::test::filter_plainly(
            run.filter, run.arguments, {.depth = run.depth, .component = format.components[channel]}, run.width,
            run.height, plane(picture, channel));
        EXPECT_TRUE(result.get(picture, channel) == expected) << "channel " << channel << " of picture " << picture;
        EXPECT_TRUE(source.get(picture, channel) == plane(picture, channel)) << "the source is another";
    }
    EXPECT_TRUE(result.guards_intact());
}

void expect_plain(const Context& context, const Run& run) {
    run.depth == 8 ? expect_plain_result<std::uint8_t>(context, run) : expect_plain_result<std::uint16_t>(context, run);
}

TEST(Library, ServesC) {
    const char* const wrong = use_c_interface();
    EXPECT_EQ(wrong, nullptr) << wrong;
}

TEST(Library, EveryFilterInEveryLayout) {
    const Context context(2);
    std::size_t turn = 0;
    for (const std::string& filter : vfilter::test::filter_names()) {
        for (const int depth : {8, 10, 16}) {
            for (const int channels : {1, 3, 4}) {
                const Layout& layout = layouts[turn++ % std::size(layouts)];
                expect_plain(context, {.filter = filter,
                                       .arguments = vfilter::test::example_arguments(filter),
                                       .depth = depth,
                                       .channels = channels,
                                       .layout = &layout});
            }
        }
    }
}

TEST(Library, EveryLayoutOfBatchesAndSizes) {
    const Context context(3);
    for (const char* const size : {"5", "15", "31", "sigma=14"}) {
        for (const Layout& layout : layouts) {
            for (const Layout& result : layouts) {
                expect_plain(context, {.filter = "gaussian",
                                       .arguments = size,
                                       .channels = 3,
                                       .count = 2,
                                       .layout = &layout,
                                       .result_layout = &result});
            }
        }
    }
    expect_plain(context, {.filter = "box", .arguments = "9", .channels = 2, .width = 1, .height = 1});
    expect_plain(context, {.filter = "sobel", .channels = 4, .width = 300, .height = 129});
}

TEST(Library, BordersAndBlack) {
    const Context context;
    for (const char* const border : {"reflect_101", "reflect", "replicate", "constant", "wrap"}) {
        expect_plain(context, {.filter = "gaussian", .arguments = std::string("9:border=") + border, .channels = 3});
    }
}

TEST(Library, ChromaAsTheProgramHasIt) {
    const Context context;
    vfilter_format format = VFILTER_FORMAT_INIT;
    format.depth = 8;
    format.channels = 1;
    format.components[0] = VFILTER_CB;
    format.subsampling_x = format.subsampling_y = 1;
    for (const std::string arguments : {"9:border=constant", "9:chroma=same", "9:chroma=off", "9:chroma=neutral"}) {
        const Operation operation(context, "gaussian", arguments, format);
        TestPictures<std::uint8_t> source(layouts[0], 20, 10, 1, 1);
        TestPictures<std::uint8_t> result(layouts[0], 20, 10, 1, 1);
        source.set(0, 0, random_plane(20, 10, 8, 1));
        operation.run(source.picture(), result.picture());
        const PlainFormat plain{.component = VFILTER_CB, .subsampling = 1, .full_range = false};
        EXPECT_EQ(result.get(0, 0),
                  vfilter::test::filter_plainly("gaussian", arguments, plain, 20, 10, source.get(0, 0)))
            << arguments;
    }
}

TEST(Library, ChainsAreTheirStepsOneAfterAnother) {
    const Context context;
    const Operation chain(context, {{"gaussian", "5"}, {"sharpen", "1"}, {"identity", ""}, {"sobel", ""}},
                          vfilter::picture_format(8, 3));
    TestPictures<std::uint8_t> source(layouts[0], 33, 17, 3, 2);
    TestPictures<std::uint8_t> result(layouts[4], 33, 17, 3, 2);
    for (int i = 0; i < 6; ++i) {
        source.set(i / 3, i % 3, random_plane(33, 17, 8, static_cast<unsigned>(i)));
    }
    chain.run(source.picture(), result.picture());
    for (int i = 0; i < 6; ++i) {
        PlainPlane plane = random_plane(33, 17, 8, static_cast<unsigned>(i));
        for (const auto& [filter, arguments] : {std::pair{"gaussian", "5"}, {"sharpen", "1"}, {"sobel", ""}}) {
            plane = vfilter::test::filter_plainly(filter, arguments, {.component = VFILTER_RED}, 33, 17, plane);
        }
        EXPECT_TRUE(result.get(i / 3, i % 3) == plane) << i;
    }
}

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

TEST(Library, RegionsAndMasksBlend) {
    const Context context(2);
    const vfilter_format format = vfilter::picture_format(8, 3);
    TestPictures<std::uint8_t> source(layouts[0], 40, 30, 3, 1);
    for (int channel = 0; channel < 3; ++channel) {
        source.set(0, channel, random_plane(40, 30, 8, static_cast<unsigned>(channel)));
    }
    std::vector<std::uint8_t> weights(40 * 30, 0);
    for (int y = 5; y < 25; ++y) {
        std::fill_n(weights.begin() + y * 40 + 10, 20, 255);
    }
    TestPictures<std::uint8_t> by_region(layouts[0], 40, 30, 3, 1);
    Operation(context, "gaussian", "9:region=10,5,20,20", format).run(source.picture(), by_region.picture());
    TestPictures<std::uint8_t> by_mask(layouts[3], 40, 30, 3, 1);  // another order than the source's
    const vfilter_picture mask = vfilter::packed_picture(weights.data(), 40, 30);
    vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
    options.mask = &mask;
    Operation(context, "gaussian", "9", format).run(source.picture(), by_mask.picture(), &options);
    for (int channel = 0; channel < 3; ++channel) {
        const PlainPlane before = source.get(0, channel);
        const PlainPlane made =
            vfilter::test::filter_plainly("gaussian", "9", {.component = VFILTER_RED}, 40, 30, before);
        for (int i = 0; i < 40 * 30; ++i) {
            const int expected = weights[static_cast<std::size_t>(i)] != 0 ? made[static_cast<std::size_t>(i)]
                                                                           : before[static_cast<std::size_t>(i)];
            ASSERT_EQ(by_region.at(0, channel, i % 40, i / 40), expected) << i;
            ASSERT_EQ(by_mask.at(0, channel, i % 40, i / 40), expected) << i;
        }
    }
}

TEST(Library, EightThreadsWithOneOperation) {
    const Context context(2);
    const Operation operation(context, {{"gaussian", "5:region=10%,10%,50%,50%"}, {"sobel", ""}},
                              vfilter::picture_format(8, 3));
    const auto make = [&](unsigned seed, int width) {
        TestPictures<std::uint8_t> source(layouts[0], width, 40, 3, 1);
        TestPictures<std::uint8_t> result(layouts[3], width, 40, 3, 1);
        for (int channel = 0; channel < 3; ++channel) {
            source.set(0, channel, random_plane(width, 40, 8, seed));
        }
        operation.run(source.picture(), result.picture());
        return result.get(0, 2);
    };
    std::array<PlainPlane, 8> alone;
    for (unsigned i = 0; i < 8; ++i) {
        alone[i] = make(i, 50 + static_cast<int>(i % 2));
    }
    std::atomic<int> wrong = 0;
    std::vector<std::thread> threads;
    for (unsigned i = 0; i < 8; ++i) {
        threads.emplace_back([&, i] {
            for (int turn = 0; turn < 20; ++turn) {
                wrong += make(i, 50 + static_cast<int>(i % 2)) == alone[i] ? 0 : 1;
            }
        });
    }
    for (std::thread& thread : threads) {
        thread.join();
    }
    EXPECT_EQ(wrong, 0);
}

TEST(Library, WorksOnTheCallersThreads) {
    static std::atomic<int> pieces;
    pieces = 0;
    vfilter_executor executor = VFILTER_EXECUTOR_INIT;
    executor.threads = 4;
    executor.run = [](void*, void (*task)(void*, std::size_t), void* argument, std::size_t count) {
        for (std::size_t i = count; i-- > 0;) {
            task(argument, i);
            ++pieces;
        }
    };
    const Context context(executor);
    expect_plain(context, {.filter = "gaussian", .arguments = "5", .width = 64, .height = 300});
    EXPECT_GE(pieces, 4);
}

TEST(Library, TakesNoMoreMemoryWithEveryCall) {
    const Context context(2);
    const Operation operation(context, {{"gaussian", "5"}, {"sobel", ""}, {"fill", "red:region=0,0,3,3"}},
                              vfilter::picture_format(8, 3));
    std::vector<std::uint8_t> source(30 * 20 * 3, 7);
    std::vector<std::uint8_t> result(source.size());
    const auto run = [&](int times) {
        for (int i = 0; i < times; ++i) {
            operation.run(vfilter::packed_picture(source.data(), 30, 20, 3),
                          vfilter::packed_picture(result.data(), 30, 20, 3));
        }
        return mallinfo2().uordblks;
    };
    const std::size_t warm = run(200);
    EXPECT_LE(run(2000), warm + 64 * 1024);
}

TEST(Library, FiltersHalvesOfOnePicture) {
    const Context context;
    const Operation operation(context, "gaussian", "5", vfilter::picture_format(8, 1));
    std::vector<std::uint8_t> memory(40 * 10, 9);
    vfilter_picture left = vfilter::packed_picture(memory.data(), 20, 10);
    left.row_pitch = 40;
    vfilter_picture right = left;
    right.data = memory.data() + 20;
    EXPECT_NO_THROW(operation.run(left, right));
    right.data = memory.data() + 19;
    EXPECT_THROW(operation.run(left, right), vfilter::Error);
}

TEST(Library, TellsWhatFiltersThereAre) {
    std::vector<std::string> names;
    for (std::size_t i = 0; i < vfilter_filter_count(); ++i) {
        const vfilter_filter* const filter = vfilter_filter_at(i);
        names.emplace_back(filter->name);
        EXPECT_EQ(vfilter_filter_named(filter->name), filter);
        EXPECT_STRNE(filter->help, "");
        std::set<std::string> parameters;
        for (std::size_t j = 0; j < filter->parameter_count; ++j) {
            const vfilter_parameter& parameter = *vfilter_parameter_at(filter, j);
            EXPECT_TRUE(parameters.insert(parameter.name).second) << parameter.name;
            EXPECT_EQ(parameter.kind == VFILTER_WORD, parameter.word_count > 0);
            EXPECT_STRNE(parameter.help, "") << filter->name << " " << parameter.name;
        }
        EXPECT_EQ(parameters.count("border"), 1U);
        EXPECT_EQ(vfilter_parameter_at(filter, filter->parameter_count), nullptr);
    }
    EXPECT_EQ(names, vfilter::test::filter_names());
    EXPECT_EQ(vfilter_filter_at(names.size()), nullptr);
    const vfilter_parameter* const size = vfilter_parameter_at(vfilter_filter_named("gaussian"), 0);
    EXPECT_STREQ(size->name, "size");
    EXPECT_EQ(size->kind, VFILTER_ODD_NUMBER);
    EXPECT_EQ(size->maximum, 601);
}

TEST(Library, ShowsItsOwnFunctionsAlone) {
    FILE* const pipe = popen("nm -D --defined-only --format=posix '" VFILTER_LIBRARY "'", "r");
    ASSERT_NE(pipe, nullptr);
    std::array<char, 256> line{};
    int functions = 0;
    while (std::fgets(line.data(), line.size(), pipe) != nullptr) {
        const std::string name(line.data(), std::strcspn(line.data(), " \n"));
        functions += name.starts_with("vfilter_") ? 1 : 0;
        EXPECT_TRUE(name.starts_with("vfilter_") || name.starts_with("VFILTER_")) << name;
    }
    EXPECT_EQ(pclose(pipe), 0);
    EXPECT_EQ(functions, 20);
}

}  // namespace
