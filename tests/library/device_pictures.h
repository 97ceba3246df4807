#pragma once
// Pictures in device memory, and one run of the library on both sides. By the C interface alone: these tests are also
// compiled with the library's own sources, which have names that vfilter.hpp has, too.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <memory>
#include <ostream>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "vfilter/vfilter.h"

namespace vfilter_device_test {

#ifdef VFILTER_CUDA_EMULATOR
inline constexpr bool emulated = true;
#else
inline constexpr bool emulated = false;
#endif

#define EXPECT_VFILTER(call) EXPECT_EQ(call, VFILTER_OK) << vfilter_error_text()
#define ASSERT_VFILTER(call) ASSERT_EQ(call, VFILTER_OK) << vfilter_error_text()

struct Destroy {
    void operator()(vfilter_context* context) const { vfilter_context_destroy(context); }
    void operator()(vfilter_operation* operation) const { vfilter_operation_destroy(operation); }
    void operator()(void* memory) const { cudaFree(memory); }
};
using ContextOwner = std::unique_ptr<vfilter_context, Destroy>;
using OperationOwner = std::unique_ptr<vfilter_operation, Destroy>;
using Bytes = std::vector<unsigned char>;

inline ContextOwner make_context() {
    vfilter_context* context = nullptr;
    EXPECT_VFILTER(vfilter_context_create(1, nullptr, &context));
    return ContextOwner(context);
}

class DeviceBytes {
public:
    explicit DeviceBytes(const Bytes& bytes) : size_(bytes.size()) {
        void* memory = nullptr;
        EXPECT_EQ(cudaMalloc(&memory, size_), cudaSuccess);
        memory_.reset(memory);
        EXPECT_EQ(cudaMemcpy(memory, bytes.data(), size_, cudaMemcpyHostToDevice), cudaSuccess);
        // It may have returned before the bytes were there, and other streams do not wait for its own.
        EXPECT_EQ(cudaStreamSynchronize(nullptr), cudaSuccess);
    }
    unsigned char* data() const { return static_cast<unsigned char*>(memory_.get()); }
    Bytes get() const {
        Bytes bytes(size_);
        EXPECT_EQ(cudaMemcpy(bytes.data(), memory_.get(), size_, cudaMemcpyDeviceToHost), cudaSuccess);
        return bytes;
    }

private:
    std::size_t size_;
    std::unique_ptr<void, Destroy> memory_;
};

class DeviceStream {
public:
    DeviceStream() { EXPECT_EQ(cudaStreamCreateWithFlags(&stream_, cudaStreamNonBlocking), cudaSuccess); }
    ~DeviceStream() { cudaStreamDestroy(stream_); }
    DeviceStream(const DeviceStream&) = delete;
    DeviceStream& operator=(const DeviceStream&) = delete;
    void* get() const { return stream_; }
    void wait() const { EXPECT_EQ(cudaStreamSynchronize(stream_), cudaSuccess); }

private:
    cudaStream_t stream_ = nullptr;
};

// Where pictures lie in some bytes.
struct Place {
    vfilter_picture picture = VFILTER_PICTURE_INIT;  // without data
    std::size_t first = 0;                           // byte of the first sample of the first channel
    std::size_t size = 0;

    vfilter_picture at(unsigned char* memory, bool device) const {
        vfilter_picture made = picture;
        made.data = memory + first;
        made.memory = device ? VFILTER_CUDA : VFILTER_HOST;
        return made;
    }
};

struct Lie {
    bool interleaved = true;
    bool backwards = false;    // channels
    bool upside_down = false;  // rows
    int gap = 0;               // samples after a row
    int before = 0;            // samples before the first row
};

inline Place place(const Lie& lie, int sample, int width, int height, int channels, int count) {
    const bool interleaved = lie.interleaved && channels > 1;
    const int step = interleaved ? channels : 1;
    const int row = width * step + lie.gap;
    const int plane = row * height;
    const int planes = interleaved ? 1 : channels;
    Place made;
    made.picture.width = width;
    made.picture.height = height;
    made.picture.channels = channels;
    made.picture.count = count;
    made.picture.pixel_pitch = sample * step;
    made.picture.row_pitch = sample * (lie.upside_down ? -row : row);
    made.picture.channel_pitch = sample * (!interleaved ? plane : lie.backwards ? -1 : 1);
    made.picture.picture_pitch = std::ptrdiff_t{sample} * plane * planes;
    const int first =
        lie.before + (lie.upside_down ? row * (height - 1) : 0) + (interleaved && lie.backwards ? channels - 1 : 0);
    made.first = static_cast<std::size_t>(first * sample);
    made.size = static_cast<std::size_t>(sample) * static_cast<std::size_t>(lie.before + plane * planes * count + 16);
    return made;
}

struct Case {
    std::vector<std::pair<std::string, std::string>> steps;
    int depth = 8;
    int shift = 0;
    int channels = 3;
    bool yuv = false;
    int count = 1;
    int width = 1;
    int height = 1;
    Lie source{};
    Lie result{};
    int masks = 0;
};

inline std::ostream& operator<<(std::ostream& out, const Case& test) {
    for (const auto& [filter, arguments] : test.steps) {
        out << filter << '=' << arguments << ' ';
    }
    const auto lie = [&](const Lie& own) {
        out << (own.interleaved ? " interleaved" : " planar") << (own.backwards ? " backwards" : "")
            << (own.upside_down ? " upside down" : "") << " gap " << own.gap << " before " << own.before;
    };
    out << test.depth << " bits << " << test.shift << ", " << test.count << " x " << test.channels << " x "
        << test.width << 'x' << test.height << (test.yuv ? " yuv" : "") << ", masks " << test.masks << ", source";
    lie(test.source);
    out << ", result";
    lie(test.result);
    return out;
}

inline OperationOwner make_operation(vfilter_context* context, const Case& test) {
    vfilter_format format = VFILTER_FORMAT_INIT;
    format.depth = test.depth;
    format.channels = test.channels;
    format.shift = test.shift;
    format.full_range = test.yuv ? 0 : 1;
    constexpr vfilter_component rgba[] = {VFILTER_RED, VFILTER_GREEN, VFILTER_BLUE, VFILTER_ALPHA};
    constexpr vfilter_component yuva[] = {VFILTER_LUMA, VFILTER_CB, VFILTER_CR, VFILTER_ALPHA};
    for (int i = 0; i < test.channels; ++i) {
        format.components[i] = test.channels < 3 ? (i == 0 ? VFILTER_LUMA : VFILTER_ALPHA)
                               : test.yuv        ? yuva[i]
                                                 : rgba[i];
    }
    std::vector<vfilter_step> steps;
    for (const auto& [filter, arguments] : test.steps) {
        steps.push_back({filter.c_str(), arguments.c_str()});
    }
    vfilter_operation* made = nullptr;
    EXPECT_VFILTER(vfilter_chain_create(context, steps.data(), steps.size(), &format, &made)) << test;
    return OperationOwner(made);
}

inline Bytes random_bytes(std::size_t size, std::mt19937& random) {
    Bytes bytes(size);
    std::ranges::generate(bytes, [&] { return static_cast<unsigned char>(random()); });
    return bytes;
}

// What is run, on both sides.
struct Sides {
    Place source;
    Place result;
    Place mask;
    Bytes source_bytes;
    Bytes result_bytes;
    Bytes mask_bytes;

    Sides(const Case& test, std::mt19937& random) {
        const int sample = test.depth > 8 ? 2 : 1;
        source = place(test.source, sample, test.width, test.height, test.channels, test.count);
        result = place(test.result, sample, test.width, test.height, test.channels, test.count);
        mask = place({.gap = static_cast<int>(random() % 5)}, 1, test.width, test.height, 1, std::max(test.masks, 1));
        source_bytes = random_bytes(source.size, random);
        result_bytes = random_bytes(result.size, random);
        mask_bytes = random_bytes(mask.size, random);
        for (unsigned char& weight : mask_bytes) {
            weight = weight < 80 ? 0 : weight > 170 ? 255 : weight;
        }
    }

    vfilter_status run_here(const vfilter_operation* operation, bool masked) {
        const vfilter_picture weights = mask.at(mask_bytes.data(), false);
        vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
        options.mask = masked ? &weights : nullptr;
        const vfilter_picture from = source.at(source_bytes.data(), false);
        const vfilter_picture to = result.at(result_bytes.data(), false);
        return vfilter_run(operation, &from, &to, &options);
    }
};

inline void expect_same_bytes(vfilter_context* context, const Case& test, unsigned seed) {
    std::mt19937 random(seed);
    const OperationOwner operation = make_operation(context, test);
    ASSERT_NE(operation, nullptr);
    Sides sides(test, random);
    const DeviceBytes source(sides.source_bytes);
    const DeviceBytes result(sides.result_bytes);
    const DeviceBytes mask(sides.mask_bytes);
    const DeviceStream stream;
    const vfilter_picture weights = sides.mask.at(mask.data(), true);
    vfilter_run_options options = VFILTER_RUN_OPTIONS_INIT;
    options.mask = test.masks > 0 ? &weights : nullptr;
    options.stream = stream.get();
    const vfilter_picture from = sides.source.at(source.data(), true);
    const vfilter_picture to = sides.result.at(result.data(), true);
    const Bytes source_before = sides.source_bytes;
    ASSERT_VFILTER(vfilter_run(operation.get(), &from, &to, &options)) << test;
    stream.wait();
    ASSERT_VFILTER(sides.run_here(operation.get(), test.masks > 0)) << test;
    EXPECT_TRUE(result.get() == sides.result_bytes) << test << ", seed " << seed;
    EXPECT_TRUE(source.get() == source_before) << test << ", seed " << seed;
}

}  // namespace vfilter_device_test
