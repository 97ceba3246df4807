// Where a video is decoded, and why.

#include "pipeline/session/decode_rule.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

DecodeFactors long_hd() {
    return {.codec = AV_CODEC_ID_H264,
            .kind = {AV_PIX_FMT_YUV420P, 1920, 1080},
            .engines = 7,
            .cores = 16,
            .pictures = 3600,
            .rate = 60,
            .bit_rate = 5.5e6,
            .key_frames = 60};
}

TEST(DecodeRule, TakesWhatIsFaster) {
    DecodeFactors factors = long_hd();
    EXPECT_EQ(choose_decoding(factors).sessions, 7) << choose_decoding(factors).why;
    factors.engines = 1;
    EXPECT_EQ(choose_decoding(factors).sessions, 0) << choose_decoding(factors).why;
    factors.cores = 4;
    EXPECT_EQ(choose_decoding(factors).sessions, 1) << choose_decoding(factors).why;
    factors.cores = 8;
    EXPECT_EQ(choose_decoding(factors).sessions, 0) << choose_decoding(factors).why;
    factors.encodes = true;
    EXPECT_EQ(choose_decoding(factors).sessions, 1) << choose_decoding(factors).why;
}

TEST(DecodeRule, ExpectsNoMoreOfManyCoresThanOf16) {
    DecodeFactors factors = long_hd();
    factors.cores = 128;
    EXPECT_EQ(choose_decoding(factors).sessions, 7) << choose_decoding(factors).why;
    EXPECT_EQ(choose_decoding(factors).helpers, 12);
    factors.encodes = true;
    EXPECT_EQ(choose_decoding(factors).sessions, 7) << choose_decoding(factors).why;
}

TEST(DecodeRule, HasCoresThatAreFreeHelp) {
    DecodeFactors factors = long_hd();
    EXPECT_EQ(choose_decoding(factors).helpers, 12);
    EXPECT_EQ(can_use_hardware(factors).helpers, 0);  // --decode gpu
    factors.cores = 3;
    EXPECT_EQ(choose_decoding(factors).helpers, 0);
    factors.cores = 16;
    factors.encodes = true;
    ASSERT_GT(choose_decoding(factors).sessions, 0);
    EXPECT_EQ(choose_decoding(factors).helpers, 0);
}

// What is gained has to pay for the making of sessions.
TEST(DecodeRule, CountsTheStart) {
    DecodeFactors factors = long_hd();
    factors.pictures = 600;
    EXPECT_EQ(choose_decoding(factors).sessions, 0) << choose_decoding(factors).why;
    EXPECT_GT(can_use_hardware(factors).sessions, 1);
    factors.cores = 4;
    EXPECT_GT(choose_decoding(factors).sessions, 1) << choose_decoding(factors).why;
}

TEST(DecodeRule, LeavesShortVideosToTheCpu) {
    DecodeFactors factors = long_hd();
    factors.pictures = 290;
    EXPECT_EQ(choose_decoding(factors).sessions, 0);
    EXPECT_EQ(choose_decoding(factors).why, "the video is short (290 pictures)");
    EXPECT_EQ(can_use_hardware(factors).sessions, 4);
    factors.pictures = 0;  // nobody knows
    EXPECT_EQ(choose_decoding(factors).sessions, 7);
}

TEST(DecodeRule, HasNoMoreSessionsThanThereIsWorkFor) {
    DecodeFactors factors = long_hd();
    factors.pictures = 20;
    EXPECT_EQ(can_use_hardware(factors).sessions, 1);
    factors.pictures = 3600;
    factors.key_frames = 2;
    EXPECT_EQ(can_use_hardware(factors).sessions, 2);
    factors.key_frames = 0;
    EXPECT_EQ(can_use_hardware(factors).sessions, 7);
    factors.pictures = 600;
    EXPECT_EQ(can_use_hardware(factors).sessions, 5);
    factors.kind = {AV_PIX_FMT_YUV420P, 3840, 2160};
    EXPECT_EQ(can_use_hardware(factors).sessions, 7);
}

TEST(DecodeRule, RefusesWhatHardwareDoesNotDecodeToTheSameBytes) {
    const auto refused = [](const auto& change) {
        DecodeFactors factors = long_hd();
        change(factors);
        const DecodeVerdict verdict = can_use_hardware(factors);
        return verdict.sessions == 0 && choose_decoding(factors).sessions == 0 && !verdict.why.empty();
    };
    EXPECT_FALSE(refused([](DecodeFactors&) {}));
    EXPECT_TRUE(refused([](DecodeFactors& f) { f.codec = AV_CODEC_ID_MPEG2VIDEO; }));
    EXPECT_TRUE(refused([](DecodeFactors& f) { f.codec = AV_CODEC_ID_MPEG4; }));
    EXPECT_TRUE(refused([](DecodeFactors& f) { f.codec = AV_CODEC_ID_VP8; }));
    EXPECT_TRUE(refused([](DecodeFactors& f) { f.codec = AV_CODEC_ID_VP9; }));
    DecodeFactors av1 = long_hd();
    av1.codec = AV_CODEC_ID_AV1;
    EXPECT_EQ(can_use_hardware(av1).why, "the GPU does not tell whether pictures of av1 are whole");
    EXPECT_TRUE(refused([](DecodeFactors& f) { f.kind.format = AV_PIX_FMT_YUV420P10LE; }));
    EXPECT_TRUE(refused([](DecodeFactors& f) { f.kind.format = AV_PIX_FMT_YUV444P; }));
    EXPECT_TRUE(refused([](DecodeFactors& f) { f.live = true; }));
    EXPECT_TRUE(refused([](DecodeFactors& f) { f.several = true; }));
    EXPECT_TRUE(refused([](DecodeFactors& f) { f.timed = false; }));
    EXPECT_TRUE(refused([](DecodeFactors& f) { f.engines = 0; }));
    DecodeFactors hevc = long_hd();
    hevc.codec = AV_CODEC_ID_HEVC;
    for (const AVPixelFormat format : {AV_PIX_FMT_YUV420P, AV_PIX_FMT_YUV420P10LE, AV_PIX_FMT_YUV444P12LE}) {
        hevc.kind.format = format;
        EXPECT_GT(can_use_hardware(hevc).sessions, 1);
    }
    hevc.kind.format = AV_PIX_FMT_YUV422P10LE;
    EXPECT_EQ(can_use_hardware(hevc).sessions, 0);
}

}  // namespace
}  // namespace vfilter
