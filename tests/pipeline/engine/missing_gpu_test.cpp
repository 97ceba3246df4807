#include "pipeline/engine/missing_gpu.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

#include "tests/support/folder.h"

namespace vfilter {
namespace {

TEST(MissingGpu, AContainerIsToldWhatItWasNotGiven) {
    EXPECT_EQ(no_driver_text({.container = true, .device_files = false, .visible = {}}),
              "no NVIDIA driver is in this container: start it with --gpus all");
    EXPECT_EQ(no_driver_text({.container = true, .device_files = true, .visible = {}}),
              "this container has a GPU without CUDA's library: start it with "
              "NVIDIA_DRIVER_CAPABILITIES=compute,video,utility");
    EXPECT_EQ(no_gpu_text({.container = true, .device_files = false, .visible = {}}),
              "no NVIDIA GPU is visible in this container: start it with --gpus all");
}

TEST(MissingGpu, ElsewhereBothAreNamed) {
    EXPECT_EQ(no_driver_text({}),
              "no NVIDIA driver; in a container, start it with --gpus all and "
              "NVIDIA_DRIVER_CAPABILITIES=compute,video,utility");
    EXPECT_EQ(no_gpu_text({}), "no NVIDIA GPU is visible");
}

TEST(MissingGpu, WhatHidesItIsNamed) {
    EXPECT_EQ(no_gpu_text({.container = true, .device_files = true, .visible = ""}),
              "no NVIDIA GPU is visible with CUDA_VISIBLE_DEVICES=''");
}

TEST(MissingGpu, ContainersAreKnownByTheirMarks) {
    namespace fs = std::filesystem;
    const test::Folder folder;
    const std::string root = folder.path();
    EXPECT_FALSE(look_around(root).container);
    EXPECT_FALSE(look_around(root).device_files);
    for (const char* const mark : {".dockerenv", "run/.containerenv"}) {
        const fs::path file = fs::path(root) / mark;
        fs::create_directories(file.parent_path());
        std::ofstream{file};
        EXPECT_TRUE(look_around(root).container) << mark;
        fs::remove(file);
    }
    fs::create_directories(fs::path(root) / "dev");
    std::ofstream{fs::path(root) / "dev/nvidiactl"};
    EXPECT_TRUE(look_around(root).device_files);
}

}  // namespace
}  // namespace vfilter
