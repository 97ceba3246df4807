// What can happen to a GPU: too little memory, its loss in the middle, and pictures that are dropped.

#include <cuda_runtime_api.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstdlib>
#include <fstream>
#include <sstream>
#include <thread>

#include "io/log/complaints.h"
#include "pipeline/engine/cuda_engine.h"
#include "pipeline/engine/cuda_pictures.h"
#include "pipeline/session/session.h"
#include "tests/support/clips.h"
#include "tests/support/gpu_fault.h"

namespace vfilter {
namespace {

using testing::Folder;
using testing::make_clip;

class CudaFaults : public ::testing::Test {
protected:
    void SetUp() override {
        try {
            CudaDevice(0, 0);
        } catch (const Error& error) {
            ASSERT_EQ(std::getenv("VFILTER_TEST_NEEDS_GPU"), nullptr) << error.what();
            GTEST_SKIP() << error.what();
        }
    }
};

// Takes what is free but for so many bytes.
DeviceMemory leave_free(std::size_t bytes) {
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    void* memory = nullptr;
    cuda_check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    cuda_check(cudaMalloc(&memory, free_bytes - bytes), "cudaMalloc");
    return DeviceMemory(memory);
}

// A picture is dropped while what fills it waits its turn, and its memory is lent again at once.
TEST_F(CudaFaults, APictureThatWasDroppedIsNotWrittenOverTheNext) {
    constexpr std::size_t bytes = 64;
    const auto pictures = std::make_shared<CudaPictures>(0, PictureKind{AV_PIX_FMT_GRAY8, bytes, 1});
    const auto make_stream = [] {
        cudaStream_t stream = nullptr;
        cuda_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
        return CudaStream(stream);
    };
    const CudaStream late = make_stream();
    const CudaStream next = make_stream();
    const auto fill = [&](cudaStream_t stream, int value) {
        FramePtr picture = pictures->lend(stream);
        if (stream == late.get()) {
            const auto sleep = [](void*) { std::this_thread::sleep_for(std::chrono::milliseconds(200)); };
            cuda_check(cudaLaunchHostFunc(stream, sleep, nullptr), "cudaLaunchHostFunc");
        }
        cuda_check(cudaMemsetAsync(picture->data[0], value, bytes, stream), "cudaMemsetAsync");
        cuda_check(cudaEventRecord(CudaPictures::ready(*picture), stream), "cudaEventRecord");
        return picture;
    };
    const std::uint8_t* const memory = fill(late.get(), 17)->data[0];
    const FramePtr picture = fill(next.get(), 34);
    ASSERT_EQ(picture->data[0], memory);
    cuda_check(cudaDeviceSynchronize(), "cudaDeviceSynchronize");
    std::array<std::uint8_t, bytes> samples{};
    cuda_check(cudaMemcpy(samples.data(), memory, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    EXPECT_EQ(std::ranges::count(samples, 34), std::ptrdiff_t{bytes});
}

TEST_F(CudaFaults, FewerStreamsWhereMemoryIsShortThenAnErrorThatTellsTheNeed) {
    const CudaDevice device(0, 8);
    FramePool pool(device.allocator());
    const std::vector<FilterSpec> chain{parse_filter(*find_filter("gaussian"), "5")};
    const PictureFormat format{AV_PIX_FMT_YUV420P, 7680, 4320, false};
    std::int64_t one_stream = 0;
    {
        const auto engine = CudaDevice(0, 1).make_engine(chain, format, pool, nullptr);
        one_stream = engine->counters().device_bytes;
        EXPECT_EQ(engine->slots(), 1U);
    }
    {
        const DeviceMemory hog = leave_free(static_cast<std::size_t>(one_stream) * 6);
        const auto engine = device.make_engine(chain, format, pool, nullptr);
        EXPECT_EQ(engine->slots(), 4U);
        EXPECT_EQ(engine->counters().device_bytes, 4 * one_stream);
    }
    const DeviceMemory hog = leave_free(static_cast<std::size_t>(one_stream));
    try {
        const auto engine = device.make_engine(chain, format, pool, nullptr);
        FAIL() << "there was room for " << engine->name();
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::device);
        EXPECT_NE(std::string(error.what()).find("MiB are needed for 4 streams"), std::string::npos) << error.what();
    }
}

// In a process of its own, which is of no use to CUDA afterwards.
[[noreturn]] void lose_the_gpu(const std::string& report) {
    connect_ffmpeg_log(false);
    const Folder folder;
    make_clip(folder / "in.mp4", 12);
    Options options;
    options.device = "cuda";
    options.input.path = folder / "in.mp4";
    options.output.path = folder / "out.mkv";
    options.output.preset = "ultrafast";
    options.filters = {parse_filter(*find_filter("gaussian"), "5")};
    const std::atomic<int> signal{0};
    Stats stats;
    const Outcome outcome = run_session(options, signal, stats, {{}, [](StageId stage, std::int64_t item) {
                                                                     if (stage == StageId::filter && item == 250) {
                                                                         testing::break_gpu();
                                                                     }
                                                                 }});
    std::ofstream(report) << outcome.end.message << '\n'
                          << outcome.counts.frames_out << '\n'
                          << std::filesystem::exists(options.output.path) << '\n'
                          << !outcome.end.kept_part.empty() << '\n';
    std::_Exit(static_cast<int>(outcome.end.code));
}

TEST_F(CudaFaults, AGpuLostInTheMiddleEndsTheRunWith7AndKeepsWhatWasWritten) {
    GTEST_FLAG_SET(death_test_style, "threadsafe");
    // The test is run again in the child: the name must be the same there.
    const std::string report = std::filesystem::temp_directory_path() / "vfilter-test-lost-gpu";
    EXPECT_EXIT(lose_the_gpu(report), ::testing::ExitedWithCode(static_cast<int>(ExitCode::device_lost)), "");
    std::ifstream file(report);
    std::string message;
    int frames = 0;
    bool output = true;
    bool part = false;
    std::getline(file, message);
    file >> frames >> output >> part;
    std::filesystem::remove(report);
    EXPECT_EQ(message.rfind("filter: the GPU was lost: ", 0), 0U) << message;
    EXPECT_GT(frames, 0);
    EXPECT_LT(frames, 300);
    EXPECT_FALSE(output) << "an unfinished file under the output's name";
    EXPECT_TRUE(part);
}

}  // namespace
}  // namespace vfilter
