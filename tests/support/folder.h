#pragma once
// A folder that goes with the test.

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <vector>

namespace vfilter::test {

/// A new folder, removed at the end with all that is in it.
class Folder {
public:
    Folder() {
        std::string name = (std::filesystem::temp_directory_path() / "vfilter-test-XXXXXX").string();
        if (mkdtemp(name.data()) == nullptr) {
            throw std::system_error(errno, std::generic_category(), name);
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

}  // namespace vfilter::test
