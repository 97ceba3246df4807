#pragma once
// Whole files, written by the ffmpeg program, and what becomes of them when they are damaged. All throw
// std::runtime_error where a file or a command fails.

#include <cstddef>
#include <filesystem>
#include <string>
#include <vector>

#include "tests/damage/containers.h"

namespace vfilter::test {

std::string read_file(const std::filesystem::path& path);
void write_file(const std::filesystem::path& path, const std::string& content);
/// For the shell.
std::string quoted(const std::filesystem::path& path);

/// The packets of the first video, each by its hash; of uncompressed video they are the pictures.
std::vector<std::size_t> video_packets(const std::filesystem::path& path);

/// Writes whole.X: the clip from `start` on, five seconds of it at most.
void make_whole(const Container& container, const std::filesystem::path& clip, double start,
                const std::filesystem::path& folder);
/// Writes damaged.X: whole.X without the packets of its video for which ffmpeg's expression `which` is true.
void drop_packets(const Container& container, const std::string& which, const std::filesystem::path& folder);
/// Writes damaged.X next to whole.X and tells what was done. The same seed does the same to the same file.
std::string damage_whole(const Container& container, Damage damage, unsigned seed, const std::filesystem::path& folder);

}  // namespace vfilter::test
