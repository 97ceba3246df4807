#pragma once
// Many inputs that become pictures: a folder for each, which appears whole.

#include <cstdint>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "config/options.h"
#include "pipeline/batch/batch_plan.h"
#include "pipeline/batch/journal.h"

namespace vfilter {

/// Whether it is a folder's name and, behind a /, one of a number of pictures: "clip/%05d.png".
bool names_picture_folder(std::string_view name);

/// Where the pictures of a file are made: `.FOLDER.vfilter-XXXXXX.part`, beside their folder. One thread.
class PicturePart {
public:
    /// Makes it. Throws Error(output).
    explicit PicturePart(const BatchFile& file);
    /// One that is there.
    PicturePart(const BatchFile& file, std::string folder);

    [[nodiscard]] const std::string& folder() const { return folder_; }
    /// What a run is given as its output.
    [[nodiscard]] std::string output() const;
    /// How many there are, from `first` on, and what they are known by.
    [[nodiscard]] std::int64_t count(std::int64_t first) const;
    [[nodiscard]] FileFacts facts(std::int64_t first) const;
    /// The same, but those before its first one are in their folder already, where a kill has ended place().
    [[nodiscard]] FileFacts facts_beside(const BatchFile& file, std::int64_t first) const;
    /// Throws Error(output) unless it holds so many from `first` on, and no others behind them.
    void check(std::int64_t first, std::int64_t count) const;
    /// Gives the folder its name. Where there is one already the pictures go into it, over those that `file.replaces`
    /// and no others. Throws Error(output).
    void place(const BatchFile& file, std::int64_t first) const;
    /// Whether some of them went into their folder before a kill ended that; place() does the rest.
    [[nodiscard]] bool is_half_placed(std::int64_t first) const;
    /// With all that is in it.
    void remove() const;

private:
    [[nodiscard]] std::vector<std::int64_t> numbers(std::int64_t first) const;

    std::string folder_;
    std::string pattern_;  // of the pictures in it
};

/// Those of killed runs, which nobody works at where the journal is had.
std::vector<std::pair<const BatchFile*, PicturePart>> left_picture_parts(const std::string& folder,
                                                                         const std::vector<BatchFile>& files);

/// Of the pictures that there are in a file's folder: a number, which is 0 where there is none, and what the journal
/// knows of them. All of them have to be of one run; with `finished`, others may follow.
struct KnownPictures {
    std::int64_t count = 0;
    const JournalEntry* entry = nullptr;
};
KnownPictures known_pictures(const Journal& journal, const BatchFile& file, std::int64_t first,
                             const std::string& hash);

/// Throws Error(usage) where the pictures of two would be in one folder, or a picture is a file that is read or written
/// otherwise, of `others`.
void check_picture_folders(const std::vector<BatchFile>& files, const std::vector<std::string>& others);

}  // namespace vfilter
