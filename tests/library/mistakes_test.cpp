// What the library says of calls that are not as they should be.

#include <gtest/gtest.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "vfilter/vfilter.hpp"

namespace {

using vfilter::Context;
using vfilter::Operation;

std::string message_of(const std::function<void()>& call, vfilter_status status) {
    try {
        call();
    } catch (const vfilter::Error& error) {
        EXPECT_EQ(error.status(), status) << error.what();
        return error.what();
    }
    return "nothing was thrown";
}

TEST(Library, SaysWhatIsWrong) {
    const Context context;
    const vfilter_format format = vfilter::picture_format(8, 3);
    const auto made = [&](const char* filter, const char* arguments, vfilter_status status, const vfilter_format& of) {
        return message_of([&] { const Operation operation(context, filter, arguments, of); }, status);
    };
    EXPECT_EQ(made("gausian", "", VFILTER_ERROR_ARGUMENT, format),
              "there is no filter 'gausian'; did you mean 'gaussian'?");
    EXPECT_EQ(made("gaussian", "4", VFILTER_ERROR_ARGUMENT, format),
              "gaussian: size 4 is even: a kernel needs a middle, so take 3 or 5, or give the width itself as sigma=S");
    EXPECT_EQ(made("gaussian", "5:mask=a.png", VFILTER_ERROR_UNSUPPORTED, format),
              "gaussian: mask= is for videos and files; the library opens no files, and takes masks in memory");
    EXPECT_EQ(made("gaussian", "5:region=@a.csv", VFILTER_ERROR_UNSUPPORTED, format),
              "gaussian: region=@FILE is for videos and files; the library opens no files, and takes masks in memory");
    EXPECT_NE(made("denoise", "auto", VFILTER_ERROR_ARGUMENT, format).find("give sigma=S"), std::string::npos);
    EXPECT_EQ(made("gaussian", "5", VFILTER_ERROR_ARGUMENT, vfilter::picture_format(7, 3)),
              "format: depth is 8 to 16 bits, not 7");
    EXPECT_EQ(made("gaussian", "5", VFILTER_ERROR_ARGUMENT, vfilter::picture_format(8, 5)),
              "format: channels are 1 to 4, not 5");

    const Operation operation(context, "gaussian", "5", format);
    std::vector<std::uint8_t> memory(4 * 300);
    const vfilter_picture good = vfilter::packed_picture(memory.data(), 10, 10, 3);
    const vfilter_picture other = vfilter::packed_picture(memory.data() + 300, 10, 10, 3);
    const auto run = [&](vfilter_status status, const auto& change) {
        vfilter_picture source = good;
        vfilter_picture result = other;
        change(source, result);
        return message_of([&] { operation.run(source, result); }, status);
    };
    using P = vfilter_picture&;
    EXPECT_EQ(run(VFILTER_ERROR_PICTURE, [&](P, P result) { result.data = good.data; }),
              "source and result share memory: a result is made of samples that have to stay as they are meanwhile");
    EXPECT_EQ(run(VFILTER_ERROR_PICTURE, [](P source, P) { source.channels = 1; }),
              "source: it has 1 channels, and the format 3");
    EXPECT_EQ(run(VFILTER_ERROR_PICTURE, [](P, P result) { result.width = 9; }),
              "source and result are not of the same size and number");
    EXPECT_EQ(run(VFILTER_ERROR_PICTURE, [](P, P result) { result.row_pitch = 20; }),
              "result: some of its samples share their place, as a pitch of 20 bytes is less than the 30 within it");
    EXPECT_EQ(run(VFILTER_ERROR_PICTURE, [](P source, P) { source.pixel_pitch = 6; }),
              "source: samples of a row lie side by side, those of one channel or of all 3; a pixel_pitch of 6 bytes "
              "with a channel_pitch of 1 is neither");
    EXPECT_EQ(run(VFILTER_ERROR_PICTURE, [](P source, P) { source.memory = VFILTER_CUDA; }),
              "source is in the memory of GPU 0, and result in host memory");
    EXPECT_EQ(run(VFILTER_ERROR_PICTURE,
                  [](P source, P) {
                      source.memory = VFILTER_CUDA;
                      source.device = -1;
                  }),
              "source: its memory is VFILTER_HOST, or VFILTER_CUDA with a device's number");
    EXPECT_EQ(run(VFILTER_ERROR_PICTURE, [](P source, P) { source.data = nullptr; }),
              "source: no picture, no struct_size or no data");
    EXPECT_EQ(message_of([] { const Context none(-1); }, VFILTER_ERROR_ARGUMENT), "threads is 0 to 1024");
}

}  // namespace
