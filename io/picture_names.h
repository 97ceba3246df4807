#pragma once
// Names of many pictures: frames_%04d.png, and 'shots/*.png'.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vfilter {

/// A name with one number in it, as FFmpeg writes it: `frames_%d.png`, or `%04d` for four digits and more. The folder
/// is taken literally, and what else begins with a % as well. Immutable.
class PictureNames {
public:
    /// Nothing if the last part of the path has not exactly one such place. `50%discount.png` is a name.
    static std::optional<PictureNames> parse(std::string_view path);

    /// The path of the picture with this number, >= 0.
    [[nodiscard]] std::string path(std::int64_t number) const;
    /// The number of a file of the folder, by its name without the folder; nothing if it is another file's.
    [[nodiscard]] std::optional<std::int64_t> number_of(std::string_view name) const;
    /// "." where the path has none.
    [[nodiscard]] const std::string& folder() const { return folder_; }

private:
    std::string folder_;
    std::string before_;  // with the folder as it was given
    std::string start_;   // of the name
    std::string after_;
    int digits_ = 0;
};

/// Pictures in the order of their numbers or names.
struct FoundPictures {
    std::vector<std::string> paths;
    std::vector<std::int64_t> numbers;  ///< counted from the first one for a glob, which has none
    bool numbered = false;
};

/// The pictures that an input's name stands for: files of a pattern's numbers, or of a glob (*, ? and [...] in the last
/// part of the path) by their names, numbers in them by their value. Nothing if there is a file of that very name, if
/// the name is neither, or if there is no such file.
std::optional<FoundPictures> find_pictures(const std::string& path);

/// Numbers of the files that there are, from `first` on, in order.
std::vector<std::int64_t> existing_numbers(const PictureNames& names, std::int64_t first);

/// Whether a name comes before another one where numbers in them count by their value: b2 before b10.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace vfilter
