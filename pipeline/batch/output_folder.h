#pragma once
// The folder for the outputs of a batch.

#include <sys/types.h>

#include <filesystem>
#include <string>

namespace vfilter {

/// The folder of a batch. If this object created it and nothing was written into it, it is removed with this object.
class OutputFolder {
public:
    /// Creates it unless it exists. Throws Error(output).
    explicit OutputFolder(const std::string& path);
    ~OutputFolder();
    OutputFolder(const OutputFolder&) = delete;
    OutputFolder& operator=(const OutputFolder&) = delete;

private:
    std::string path_;
    pid_t owner_ = -1;  // the process that created it, not its children; -1 if it existed
};

/// By their names, as the folder may not exist yet.
bool is_in_folder(const std::filesystem::path& file, const std::filesystem::path& folder);

}  // namespace vfilter
