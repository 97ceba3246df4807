#include "io/output/output_streams.h"

#include <gtest/gtest.h>

#include <memory>

extern "C" {
#include <libavformat/avformat.h>
}

namespace vfilter {

namespace {

using Context = std::unique_ptr<AVFormatContext, void (*)(AVFormatContext*)>;

// A table of a broadcast may change while the first pictures are looked for.
TEST(OutputStreams, ProgramsMayHoldStreamsThatCameLater) {
    const Context input(avformat_alloc_context(), avformat_free_context);
    for (int i = 0; i < 3; ++i) {
        ASSERT_NE(avformat_new_stream(input.get(), nullptr), nullptr);
    }
    ASSERT_NE(av_new_program(input.get(), 7), nullptr);
    for (unsigned stream = 0; stream < 3; ++stream) {
        av_program_add_stream_index(input.get(), 7, stream);
    }
    AVFormatContext* made = nullptr;
    ASSERT_GE(avformat_alloc_output_context2(&made, nullptr, "mpegts", nullptr), 0);
    const Context output(made, avformat_free_context);
    ASSERT_NE(avformat_new_stream(output.get(), nullptr), nullptr);
    copy_programs(*input, {0, -1}, *output);
    ASSERT_EQ(output->nb_programs, 1U);
    ASSERT_EQ(output->programs[0]->nb_stream_indexes, 1U);
    EXPECT_EQ(output->programs[0]->stream_index[0], 0U);
}

// A PMT that changes may leave one out, and no reader would find it.
TEST(OutputStreams, StreamsOfNoProgramGetOne) {
    const Context input(avformat_alloc_context(), avformat_free_context);
    AVFormatContext* made = nullptr;
    ASSERT_GE(avformat_alloc_output_context2(&made, nullptr, "mpegts", nullptr), 0);
    const Context output(made, avformat_free_context);
    for (int i = 0; i < 2; ++i) {
        ASSERT_NE(avformat_new_stream(input.get(), nullptr), nullptr);
        ASSERT_NE(avformat_new_stream(output.get(), nullptr), nullptr);
        output->streams[i]->id = 300 + i;
    }
    ASSERT_NE(av_new_program(input.get(), 7), nullptr);
    ASSERT_NE(av_new_program(input.get(), 8), nullptr);
    av_program_add_stream_index(input.get(), 8, 0);
    copy_programs(*input, {0, 1}, *output);
    ASSERT_EQ(output->nb_programs, 2U);
    EXPECT_EQ(output->programs[0]->nb_stream_indexes, 0U);
    EXPECT_EQ(output->programs[1]->nb_stream_indexes, 2U);
    // For an address that was lost, all of it again.
    AVFormatContext* again = nullptr;
    ASSERT_GE(avformat_alloc_output_context2(&again, nullptr, "mpegts", nullptr), 0);
    const Context repeated(again, avformat_free_context);
    repeat_streams(*output, *repeated);
    ASSERT_EQ(repeated->nb_programs, 2U);
    EXPECT_EQ(repeated->programs[1]->nb_stream_indexes, 2U);
    EXPECT_EQ(repeated->streams[1]->id, 301);
}

}  // namespace

}  // namespace vfilter
