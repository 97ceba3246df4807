#pragma once
// Names for many pictures: frames_%04d.png, and 'shots/*.png'.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace vfilter {

/// A name that contains one number, in FFmpeg's notation: `frames_%d.png`, or `%04d` for at least four digits. The
/// folder is taken literally, as is anything else that begins with a %. Immutable.
class PictureNames {
public:
    /// Empty if the last part of the path does not contain exactly one such place. `50%discount.png` is an ordinary
    /// name.
    static std::optional<PictureNames> parse(std::string_view path);

    /// The path of the picture with this number, >= 0.
    [[nodiscard]] std::string path(std::int64_t number) const;
    /// The number of a file in the folder, by its name without the folder; empty if it does not match.
    [[nodiscard]] std::optional<std::int64_t> number_of(std::string_view name) const;
    /// "." if the path has none.
    [[nodiscard]] const std::string& folder() const { return folder_; }

private:
    std::string folder_;
    std::string before_;  // with the folder as given
    std::string start_;   // of the name
    std::string after_;
    int digits_ = 0;
};

/// Pictures in the order of their numbers or names.
struct FoundPictures {
    std::vector<std::string> paths;
    std::vector<std::int64_t> numbers;  ///< counted from the first one for a glob, which has no numbers
    bool numbered = false;
};

/// The pictures to which an input's name refers: files with a pattern's numbers, or matching a glob (*, ? and [...] in
/// the last part of the path), sorted by name, with numbers in names sorted by value. Empty if a file with exactly that
/// name exists, if the name is neither, or if there is no such file.
std::optional<FoundPictures> find_pictures(const std::string& path);

/// Numbers of the existing files, from `first` on, in order.
std::vector<std::int64_t> existing_numbers(const PictureNames& names, std::int64_t first);

/// Whether a name sorts before another one, with numbers in them sorted by value: b2 before b10.
bool natural_less(std::string_view a, std::string_view b);

}  // namespace vfilter
