#pragma once
// Many inputs that become pictures: a folder for each, which appears only when it is complete.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options.h"
#include "pipeline/batch/batch_plan.h"
#include "pipeline/batch/journal.h"

namespace vfilter {

/// Whether it is a folder's name followed by / and the name pattern of pictures: "clip/%05d.png".
bool names_picture_folder(std::string_view name);

/// Where the pictures of a file are made: `.FOLDER.vfilter-XXXXXX.part`, next to their folder. One thread.
class PicturePart {
public:
    /// Creates it. Throws Error(output).
    explicit PicturePart(const BatchFile& file);
    /// An existing one.
    PicturePart(const BatchFile& file, std::string folder);

    [[nodiscard]] const std::string& folder() const { return folder_; }
    /// What a run gets as its output.
    [[nodiscard]] std::string output() const;
    /// How many there are, from `first` on, and the facts by which they are recognized.
    [[nodiscard]] std::int64_t count(std::int64_t first) const;
    [[nodiscard]] FileFacts facts(std::int64_t first) const;
    /// The same, except that those before its first picture are in their folder already, because place() was killed.
    [[nodiscard]] FileFacts facts_beside(const BatchFile& file, std::int64_t first) const;
    /// Throws Error(output) unless it contains that many from `first` on, and no others after them.
    void check(std::int64_t first, std::int64_t count) const;
    /// Gives the folder its name. If that folder exists already, the pictures are moved into it and replace those that
    /// `file.replaces` allows, and no others. Throws Error(output).
    void place(const BatchFile& file, std::int64_t first) const;
    /// Whether some of them were moved into their folder before a kill; place() does the rest.
    [[nodiscard]] bool is_half_placed(std::int64_t first) const;
    /// With everything in it.
    void remove() const;

private:
    [[nodiscard]] std::vector<std::int64_t> numbers(std::int64_t first) const;

    std::string folder_;
    std::string pattern_;  // of the pictures in it
};

/// Those of killed runs, which nobody else uses while the journal is held.
std::vector<std::pair<const BatchFile*, PicturePart>> left_picture_parts(const std::string& folder,
                                                                         const std::vector<BatchFile>& files);

/// About the pictures that exist in a file's folder: how many there are, which may be 0, and what the journal knows
/// about them. All of them must be from one run; with `finished`, others may follow.
struct KnownPictures {
    std::int64_t count = 0;
    const JournalEntry* entry = nullptr;
};
KnownPictures known_pictures(const Journal& journal, const BatchFile& file, std::int64_t first,
                             const std::string& hash);

/// Throws Error(usage) if the pictures of two inputs would be in one folder, or if a picture is a file that is
/// otherwise read or written, one of `others`.
void check_picture_folders(const std::vector<BatchFile>& files, const std::vector<std::string>& others);

}  // namespace vfilter
