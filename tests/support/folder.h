#pragma once
// A folder that goes with the test.

#include <cerrno>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>
#include <system_error>
#include <vector>

namespace vfilter::test {

/// The bytes of a file, none where it cannot be read. At once: iterators of a stream take long without optimisation.
inline std::string content_of(const std::filesystem::path& file) {
    std::ifstream stream(file, std::ios::binary | std::ios::ate);
    const std::streamoff size = stream.is_open() ? static_cast<std::streamoff>(stream.tellg()) : 0;
    std::string content(size > 0 ? static_cast<std::size_t>(size) : 0, '\0');
    stream.seekg(0).read(content.data(), size);
    content.resize(static_cast<std::size_t>(stream.gcount()));
    return content;
}

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
