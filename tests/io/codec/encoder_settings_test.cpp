// What an encoder is told.

#include "io/codec/encoder_settings.h"
#include "io/codec/encoder_formats.h"

extern "C" {
#include <libavutil/mastering_display_metadata.h>
}

#include <gtest/gtest.h>

namespace vfilter {
namespace {

class EncoderSettings : public ::testing::Test {
protected:
    // "" where nothing is set.
    std::string setting(const char* encoder, const char* key, bool live = false) {
        const AVCodec* const codec = avcodec_find_encoder_by_name(encoder);
        if (codec == nullptr) {
            ADD_FAILURE() << encoder;
            return "";
        }
        context_.reset(avcodec_alloc_context3(codec));
        context_->width = 640;
        context_->height = 360;
        Dictionary settings;
        set_encoder_options(options_, task_, {*stream_, {25, 1}, live, {}}, *first_, *context_, settings);
        const AVDictionaryEntry* const entry = av_dict_get(*settings.get(), key, nullptr, 0);
        return entry != nullptr ? entry->value : "";
    }

    OutputOptions options_;
    EncodeTask task_;
    FramePtr first_ = make_frame();
    CodecContextPtr context_;

private:
    DescriptionPtr format_{avformat_alloc_context()};
    AVStream* stream_ = avformat_new_stream(format_.get(), nullptr);
};

TEST_F(EncoderSettings, DefaultsYieldToTheQualityThatWasAskedFor) {
    EXPECT_EQ(setting("libvpx-vp9", "crf"), "31");
    EXPECT_EQ(setting("libvpx-vp9", "row-mt"), "1");
    EXPECT_EQ(setting("libx264", "crf"), "");
    options_.bitrate = 500'000;
    EXPECT_EQ(setting("libvpx-vp9", "crf"), "");
    EXPECT_EQ(setting("libvpx-vp9", "row-mt"), "1");
    EXPECT_EQ(context_->bit_rate, 500'000);
    options_.bitrate.reset();
    options_.crf = 20;
    EXPECT_EQ(setting("libvpx-vp9", "crf"), "20");
    EXPECT_EQ(setting("libvpx-vp9", "b"), "0");
}

// No machine of ours has that encoder: this is what it would be told.
// Their own default is a rate for small pictures.
TEST_F(EncoderSettings, QuantisersHaveAUsualValue) {
    const auto quantiser = [&](const char* encoder, bool live = false) {
        EXPECT_EQ(setting(encoder, "crf", live), "");
        return (context_->flags & AV_CODEC_FLAG_QSCALE) != 0 ? context_->global_quality / FF_QP2LAMBDA : 0;
    };
    EXPECT_EQ(quantiser("mpeg4"), 3);
    EXPECT_EQ(quantiser("mjpeg"), 2);
    EXPECT_EQ(quantiser("libtheora"), 8);
    EXPECT_EQ(quantiser("mpeg4", true), 0) << "a rate has to be kept";
    options_.crf = 7;
    EXPECT_EQ(quantiser("mpeg4"), 7);
    EXPECT_EQ(quantiser("mpeg2video", true), 7);
    options_.crf.reset();
    options_.bitrate = 1'000'000;
    EXPECT_EQ(quantiser("mpeg4"), 0);
    options_.bitrate.reset();
    options_.encoder_options = {{"b", "1M"}};
    EXPECT_EQ(quantiser("mpeg4"), 0);
    options_.encoder_options = {{"global_quality", "236"}};
    EXPECT_EQ(quantiser("mpeg4"), 0) << "as the user says";
    EXPECT_THROW(setting("libx264", "crf"), Error) << "which would do nothing";
}

TEST_F(EncoderSettings, FlagsAddUp) {
    options_.encoder_options = {{"flags", "+qscale"}, {"flags", "+cgop"}};
    EXPECT_EQ(setting("mpeg4", "flags"), "+qscale+cgop");
}

TEST_F(EncoderSettings, NvencAimsAtAQuality) {
    if (avcodec_find_encoder_by_name("hevc_nvenc") == nullptr) {
        GTEST_SKIP() << "FFmpeg was built without it";
    }
    EXPECT_EQ(setting("hevc_nvenc", "rc"), "vbr");
    EXPECT_EQ(setting("hevc_nvenc", "cq"), "28");
    EXPECT_EQ(setting("hevc_nvenc", "b"), "0");
    EXPECT_EQ(setting("hevc_nvenc", "tune"), "");
    EXPECT_EQ(setting("hevc_nvenc", "tune", true), "ll");
    options_.preset = "p7";
    EXPECT_EQ(setting("hevc_nvenc", "preset"), "p7");
    options_.crf = 19.5;
    EXPECT_EQ(setting("hevc_nvenc", "cq"), "19.5");
    EXPECT_EQ(setting("hevc_nvenc", "crf"), "");
    for (const double outside : {0.0, 52.0}) {
        options_.crf = outside;
        EXPECT_THROW(setting("hevc_nvenc", "cq"), Error) << outside;
    }
    options_.crf.reset();
    options_.bitrate = 3'000'000;
    EXPECT_EQ(setting("hevc_nvenc", "cq"), "");
    EXPECT_EQ(setting("hevc_nvenc", "b"), "");
    EXPECT_EQ(context_->bit_rate, 3'000'000);
}

TEST(TrueFormats, AreThoseThatNvencKeeps) {
    const std::vector all{AV_PIX_FMT_YUV420P, AV_PIX_FMT_P010LE, AV_PIX_FMT_P016LE, AV_PIX_FMT_YUV444P16LE,
                          AV_PIX_FMT_BGRA};
    const auto kept = [&](const char* encoder, AVPixelFormat pictures) {
        std::vector<AVPixelFormat> formats = all;
        keep_true_formats(encoder, pictures, formats);
        return formats;
    };
    EXPECT_EQ(kept("libx264", AV_PIX_FMT_YUVA420P), all);
    EXPECT_EQ(kept("hevc_nvenc", AV_PIX_FMT_YUV444P10LE), std::vector(all.begin(), all.end() - 1));
    EXPECT_EQ(kept("hevc_nvenc", AV_PIX_FMT_YUV420P12LE), (std::vector{AV_PIX_FMT_YUV420P, AV_PIX_FMT_P010LE}));
}

TEST_F(EncoderSettings, LiveOnesAreFast) {
    EXPECT_EQ(setting("libx264", "tune"), "");
    EXPECT_EQ(setting("libx264", "tune", true), "zerolatency");
    EXPECT_EQ(setting("libx264", "preset", true), "veryfast");
    options_.preset = "slow";
    EXPECT_EQ(setting("libx264", "preset", true), "slow");
}

TEST_F(EncoderSettings, TheUsersOwnWin) {
    options_.crf = 20;
    options_.encoder_options = {{"crf", "5"}};
    EXPECT_EQ(setting("libx264", "crf"), "5");
}

TEST_F(EncoderSettings, X264LooksFurtherAheadWhereNobodyWatches) {
    EXPECT_EQ(setting("libx264", "x264-params"), "sync-lookahead=8");
    EXPECT_EQ(setting("libx264rgb", "x264-params"), "sync-lookahead=8");
    EXPECT_EQ(setting("libx264", "x264-params", true), "");
    options_.encoder_options = {{"x264-params", "keyint=10"}, {"x264-params", "sync-lookahead=2"}};
    EXPECT_EQ(setting("libx264", "x264-params"), "sync-lookahead=8:keyint=10:sync-lookahead=2");
    options_.encoder_options.clear();
    task_.streamed = true;
    EXPECT_EQ(setting("libx264", "x264-params"), "");
}

TEST_F(EncoderSettings, HdrDataReachX265) {
    AVMasteringDisplayMetadata& display = *av_mastering_display_metadata_create_side_data(first_.get());
    display.display_primaries[0][0] = {34000, 50000};
    display.display_primaries[0][1] = {16000, 50000};
    display.display_primaries[1][0] = {13250, 50000};
    display.display_primaries[1][1] = {34500, 50000};
    display.display_primaries[2][0] = {7500, 50000};
    display.display_primaries[2][1] = {3000, 50000};
    display.white_point[0] = {15635, 50000};
    display.white_point[1] = {16450, 50000};
    display.max_luminance = {1000, 1};
    display.min_luminance = {1, 10000};
    display.has_primaries = display.has_luminance = 1;
    AVContentLightMetadata& light = *av_content_light_metadata_create_side_data(first_.get());
    light.MaxCLL = 900;
    light.MaxFALL = 300;
    const std::string told =
        "master-display=G(13250,34500)B(7500,3000)R(34000,16000)WP(15635,16450)L(10000000,1):max-cll=900,300";
    EXPECT_EQ(setting("libx265", "x265-params"), told + ":log-level=error");
    options_.encoder_options = {{"x265-params", "aq-mode=0"}};
    EXPECT_EQ(setting("libx265", "x265-params"), told + ":log-level=error:aq-mode=0");
    EXPECT_EQ(setting("libx265", "max-cll"), "");
}

TEST_F(EncoderSettings, ATrialIsSilent) {
    task_.trial = true;
    EXPECT_EQ(setting("libx265", "x265-params"), "log-level=none");
    EXPECT_EQ(setting("libx264", "x265-params"), "");
}

}  // namespace
}  // namespace vfilter
