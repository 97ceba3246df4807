#pragma once
// The folder that the outputs of a batch come into.

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace vfilter {

/// The folder of a batch. One that was not there and into which nothing has come goes with this object.
class OutputFolder {
public:
    /// Makes it unless it is there. Throws Error(output).
    explicit OutputFolder(const std::string& path);
    ~OutputFolder();
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;

private:
    std::string path_;
    pid_t owner_ = -1;  // who has made it, and not one of its children; -1 where it was there
};

/// By their names, as the folder may not be there yet.
bool is_in_folder(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace vfilter
