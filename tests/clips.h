#pragma once
// Small clips made by the ffmpeg program, and a folder that goes with the test.

#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <string>

namespace vfilter::testing {

/// A new folder for one test, removed with all that is in it.
class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "vfilter-test-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            throw std::runtime_error("no temporary folder");
        }
        path_ = name;
    }
    ~Folder() {
        std::error_code error;
        std::filesystem::remove_all(path_, error);
    }
    Folder(const Folder&) = delete;
    Folder& operator=(const Folder&) = delete;

    [[nodiscard]] std::string operator/(const std::string& name) const { return (path_ / name).string(); }
    [[nodiscard]] const std::filesystem::path& path() const { return path_; }

    /// Names of what lies inside, hidden files too.
    [[nodiscard]] std::vector<std::string> names() const {
        std::vector<std::string> list;
        for (const auto& entry : std::filesystem::directory_iterator(path_)) {
            list.push_back(entry.path().filename().string());
        }
        return list;
    }

private:
    std::filesystem::path path_;
};

/// `seconds` of moving pictures with sound, 25 frames each.
inline void make_clip(const std::string& path, int seconds = 2, const std::string& size = "160x120") {
    const std::string duration = std::to_string(seconds);
    const std::string command = "ffmpeg -nostdin -v error -y -f lavfi -i testsrc2=size=" + size +
                                ":rate=25:duration=" + duration + " -f lavfi -i sine=duration=" + duration +
                                " -c:v libx264 -preset ultrafast -bf 2 -pix_fmt yuv420p -c:a aac '" + path + "'";
    ASSERT_EQ(std::system(command.c_str()), 0) << command;
}

}  // namespace vfilter::testing
