// Texts in fragments, which end where they should. (In files: end_to_end.Fragments, Subtitles.)

#include "io/output/words_in_fragments.h"

#include <gtest/gtest.h>

#include "tests/io/input/scripted_source.h"

namespace vfilter {
namespace {

class WordsInFragments : public ::testing::Test {
protected:
    DescriptionPtr streams_ = testing::make_streams({{AVMEDIA_TYPE_SUBTITLE, AV_CODEC_ID_MOV_TEXT, {1, 1000}},
                                                     {AVMEDIA_TYPE_SUBTITLE, AV_CODEC_ID_WEBVTT, {1, 1000}}});
    AVStream& text_ = *streams_->streams[0];
    AVStream& other_ = *streams_->streams[1];
};

TEST_F(WordsInFragments, HaveAFineClock) {
    set_clock_in_fragments(text_);
    set_clock_in_fragments(other_);
    EXPECT_EQ(av_cmp_q(text_.time_base, {1, 1000000}), 0);
    EXPECT_EQ(av_cmp_q(other_.time_base, {1, 1000}), 0);
}

TEST_F(WordsInFragments, EndWithAnEmptyText) {
    set_clock_in_fragments(text_);
    const PacketPtr packet = testing::make_packet({0, 2000000, 500000});
    const PacketPtr end = cut_end(*packet, text_);
    ASSERT_NE(end, nullptr);
    EXPECT_EQ(packet->duration, 499000);
    EXPECT_EQ(end->pts, 2499000);
    EXPECT_EQ(end->dts, 2499000);
    EXPECT_EQ(end->duration, 1000);
    EXPECT_EQ(std::vector<std::uint8_t>(end->data, end->data + end->size), std::vector<std::uint8_t>(2, 0));
}

TEST_F(WordsInFragments, AreLeftAsTheyAreIfTheyAreTooShort) {
    const PacketPtr packet = testing::make_packet({0, 2000, 1});
    EXPECT_EQ(cut_end(*packet, text_), nullptr);
    EXPECT_EQ(packet->duration, 1);
}

TEST_F(WordsInFragments, AreNotThoseOfOtherFormats) {
    const PacketPtr packet = testing::make_packet({1, 2000, 500});
    EXPECT_EQ(cut_end(*packet, other_), nullptr);
    EXPECT_EQ(packet->duration, 500);
}

}  // namespace
}  // namespace vfilter
