// The library while a program ends: functions of atexit and destructors of what is static may still call it.

#include <gtest/gtest.h>
#include <malloc.h>
#include <unistd.h>

#include <cstdint>
#include <cstdlib>
#include <string>
#include <utility>
#include <vector>

#include "vfilter/vfilter.hpp"

namespace {

// What filters make that keep different things for a thread and for the process.
std::vector<std::uint8_t> results() {
    constexpr int width = 90;
    constexpr int height = 70;
    std::vector<std::uint8_t> source(std::size_t{width} * height * 3);
    for (std::size_t i = 0; i < source.size(); ++i) {
        source[i] = static_cast<std::uint8_t>(i * i >> 5 ^ i);
    }
    std::vector<std::uint8_t> all;
    const vfilter::Context context(1);
    for (const auto& [filter, arguments] :
         std::vector<std::pair<std::string, std::string>>{{"denoise", "light"},
                                                          {"gaussian", "9"},
                                                          {"gaussian", "sigma=14"},
                                                          {"guided", "10"},
                                                          {"bilateral", "30"},
                                                          {"pixelate", "8"},
                                                          {"median", "7"},
                                                          {"box", "15:dither=on"},
                                                          {"kernel", "1000 -1000 1:normalise=no:bias=50"},
                                                          {"fill", "red:region=10%,10%,50%,50%:feather=4"}}) {
        std::vector<std::uint8_t> result(source.size());
        vfilter::Operation(context, filter, arguments, vfilter::picture_format(8, 3))
            .run(vfilter::packed_picture(source.data(), width, height, 3),
                 vfilter::packed_picture(result.data(), width, height, 3));
        all.insert(all.end(), result.begin(), result.end());
        all.push_back(static_cast<std::uint8_t>(vfilter_filter_named(filter.c_str())->help[0]));
        all.push_back(
            static_cast<std::uint8_t>(vfilter_parameter_at(vfilter_filter_named(filter.c_str()), 0)->help[1]));
    }
    return all;
}

std::vector<std::uint8_t>& before() {
    static auto& made = *new std::vector<std::uint8_t>();
    return made;
}

[[noreturn]] void end_after_a_last_call() {
    mallopt(M_PERTURB, 0x5a);  // what has been given back holds something else
    std::atexit([] {
        // Memory that somebody else has meanwhile.
        const std::vector<std::string> others(2000, std::string(300, 'x'));
        _exit(others.back().size() == 300 && results() == before() ? 0 : 1);
    });
    before() = results();
    std::exit(2);
}

TEST(LibraryDeathTest, IsThereUpToTheEndOfAProgram) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");  // a program that has not called the library before
    EXPECT_EXIT(end_after_a_last_call(), testing::ExitedWithCode(0), "");
}

}  // namespace
