// Which encoder makes the output's pictures.

#include "io/codec/encoder_choice.h"

#include <gtest/gtest.h>

namespace vfilter {
namespace {

const AVOutputFormat& container(const char* name) {
    return *av_guess_format(name, nullptr, nullptr);
}

TEST(EncoderChoice, IsTheContainersUsualOne) {
    const OutputOptions options;
    for (const char* const name : {"mp4", "mov", "matroska", "mpegts", "flv", "rtsp", "rtp_mpegts"}) {
        EXPECT_EQ(encoder_of(options, container(name)), "libx264") << name;
    }
    EXPECT_EQ(encoder_of(options, container("yuv4mpegpipe")), "wrapped_avframe");
    EXPECT_EQ(encoder_of(options, container("gif")), "gif");
    EXPECT_THROW(encoder_of(options, container("wav")), Error);
}

TEST(EncoderChoice, ContainersOfSoundAreRefused) {
    OutputOptions png;
    png.codec = "png";  // which is FLAC's cover
    for (const char* const name : {"mp3", "flac", "wav", "aiff", "opus", "caf"}) {
        for (const OutputOptions& options : {OutputOptions{}, png}) {
            try {
                check_codec(options, container(name));
                ADD_FAILURE() << name;
            } catch (const Error& error) {
                EXPECT_EQ(error.code(), ExitCode::output);
                EXPECT_NE(std::string(error.what()).find("can hold sound but no video"), std::string::npos);
            }
        }
    }
}

TEST(EncoderChoice, IsTheOneThatIsNamed) {
    OutputOptions options;
    options.codec = "ffv1";
    EXPECT_EQ(encoder_of(options, container("mp4")), "ffv1");
    options.codec = "hevc";
    EXPECT_EQ(choose_codec(options, container("mp4")).id, AV_CODEC_ID_HEVC);
    for (const char* const none : {"nonsense", "aac"}) {
        options.codec = none;
        try {
            choose_codec(options, container("mp4"));
            ADD_FAILURE() << none;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::encoder);
            EXPECT_NE(std::string(error.what()).find(none), std::string::npos);
        }
    }
}

TEST(EncoderChoice, TellsWhatThereIsInsteadOfOtherHardware) {
    const std::string h264 = instead_of_hardware("h264_vaapi");
    EXPECT_NE(h264.find("no hardware encoders but NVIDIA's are used; h264 is made by libx264"), std::string::npos)
        << h264;
    for (const char* const name : {"h264_qsv", "h264_v4l2m2m", "hevc_amf", "h264_videotoolbox", "mjpeg_vaapi"}) {
        EXPECT_NE(instead_of_hardware(name).find("is made by"), std::string::npos) << name;
    }
    for (const char* const name : {"h264_nvenc", "libx264", "prores_ks", "vaapi", "mpeg2video", "ffv1"}) {
        EXPECT_EQ(instead_of_hardware(name), "") << name;
    }
    OutputOptions options;
    for (const char* const name : {"h264_vaapi", "h264_amf", "hevc_videotoolbox"}) {
        options.codec = name;
        try {
            choose_codec(options, container("mp4"));
            ADD_FAILURE() << name;
        } catch (const Error& error) {
            EXPECT_EQ(error.code(), ExitCode::encoder);
            EXPECT_NE(std::string(error.what()).find("is made by libx26"), std::string::npos) << error.what();
        }
    }
}

TEST(EncoderChoice, HasToFitTheContainer) {
    struct Row {
        const char* codec;
        const char* container;
        bool fits;
    };
    for (const Row& row :
         {Row{"libx264", "mp4", true}, Row{"libx264", "webm", false}, Row{"ffv1", "mpegts", false},
          Row{"mpeg2video", "mpegts", true}, Row{"libx264", "hevc", false}, Row{"libx264", "h264", true},
          Row{"ffv1", "matroska", true}, Row{"gif", "matroska", false}, Row{"mpeg4", "flv", false},
          Row{"h263", "flv", false}, Row{"flv", "flv", true}, Row{"gif", "yuv4mpegpipe", false},
          Row{"wrapped_avframe", "yuv4mpegpipe", true}, Row{"rawvideo", "yuv4mpegpipe", true},
          Row{"ffv1", "gif", false}, Row{"png", "apng", false}, Row{"apng", "apng", true}}) {
        OutputOptions options;
        options.codec = row.codec;
        try {
            check_codec(options, container(row.container));
            EXPECT_TRUE(row.fits) << row.codec << " in " << row.container;
        } catch (const Error& error) {
            EXPECT_FALSE(row.fits) << error.what();
            EXPECT_EQ(error.code(), ExitCode::output);
        }
    }
}

TEST(EncoderChoice, TellsWhoseBitStreamKnowsTheRange) {
    EXPECT_TRUE(tells_of_pictures("libx264"));
    EXPECT_FALSE(tells_of_pictures("ffv1"));
    EXPECT_FALSE(tells_of_pictures("nonsense"));
    EXPECT_NE(encoder_list().find("\nlibx264 "), std::string::npos);
    EXPECT_EQ(encoder_list().find("\naac "), std::string::npos);
}

}  // namespace
}  // namespace vfilter
