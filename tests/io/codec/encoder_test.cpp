// Pictures in, packets out.

#include "io/codec/encoder.h"

#include <gtest/gtest.h>

#include <algorithm>

#include "io/log/complaints.h"
#include "tests/support/clips.h"

namespace vfilter {
namespace {

class EncoderTest : public ::testing::Test {
protected:
    static void SetUpTestSuite() {
        connect_ffmpeg_log(false);
        folder_ = new testing::Folder;
        testing::make_clip(*folder_ / "a.mkv", 1);
    }
    static void TearDownTestSuite() {
        delete folder_;
        folder_ = nullptr;
    }

    // Of a clip of 160x120, whose clock has milliseconds.
    Encoder make(const AVFrame& first) {
        return {options_,    {},    *av_guess_format("matroska", nullptr, nullptr),
                {input_, 0}, first, static_cast<AVPixelFormat>(first.format),
                pool_};
    }
    FramePtr picture(std::int64_t pts, int width = 160) {
        FramePtr picture = make_frame();
        picture->format = AV_PIX_FMT_YUV420P;
        picture->width = width;
        picture->height = 120;
        picture->color_range = AVCOL_RANGE_MPEG;
        pool_.fill(*picture, width, 120);
        for (int plane = 0; plane < 3; ++plane) {
            const int rows = plane == 0 ? 120 : 60;
            std::fill_n(picture->data[plane], picture->linesize[plane] * rows, static_cast<std::uint8_t>(pts));
        }
        picture->pts = pts;
        return picture;
    }
    static std::vector<PacketPtr> encode(Encoder& encoder, std::vector<FramePtr> pictures) {
        std::vector<PacketPtr> packets;
        pictures.push_back(nullptr);
        for (FramePtr& frame : pictures) {
            encoder.send(std::move(frame));
            while (PacketPtr packet = encoder.receive()) {
                packets.push_back(std::move(packet));
            }
        }
        return packets;
    }
    // What the packets' times become.
    static std::vector<std::int64_t> times_of(const std::vector<PacketPtr>& packets) {
        std::vector<std::int64_t> times;
        for (const PacketPtr& packet : packets) {
            times.push_back(packet->pts);
        }
        std::ranges::sort(times);
        return times;
    }
    std::string refusal(ExitCode code) {
        try {
            make(*picture(0));
            return "accepted";
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), code) << error.what();
            return error.what();
        }
    }

    OutputOptions options_;
    FramePool pool_{allocate_picture};

private:
    static inline testing::Folder* folder_ = nullptr;
    Demuxer input_{[] {
                       InputRequest options;
                       options.path = *folder_ / "a.mkv";
                       return options;
                   }(),
                   [] { return false; }};
};

// The encoder counts frames, and its B-frames leave the order; neither is to be seen in the packets.
TEST_F(EncoderTest, PicturesStayApartInTheContainersClock) {
    for (const auto& [tick, expected] :
         {std::pair{AVRational{1, 90000}, std::vector<std::int64_t>{0, 1, 40, 41, 42, 80}},
          {AVRational{1, 500}, {0, 2, 40, 42, 44, 80}},
          {AVRational{1, 25}, {0, 1, 40, 41, 42, 80}}}) {
        const FramePtr first = picture(0);
        Encoder encoder = make(*first);
        encoder.set_output_clock(tick);
        std::vector<FramePtr> pictures;
        for (const int pts : {0, 1, 40, 41, 42, 80}) {
            pictures.push_back(picture(pts));
        }
        EXPECT_EQ(times_of(encode(encoder, std::move(pictures))), expected) << tick.den;
    }
}

TEST_F(EncoderTest, GivesEachPacketTheTimeOfItsPicture) {
    const std::vector<std::int64_t> times{3, 40, 81, 123, 160, 199, 240, 283, 1320, 1360, 1401};
    std::vector<FramePtr> pictures;
    for (const std::int64_t time : times) {
        pictures.push_back(picture(time));
    }
    options_.encoder_options = {{"bf", "2"}, {"b_strategy", "0"}};
    Encoder encoder = make(*pictures.front());
    EXPECT_EQ(encoder.name(), "libx264");
    const std::vector<PacketPtr> packets = encode(encoder, std::move(pictures));
    std::vector<std::int64_t> shown;
    bool reordered = false;
    for (std::size_t i = 0; i < packets.size(); ++i) {
        EXPECT_LE(packets[i]->dts, packets[i]->pts);
        if (i > 0) {
            EXPECT_GT(packets[i]->dts, packets[i - 1]->dts);
            reordered = reordered || packets[i]->pts < packets[i - 1]->pts;
        }
        shown.push_back(packets[i]->pts);
    }
    EXPECT_TRUE(reordered);
    std::ranges::sort(shown);
    EXPECT_EQ(shown, times);
}

TEST_F(EncoderTest, ConvertsToTheFormatThatWasAskedFor) {
    options_.pix_fmt = "yuv444p";
    std::vector<FramePtr> pictures;
    pictures.push_back(picture(0));
    pictures.push_back(picture(40));
    Encoder encoder = make(*pictures.front());
    EXPECT_EQ(encoder.context().pix_fmt, AV_PIX_FMT_YUV444P);
    EXPECT_EQ(encode(encoder, std::move(pictures)).size(), 2U);
    options_.pix_fmt = "yuv999p";
    EXPECT_NE(refusal(ExitCode::usage).find("knows no pixel format 'yuv999p'"), std::string::npos);
    options_.pix_fmt = "bayer_bggr8";
    EXPECT_NE(refusal(ExitCode::encoder).find("does not take bayer_bggr8 pictures"), std::string::npos);
}

TEST_F(EncoderTest, MakesPalettesForGifUnlessOtherPixelsAreWanted) {
    options_.codec = "gif";
    std::vector<FramePtr> pictures;
    pictures.push_back(picture(0));
    pictures.push_back(picture(40));
    Encoder encoder = make(*pictures.front());
    EXPECT_EQ(encoder.context().pix_fmt, AV_PIX_FMT_PAL8);
    const std::vector<PacketPtr> packets = encode(encoder, std::move(pictures));
    ASSERT_EQ(packets.size(), 2U);
    EXPECT_EQ(packets[1]->pts, 40);
    FramePtr gray = picture(0);
    gray->format = AV_PIX_FMT_GRAY8;
    EXPECT_EQ(make(*gray).context().pix_fmt, AV_PIX_FMT_GRAY8);
    options_.pix_fmt = "rgb8";
    EXPECT_EQ(make(*picture(0)).context().pix_fmt, AV_PIX_FMT_RGB8);
}

TEST_F(EncoderTest, TellsWhatIsKnownOfThePictures) {
    const FramePtr first = picture(0);
    first->color_primaries = AVCOL_PRI_BT709;
    first->color_trc = AVCOL_TRC_BT709;
    first->colorspace = AVCOL_SPC_BT709;
    const Encoder encoder = make(*first);
    EXPECT_EQ(encoder.context().colorspace, AVCOL_SPC_BT709);
    EXPECT_EQ(encoder.context().color_range, AVCOL_RANGE_MPEG);
    EXPECT_EQ(av_cmp_q(encoder.context().framerate, {25, 1}), 0);
    EXPECT_EQ(av_cmp_q(encoder.time_base(), {1, 1000}), 0);
}

TEST_F(EncoderTest, NamesWrongOptions) {
    options_.encoder_options = {{"nonsense", "1"}};
    EXPECT_EQ(refusal(ExitCode::usage),
              "the encoder libx264 has no option 'nonsense' (ffmpeg -h encoder=libx264 lists them)");
    options_.encoder_options.clear();
    options_.preset = "nonsense";
    EXPECT_TRUE(refusal(ExitCode::encoder).starts_with("--preset nonsense: the encoder libx264 does not take it: "));
    EXPECT_TRUE(refusal(ExitCode::encoder)
                    .ends_with(" There are ultrafast, superfast, veryfast, faster, fast, medium, slow, slower, "
                               "veryslow, placebo"));
    options_.preset.clear();
    options_.encoder_options = {{"tune", "nonsense"}};
    EXPECT_TRUE(refusal(ExitCode::encoder).starts_with("--encoder-option tune=nonsense: the encoder libx264 does not"));
    options_.encoder_options.clear();
    options_.crf = 52;
    EXPECT_EQ(refusal(ExitCode::usage), "--crf: for libx264 it goes from 0, the best, to 51");
    options_.codec = "libvpx-vp9";
    options_.crf = 64;
    EXPECT_EQ(refusal(ExitCode::usage), "--crf: for libvpx-vp9 it goes from 0, the best, to 63");
    options_.codec.clear();
    options_.crf.reset();
    options_.bitrate = 900;
    EXPECT_TRUE(refusal(ExitCode::encoder).starts_with("--bitrate 900: the encoder libx264 does not take it: "));
    options_.bitrate.reset();
    const FramePtr odd = picture(0, 161);
    try {
        make(*odd);
        ADD_FAILURE() << "accepted";
    } catch (const Error& error) {
        EXPECT_STREQ(error.what(),
                     "the encoder libx264 refuses 161x120 yuv420p: width not divisible by 2 (161x120); --vf "
                     "scale=160:-2 makes even sides, and --pix-fmt yuv444p takes these");
    }
}

}  // namespace
}  // namespace vfilter
