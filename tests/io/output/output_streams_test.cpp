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

}  // namespace

}  // namespace vfilter
