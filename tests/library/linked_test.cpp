// The library linked as an archive, as the modules for Python and VapourSynth are: its own classes and those of
// vfilter.hpp are in one program.

#include <gtest/gtest.h>

#include <cstdint>
#include <memory>
#include <vector>

#include "vfilter/vfilter.hpp"

namespace {

// Functions that the compiler makes of both, as what destroys what a shared pointer has, are kept once by the linker.
TEST(LinkedAsAnArchive, ClassesOfTheHeaderAreItsOwn) {
    for (const int threads : {1, 3}) {
        auto context = std::make_shared<const vfilter::Context>(threads);
        const auto operation =
            std::make_shared<const vfilter::Operation>(*context, "gaussian", "5", vfilter::picture_format(8, 3));
        context.reset();
        std::vector<std::uint8_t> source(60 * 40 * 3, 77);
        std::vector<std::uint8_t> result(source.size());
        operation->run(vfilter::packed_picture(source.data(), 60, 40, 3),
                       vfilter::packed_picture(result.data(), 60, 40, 3));
        EXPECT_EQ(result, source);
    }
    EXPECT_THROW(vfilter::Context(-1), vfilter::Error);
}

}  // namespace
