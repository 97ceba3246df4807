#include "pipeline/live/preview_picture.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <utility>
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

TEST(PreviewPicture, IsOriginalLeftOfTheLineAndFilteredRightOfIt) {
    const ShownSize size{20, 4};
    const auto drawn = [&](double split) {
        const WindowLayout layout = lay_out({20, 8}, size, size, {.split = split});
        std::string columns(20, '.');
        for (const Pane& pane : layout.panes) {
            EXPECT_EQ(pane.place, (Place{0, 2, 20, 4}));
            std::fill(columns.begin() + pane.from, columns.begin() + pane.to, pane.original ? 'o' : 'f');
        }
        if (layout.line) {
            columns.replace(static_cast<std::size_t>(layout.line->x), static_cast<std::size_t>(layout.line->width),
                            static_cast<std::size_t>(layout.line->width), '|');
        }
        return columns;
    };
    EXPECT_EQ(drawn(0), "ffffffffffffffffffff");
    EXPECT_EQ(drawn(1), "oooooooooooooooooooo");
    EXPECT_EQ(drawn(0.5), "ooooooooo||fffffffff");
    EXPECT_EQ(drawn(0.05), "||ffffffffffffffffff");
    EXPECT_EQ(drawn(0.95), "oooooooooooooooooo||");
}

TEST(PreviewPicture, OfAnotherShapeThanItsOriginalStandsBesideIt) {
    const ShownSize filtered{10, 20};
    const ShownSize original{40, 20};
    const std::vector<Pane> both{{true, {0, 10, 40, 20}, 0, 40}, {false, {52, 0, 20, 40}, 52, 72}};
    EXPECT_EQ(lay_out({82, 40}, filtered, original, {.split = 0.5}).panes, both);
    EXPECT_FALSE(lay_out({82, 40}, filtered, original, {.split = 0.5}).line);
    EXPECT_EQ(lay_out({82, 40}, filtered, original, {.beside = true}).panes, both);
    EXPECT_EQ(lay_out({40, 40}, filtered, original, {.split = 1}).panes,
              (std::vector<Pane>{{true, {0, 10, 40, 20}, 0, 40}}))
        << "alone, each has its own shape";
    EXPECT_TRUE(have_same_shape({854, 480}, {1708, 960})) << "a graph that scales";
}

// Each corner has its own value.
FramePtr corners(int width, int height) {
    FramePtr picture = make_frame();
    picture->format = AV_PIX_FMT_GRAY8;
    picture->color_range = AVCOL_RANGE_JPEG;
    picture->width = width;
    picture->height = height;
    av_check(av_frame_get_buffer(picture.get(), 0), "av_frame_get_buffer");
    for (int y = 0; y < height; ++y) {
        for (int x = 0; x < width; ++x) {
            picture->data[0][y * picture->linesize[0] + x] =
                static_cast<std::uint8_t>((x >= width / 2 ? 50 : 0) + (y >= height / 2 ? 100 : 0));
        }
    }
    return picture;
}

// The corners in reading order: what display_turn's own test calls so.
TEST(PreviewPicture, IsTurnedAsItIsToBeShown) {
    const FramePtr picture = corners(32, 16);
    const auto shown = [&](Orientation turn) {
        const ShownSize size = shown_size(*picture, turn);
        EXPECT_EQ(size.width, turn.swaps_sides() ? 16 : 32);
        ScreenPicture maker;
        const BgrView view = maker.make(*picture, turn, size.width, size.height);
        const int right = size.width - 1;
        const int bottom = size.height - 1;
        std::vector<int> values;
        for (const auto& [x, y] : {std::pair(0, 0), {right, 0}, {0, bottom}, {right, bottom}}) {
            values.push_back(view.row(y)[3 * x]);
        }
        return values;
    };
    EXPECT_EQ(shown({0, false}), (std::vector{0, 50, 100, 150}));
    EXPECT_EQ(shown({1, false}), (std::vector{100, 0, 150, 50}));
    EXPECT_EQ(shown({2, false}), (std::vector{150, 100, 50, 0}));
    EXPECT_EQ(shown({3, false}), (std::vector{50, 150, 0, 100}));
    EXPECT_EQ(shown({0, true}), (std::vector{50, 0, 150, 100}));
    EXPECT_EQ(shown({1, true}), (std::vector{150, 50, 100, 0}));
}

TEST(PreviewPicture, HasFramesWithinItsColumns) {
    BgrCanvas canvas;
    canvas.resize({8, 4});
    draw_frame(canvas.view(), {1, -1, 6, 4}, 0, 5, 1, {9, 9, 9});
    std::string seen;
    for (int y = 0; y < 4; ++y) {
        for (int x = 0; x < 8; ++x) {
            seen += canvas.view().row(y)[3 * x] == 9 ? '#' : '.';
        }
        seen += '\n';
    }
    EXPECT_EQ(seen, ".#......\n.#......\n.####...\n........\n");
}

}  // namespace
}  // namespace vfilter
