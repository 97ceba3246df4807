// What the library says of calls that are not as they should be.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstddef>
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
    EXPECT_EQ(made("kernel", "1 2 1: file=a.txt", VFILTER_ERROR_ARGUMENT, format), "kernel: no parameter ' file'");
    EXPECT_EQ(made("gaussian", "5:maks=a.png", VFILTER_ERROR_ARGUMENT, format), "gaussian: no parameter 'maks'");
    EXPECT_EQ(made("gaussian", "5:\n=a", VFILTER_ERROR_ARGUMENT, format), "gaussian: no parameter '?'");
    EXPECT_EQ(made("gaussian", "5:a\xff\xc3=1", VFILTER_ERROR_ARGUMENT, format),
              R"(gaussian: no parameter 'a\xff\xc3')");
    EXPECT_EQ(made("gaussian", "5:\xc3\xa9=1", VFILTER_ERROR_ARGUMENT, format), "gaussian: no parameter '\xc3\xa9'");
    EXPECT_EQ(made("gaussian", "5:boarder=wrap", VFILTER_ERROR_ARGUMENT, format),
              "gaussian: no parameter 'boarder'; did you mean 'border'?");
    EXPECT_EQ(made("kernel", "matirx=1 2 1", VFILTER_ERROR_ARGUMENT, format),
              "kernel: no parameter 'matirx'; did you mean 'matrix'?");
    EXPECT_EQ(made("gaussian", ("sigma=1" + std::string(300, '0')).c_str(), VFILTER_ERROR_ARGUMENT, format),
              "gaussian: sigma=1" + std::string(79, '0') + "... is out of range; sigma is 0.05 to 100 pixels");
    EXPECT_EQ(made("sobel", "bias=0.5", VFILTER_ERROR_ARGUMENT, format),
              "sobel: a magnitude is rounded before its bias is added, so that at 8 bits the bias is a multiple of 1");
    EXPECT_EQ(made("identity", "chroma=neutral", VFILTER_ERROR_ARGUMENT, format),
              "identity: RGB pictures have no chroma to set to grey");
    EXPECT_EQ(made("sobel", "", VFILTER_OK, format), "nothing was thrown");
    EXPECT_EQ(made("identity", "chroma=neutral", VFILTER_OK, vfilter::picture_format(8, 1)), "nothing was thrown");
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
    const auto sends_far = [](std::ptrdiff_t pitch, std::ptrdiff_t count) {
        return [=](P source, P result) {
            source.count = result.count = count;
            source.picture_pitch = result.picture_pitch = pitch;
        };
    };
    for (const auto& far : {sends_far(PTRDIFF_MAX, 2), sends_far(PTRDIFF_MIN, 4), sends_far(300, PTRDIFF_MAX)}) {
        EXPECT_EQ(run(VFILTER_ERROR_PICTURE, far), "source: its pitches lead farther than addresses reach");
    }
    const Operation chain(context, {{"gaussian", "5"}, {"fill", "red:region=8,20,5,5"}}, format);
    EXPECT_EQ(message_of([&] { chain.run(good, other); }, VFILTER_ERROR_ARGUMENT),
              "fill: region='8,20,5,5': lies outside of the picture, which has 10x10 pixels");
    EXPECT_EQ(message_of([] { const Context none(-1); }, VFILTER_ERROR_ARGUMENT), "threads is 0 to 1024");
}

// Rows that lie between each other's, as the two fields of a frame, are apart as long as no byte is in two of them.
TEST(Library, PicturesAtPlacesMayLieBetweenEachOther) {
    const Context context;
    const Operation operation(context, "gaussian", "5", vfilter::picture_format(8, 1));
    std::vector<std::uint8_t> source(2 * 40 * 10);
    for (std::size_t i = 0; i < source.size(); ++i) {
        source[i] = static_cast<std::uint8_t>(i * i >> 3);
    }
    const vfilter_picture from = vfilter::packed_picture(source.data(), 40, 10, 1, 2);
    std::vector<std::uint8_t> expected(source.size());
    operation.run(from, vfilter::packed_picture(expected.data(), 40, 10, 1, 2));
    std::vector<std::uint8_t> memory(200 * 30);
    // The second picture's first row, and its pitch, which is the first's but where the rows are counted.
    const auto made = [&](std::ptrdiff_t place, std::ptrdiff_t pitch) {
        std::vector<void*> places{memory.data() + 1000, memory.data() + 1000 + place};
        vfilter_picture to = from;
        to.data = nullptr;
        to.places = places.data();
        to.row_pitch = pitch;
        return message_of(
            [&] {
                operation.run(from, to);
                for (int picture = 0; picture < 2; ++picture) {
                    for (int y = 0; y < 10; ++y) {
                        const auto row = memory.begin() + 1000 + picture * place + y * pitch;
                        EXPECT_TRUE(std::equal(row, row + 40, expected.begin() + (picture * 10 + y) * 40)) << place;
                    }
                }
            },
            VFILTER_ERROR_PICTURE);
    };
    const std::string shared = "result: some of its pictures share their places";
    for (const std::ptrdiff_t place : {40, -40, 120, -120, 10 * 80, -10 * 80}) {
        EXPECT_EQ(made(place, 80), "nothing was thrown") << place;
    }
    for (const std::ptrdiff_t place : {39, 41, -39, 0, 80, 9 * 80 + 39, -9 * 80 - 39}) {
        EXPECT_EQ(made(place, 80), shared) << place;
    }
    EXPECT_EQ(made(9 * 80 + 40, 80), "nothing was thrown");
    EXPECT_EQ(made(60, 120), "nothing was thrown");
    EXPECT_EQ(made(20, 60), shared);
}

// The program's messages, without what is the program's alone.
TEST(Library, AdvisesWhatItTakes) {
    const Context context;
    const auto said = [&](const char* filter, const std::string& arguments) {
        return message_of([&] { const Operation made(context, filter, arguments, vfilter::picture_format(8, 3)); },
                          VFILTER_ERROR_ARGUMENT);
    };
    EXPECT_EQ(said("denoise", "auto"), "denoise: kind='auto' is none of light, medium, strong, film, animation");
    EXPECT_EQ(said("denoise", ""), "denoise: what kind is needed: light, medium, strong, film or animation");
    EXPECT_EQ(said("nlmeans", "auto"), "nlmeans: sigma='auto' is not a number; sigma is 0.5 to 50 levels of 256");
    EXPECT_EQ(said("kernel", ""), "kernel: a matrix is needed, \"1 2 1; 2 4 2; 1 2 1\"");
    EXPECT_EQ(said("gaussian", "5:invert=1"), "gaussian: invert and feather need a region");
    std::string many = "5:region=0,0,1,1";
    for (int i = 0; i < 1000; ++i) {
        many += "+0,0,1,1";
    }
    const std::string too_many = said("gaussian", many);
    EXPECT_TRUE(too_many.ends_with("more than 1000 rectangles; a mask can have any shape")) << too_many;
    // Letters of two bytes, which are not cut in half.
    std::string word = "a";
    for (int i = 0; i < 60; ++i) {
        word += "\xc3\xa9";
    }
    EXPECT_EQ(said("kernel", word),
              "kernel: '" + word.substr(0, 79) + "...' in the matrix is no number from -1000000 to 1000000");
}

// Two parts of one picture whose rows have different pitches lie beside each other, or one over the other.
TEST(Library, PartsOfAPictureShareNothingWhereTheyAreApart) {
    const Context context;
    const Operation operation(context, "gaussian", "5", vfilter::picture_format(8, 1));
    std::vector<std::uint8_t> memory(60 * 40);
    const auto run = [&](std::ptrdiff_t place, std::ptrdiff_t pitch, vfilter_status status) {
        vfilter_picture source = vfilter::packed_picture(memory.data(), 30, 20);  // every other row's left half
        source.row_pitch = 2 * 60;
        vfilter_picture result = vfilter::packed_picture(memory.data() + place, 30, 20);
        result.row_pitch = pitch;
        return message_of([&] { operation.run(source, result); }, status);
    };
    EXPECT_EQ(run(30, 60, VFILTER_OK), "nothing was thrown");
    EXPECT_EQ(run(19 * 60 + 30, -60, VFILTER_OK), "nothing was thrown");
    for (const std::ptrdiff_t place : {0, 29, 31, 60}) {
        EXPECT_TRUE(run(place, 60, VFILTER_ERROR_PICTURE).starts_with("source and result share memory")) << place;
    }
    // A source's own rows may lie one over the other.
    vfilter_picture source = vfilter::packed_picture(memory.data(), 30, 20);
    source.row_pitch = 1;
    vfilter_picture result = vfilter::packed_picture(memory.data() + 49, 30, 20);
    result.row_pitch = 60;
    EXPECT_EQ(message_of([&] { operation.run(source, result); }, VFILTER_OK), "nothing was thrown");
    // And masks have channels of their own.
    vfilter_picture mask = vfilter::packed_picture(memory.data(), 30, 20, 3);
    vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
    options.mask = &mask;
    EXPECT_EQ(message_of([&] { operation.run(source, result, &options); }, VFILTER_ERROR_PICTURE),
              "mask: it has 3 channels, and a mask 1");
}

TEST(Library, AMaskOfBytesInAResultOfWordsSharesItsMemory) {
    const Context context;
    const Operation operation(context, "gaussian", "5", vfilter::picture_format(16, 3));
    std::vector<std::uint16_t> source(30 * 8 * 3);
    std::vector<std::uint16_t> result(source.size());
    auto* const bytes = reinterpret_cast<std::uint8_t*>(result.data());
    for (const bool backwards : {false, true}) {
        vfilter_picture to = vfilter::packed_picture(result.data(), 30, 8, 3);
        if (backwards) {
            to.data = result.data() + 2;
            to.channel_pitch = -to.channel_pitch;
        }
        const auto run = [&](std::size_t place, int width, vfilter_status status) {
            vfilter_picture from = vfilter::packed_picture(source.data(), 30, 8, 3);
            vfilter_picture mask = vfilter::packed_picture(bytes + place, 30, 8);
            mask.row_pitch = to.row_pitch;
            vfilter_picture made = to;
            from.width = made.width = mask.width = width;
            vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
            options.mask = &mask;
            return message_of([&] { operation.run(from, made, &options); }, status);
        };
        for (const std::size_t place : {0, 90, 149}) {
            EXPECT_TRUE(run(place, 30, VFILTER_ERROR_PICTURE).starts_with("mask and result share memory")) << place;
        }
        // Beside what is made of the rows, it may lie.
        EXPECT_EQ(run(120, 20, VFILTER_OK), "nothing was thrown");
        EXPECT_TRUE(run(119, 20, VFILTER_ERROR_PICTURE).starts_with("mask and result share memory"));
    }
}

TEST(Library, MemoryThatCannotBeIsAskedOfNobody) {
    const Context context;
    const Operation operation(context, {{"gaussian", "5"}, {"tmedian", "1"}}, vfilter::picture_format(8, 1));
    std::vector<std::uint8_t> memory(200, 1);
    vfilter_picture source = vfilter::packed_picture(memory.data(), 8, 8);
    source.count = std::ptrdiff_t{1} << 58;  // of 64 bytes each, all at one place
    source.picture_pitch = 0;
    const vfilter_picture result = vfilter::packed_picture(memory.data() + 100, 8, 8);
    EXPECT_EQ(message_of([&] { operation.run(source, result); }, VFILTER_ERROR_MEMORY), "there is not enough memory");
}

// In percent of the picture that a plane of chroma is of, which may be odd.
TEST(Library, RegionsOfChromaGoByTheWholePicture) {
    const Context context;
    vfilter_format format = vfilter::picture_format(8, 1);
    format.components[0] = VFILTER_CB;
    format.subsampling_x = format.subsampling_y = 1;
    std::vector<std::uint8_t> source(51 * 33);
    for (std::size_t i = 0; i < source.size(); ++i) {
        source[i] = static_cast<std::uint8_t>(i * i * 7 >> 4);
    }
    const auto made = [&](const char* region, int width, int height, std::size_t struct_size) {
        std::vector<std::uint8_t> result(source.size());
        vfilter_picture from = vfilter::packed_picture(source.data(), 51, 33);
        from.luma_width = width;
        from.luma_height = height;
        from.struct_size = struct_size;
        const Operation operation(context, "gaussian", std::string("9:region=") + region, format);
        operation.prepare(from);
        operation.run(from, vfilter::packed_picture(result.data(), 51, 33));
        return result;
    };
    constexpr std::size_t now = sizeof(vfilter_picture);
    const std::vector<std::uint8_t> whole = made("45%,45%,45.4%,45%", 0, 0, now);
    EXPECT_EQ(made("45%,45%,45.4%,45%", 101, 65, now), made("45,29,46,30", 101, 65, now));
    EXPECT_EQ(whole, made("46,30,46,29", 102, 66, now));
    EXPECT_NE(whole, made("45%,45%,45.4%,45%", 101, 65, now));
    // Of a caller who was compiled when there were no such members.
    EXPECT_EQ(whole, made("45%,45%,45.4%,45%", 101, 65, offsetof(vfilter_picture, luma_width)));
    const std::string wrong = message_of([&] { made("0,0,9,9", 99, 65, now); }, VFILTER_ERROR_PICTURE);
    EXPECT_EQ(wrong, "like: a plane of 51x33 is not of a picture of 99x65 with the format's subsampling");
}

TEST(Library, SaysWhatIsWrongWithVideos) {
    const Context context;
    const vfilter_format format = vfilter::picture_format(8, 1);
    const Operation median(context, "tmedian", "1", format);
    const Operation blur(context, "gaussian", "5", format);
    EXPECT_EQ(median.reach(), std::pair(1, 1));
    EXPECT_EQ(blur.reach(), std::pair(0, 0));
    std::vector<std::uint8_t> memory(8 * 100);
    const vfilter_picture five = vfilter::packed_picture(memory.data(), 10, 10, 1, 5);
    const vfilter_picture two = vfilter::packed_picture(memory.data() + 500, 10, 10, 1, 2);
    const auto run = [&](vfilter_status status, const Operation& operation, std::ptrdiff_t first, const auto& change) {
        vfilter_picture source = five;
        vfilter_picture result = two;
        change(source, result);
        vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
        options.first = first;
        return message_of([&] { operation.run(source, result, &options); }, status);
    };
    using P = vfilter_picture&;
    const auto as_they_are = [](P, P) {};
    for (const std::ptrdiff_t first : {-1, 4}) {
        EXPECT_EQ(run(VFILTER_ERROR_PICTURE, median, first, as_they_are),
                  "the result's pictures are not among the source's, which are 5");
    }
    EXPECT_EQ(run(VFILTER_ERROR_PICTURE, blur, 0, as_they_are),
              "source and result are not of the same size and number");
    std::vector<void*> places(5, memory.data());
    const auto by_places = [&](P source, P) {
        source.data = nullptr;
        source.places = places.data();
    };
    EXPECT_EQ(run(VFILTER_OK, median, 3, by_places), "nothing was thrown");
    EXPECT_EQ(run(VFILTER_ERROR_PICTURE, median, 0,
                  [&](P source, P result) {
                      by_places(source, result);
                      result.places = places.data();
                  }),
              "result: some of its pictures share their places");
    EXPECT_EQ(run(VFILTER_ERROR_UNSUPPORTED, median, 0,
                  [&](P source, P result) {
                      by_places(source, result);
                      source.memory = VFILTER_CUDA;
                  }),
              "source: places are of host memory");
    places[4] = memory.data() + 550;  // in a picture of the result
    EXPECT_EQ(run(VFILTER_ERROR_PICTURE, median, 0, by_places),
              "source and result share memory: a result is made of samples that have to stay as they are meanwhile");
    places[4] = nullptr;
    EXPECT_EQ(run(VFILTER_ERROR_PICTURE, median, 0, by_places), "source: a picture has no place");
}

}  // namespace
