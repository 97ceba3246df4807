#include "pipeline/live/preview_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

namespace vfilter {
namespace {

TEST(PreviewPicture, LiesInTheMiddleInItsShape) {
    EXPECT_EQ(place_in({1280, 720}, 640, 360, 1), (Place{0, 0, 1280, 720}));
    EXPECT_EQ(place_in({1280, 1024}, 640, 360, 1), (Place{0, 152, 1280, 720}));
    EXPECT_EQ(place_in({1280, 720}, 480, 480, 1), (Place{280, 0, 720, 720}));
    EXPECT_EQ(place_in({1024, 576}, 720, 576, 64.0 / 45), (Place{0, 0, 1024, 576})) << "wide PAL";
    EXPECT_EQ(place_in({1, 1}, 4096, 16, 1), (Place{0, 0, 1, 1}));
}

struct Picture {
    Picture(int width, int height, std::uint8_t value)
        : samples(static_cast<std::size_t>(3 * width * height), value),
          view{samples.data(), width, height, 3 * width} {}
    std::vector<std::uint8_t> samples;
    BgrView view;
};

TEST(PreviewPicture, IsOriginalLeftOfTheLineAndFilteredRightOfIt) {
    Picture filtered(20, 4, 10);
    Picture original(20, 4, 90);
    constexpr int x0 = 3;
    constexpr int y0 = 2;
    const auto drawn = [&](double split) {
        BgrCanvas canvas;
        canvas.resize({26, 8});
        draw_split(filtered.view, original.view, split, canvas.view(), x0, y0);
        std::string columns;
        for (int x = 0; x < 26; ++x) {
            const std::uint8_t* const at = canvas.view().row(y0 + 3) + 3 * x;
            EXPECT_EQ(at[0], at[2]);
            columns += *at == 0 ? '.' : *at == 10 ? 'f' : *at == 90 ? 'o' : *at == 255 ? '|' : '?';
        }
        const BgrView view = canvas.view();
        EXPECT_TRUE(std::all_of(view.row(0), view.row(y0), [](std::uint8_t sample) { return sample == 0; }));
        EXPECT_TRUE(std::all_of(view.row(y0 + 4), view.row(8), [](std::uint8_t sample) { return sample == 0; }));
        return columns;
    };
    EXPECT_EQ(drawn(0), "...ffffffffffffffffffff...");
    EXPECT_EQ(drawn(1), "...oooooooooooooooooooo...");
    EXPECT_EQ(drawn(0.5), "...ooooooooo||fffffffff...");
    EXPECT_EQ(drawn(0.05), "...||ffffffffffffffffff...");
    EXPECT_EQ(drawn(0.95), "...oooooooooooooooooo||...");
}

}  // namespace
}  // namespace vfilter
