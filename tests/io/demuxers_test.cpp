// What is known of demuxers and muxers by their names.

#include "io/demuxers.h"

#include <gtest/gtest.h>

#include <string>
#include <string_view>

#include "io/containers.h"
#include "io/device_library.h"

namespace vfilter {
namespace {

unsigned facts_by_name(const char* name) {
    AVInputFormat format{};
    format.name = name;
    return demuxer_facts(format).facts;
}

TEST(Demuxers, AreKnownByTheFirstOfTheirNames) {
    EXPECT_EQ(facts_by_name("mov,mp4,m4a,3gp,3g2,mj2"), input_fact::movie | input_fact::indexed | input_fact::no_gaps);
    EXPECT_EQ(facts_by_name("matroska,webm"), input_fact::matroska);
    EXPECT_EQ(facts_by_name("hls,applehttp"), input_fact::playlist | input_fact::same_reader);
    EXPECT_EQ(facts_by_name("asf_o"), input_fact::loose_times);
    EXPECT_EQ(facts_by_name("mpegts"), input_fact::transport);
    EXPECT_EQ(facts_by_name("mpegtsraw"), 0U);
    EXPECT_EQ(facts_by_name("movie"), 0U);
    EXPECT_EQ(facts_by_name(""), 0U);
}

TEST(Demuxers, OfPicturesAreAllThatFFmpegHas) {
    constexpr unsigned pictures = input_fact::pictures | input_fact::no_gaps;
    EXPECT_EQ(facts_by_name("image2"), pictures);
    EXPECT_EQ(facts_by_name("nosuch_pipe"), pictures) << "of a later FFmpeg";
    EXPECT_EQ(facts_by_name("png_pipe"), pictures | input_fact::png);
    EXPECT_EQ(facts_by_name("yuv4mpegpipe") & input_fact::pictures, 0U);
    EXPECT_EQ(facts_by_name("image2pipe"), 0U);
    int pipes = 0;
    void* state = nullptr;
    while (const AVInputFormat* const format = av_demuxer_iterate(&state)) {
        const std::string_view name = format->name;
        const bool pipe = name.ends_with("_pipe");
        pipes += pipe ? 1 : 0;
        EXPECT_EQ(demuxer_facts(*format).has(input_fact::pictures), pipe || name == "image2") << name;
        EXPECT_EQ(demuxer_facts(*format).has(input_fact::png), name.find("png") != std::string_view::npos) << name;
        EXPECT_EQ(demuxer_facts(*format).has(input_fact::loose_times), name.starts_with("asf")) << name;
    }
    EXPECT_GT(pipes, 20);
}

TEST(Demuxers, ThatAreAllowedOpenNoOtherFiles) {
    const std::string usual = "," + allowed_formats(false) + ",";
    const std::string named = "," + allowed_formats(true) + ",";
    for (const char* const closed : {",hls,", ",concat,", ",dash,", ",vobsub,", ",rtsp,"}) {
        EXPECT_EQ(usual.find(closed), std::string::npos) << closed;
        EXPECT_EQ(named.find(closed), std::string::npos) << closed;
    }
    EXPECT_EQ(usual.find(",tty,"), std::string::npos);
    EXPECT_NE(named.find(",tty,"), std::string::npos);
    EXPECT_NE(usual.find(",mov,mp4,"), std::string::npos);
}

TEST(Demuxers, ScriptsAreLists) {
    for (const char* const name : {"avisynth", "vapoursynth"}) {
        AVInputFormat format{};
        format.name = name;
        EXPECT_TRUE(is_script(format)) << name;
        EXPECT_TRUE(is_playlist(format)) << name;
    }
}

// They are among the demuxers once their library is loaded, and then a graph could be the name of a file.
TEST(Demuxers, DevicesAreNoFormatsOfFiles) {
    load_device_library("test");
    ASSERT_NE(av_find_input_format("lavfi"), nullptr);
    EXPECT_TRUE(is_device(*av_find_input_format("lavfi")));
    EXPECT_FALSE(is_device(*av_find_input_format("mov")));
    const std::string named = "," + allowed_formats(true) + ",";
    for (const char* const closed : {",lavfi,", ",video4linux2,", ",alsa,", ",x11grab,"}) {
        EXPECT_EQ(named.find(closed), std::string::npos) << closed;
    }
}

TEST(ContainerFacts, HaveFactsInPlaceOfTheirNames) {
    const auto has = [](const char* name, unsigned fact) {
        AVOutputFormat format{};
        format.name = name;
        return container_of(format).has(fact);
    };
    for (const char* const name : {"gif", "apng", "webp", "avif"}) {
        EXPECT_TRUE(has(name, fact::animation)) << name;
    }
    EXPECT_FALSE(has("mp4", fact::animation));
    EXPECT_FALSE(has("webp", fact::one_video));
    EXPECT_FALSE(has("webp", fact::last_delay));
    EXPECT_TRUE(has("gif", fact::last_delay));
    EXPECT_TRUE(has("apng", fact::last_delay));
    EXPECT_FALSE(has("apng", fact::hundredths));
    EXPECT_TRUE(has("rawvideo", fact::as_encoded));
    EXPECT_FALSE(has("rawvideo", fact::single_picture));
    EXPECT_FALSE(has("mp4", fact::quicktime));
    for (const char* const name : {"mxf", "mxf_d10", "mxf_opatom", "gxf"}) {
        EXPECT_TRUE(has(name, fact::own_order)) << name;
    }
    const AVOutputFormat* const picture = av_guess_format("image2pipe", nullptr, nullptr);
    ASSERT_NE(picture, nullptr);
    EXPECT_EQ(name_of_output(*picture), "a picture");
}

// Pictures one after another are counted at a rate that libavformat takes for granted.
TEST(Demuxers, SomeHaveNoTimesUnlessTheirPacketsGetThoseOfTheirArrival) {
    const auto lacks = [](const char* name, const OptionPairs& options = {}) {
        const AVInputFormat* const format = av_find_input_format(name);
        return format != nullptr && has_no_times(*format, options);
    };
    for (const char* const name :
         {"mjpeg", "jpeg_pipe", "png_pipe", "image2pipe", "mpjpeg", "h264", "hevc", "rawvideo"}) {
        EXPECT_TRUE(lacks(name)) << name;
        for (const char* const no : {"0", "false", "no", "off"}) {
            EXPECT_TRUE(lacks(name, {{"use_wallclock_as_timestamps", no}})) << name << no;
        }
        for (const char* const yes : {"1", "true", "yes", "on"}) {
            EXPECT_FALSE(lacks(name, {{"use_wallclock_as_timestamps", yes}})) << name << yes;
        }
    }
    for (const char* const name : {"mpegts", "matroska", "mov", "nut", "flv", "yuv4mpegpipe", "ogg"}) {
        EXPECT_FALSE(lacks(name)) << name;
    }
}

}  // namespace
}  // namespace vfilter
