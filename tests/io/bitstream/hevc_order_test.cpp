#include "io/bitstream/hevc_order.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

constexpr unsigned trailing = 1;
constexpr unsigned idr = 19;
constexpr unsigned cra = 21;
constexpr unsigned leading = 9;

// Each picture comes out as soon as it is begun, unless it is held back.
class HevcOrderTest : public ::testing::Test {
protected:
    static std::vector<HevcSlice> picture(int count, unsigned type = trailing) {
        constexpr int bits = 4;
        return {{.type = type, .first = true, .known = true, .count_bits = bits, .count = count & ((1 << bits) - 1)}};
    }
    [[nodiscard]] bool anew(int count, unsigned type = trailing) const {
        return order_.counts_anew(picture(count, type));
    }
    void begin(int count, unsigned type = trailing) {
        EXPECT_FALSE(anew(count, type)) << count;
        order_.begun(picture(count, type), number_);
        order_.came_out(number_++);
    }
    void hold_back(int count) { order_.begun(picture(count), number_++); }

    HevcOrder order_;
    std::int64_t number_ = 0;
};

TEST_F(HevcOrderTest, CountsThatWrapGoOn) {
    begin(0, idr);
    for (int count = 1; count < 70; ++count) {
        begin(count);
    }
    begin(0, idr);
    begin(1);
}

TEST_F(HevcOrderTest, ALostBeginningIsNoticedByThePictureBehindIt) {
    begin(0, idr);
    begin(1);
    begin(2);
    begin(3);
    hold_back(5);
    EXPECT_TRUE(anew(2));
    EXPECT_FALSE(anew(4));
    EXPECT_FALSE(anew(0, idr));
    order_.begin_anew();
    begin(2);
    EXPECT_TRUE(anew(1));
}

TEST_F(HevcOrderTest, PicturesThatWereHeldBackAreNotShownYet) {
    begin(0, idr);
    hold_back(6);
    EXPECT_FALSE(anew(3));
    order_.came_out(1);
    EXPECT_TRUE(anew(3));
}

TEST_F(HevcOrderTest, LeadingPicturesAreShownBeforeTheirRandomAccessPoint) {
    begin(0, idr);
    begin(4);
    hold_back(12);
    order_.begun(picture(8, cra), number_++);
    EXPECT_FALSE(anew(6, leading));
    EXPECT_FALSE(anew(2, cra));  // it begins anew by itself
}

TEST_F(HevcOrderTest, WhatIsNotKnownIsNotDoubted) {
    begin(0, idr);
    begin(5);
    EXPECT_FALSE(order_.counts_anew({}));
    EXPECT_FALSE(order_.counts_anew({{.type = trailing, .first = true, .known = false}}));
    EXPECT_FALSE(order_.counts_anew({{.type = trailing, .first = false, .known = true, .count_bits = 4}}));
}

}  // namespace
}  // namespace vfilter
