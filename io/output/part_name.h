#pragma once
// Names of outputs while they are written: `.NAME.vfilter-XXXXXX.part` in the folder of NAME. Where that would be too
// long for a file's name, NAME is its beginning and a sum of all of it.

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace vfilter {

inline constexpr std::size_t max_file_name = 255;  ///< bytes: NAME_MAX

/// Makes a .part for an output of this name (without a folder) in `folder` ("" for the working directory), for the
/// owner alone. Gives its descriptor and sets `path`; -1 and errno where it cannot be made.
int make_part(const std::string& folder, const std::string& name, std::string& path);

/// The same for an output that is a folder, with the mode of any new one. False and errno where it cannot be made.
bool make_part_folder(const std::string& folder, const std::string& name, std::string& path);

/// What a .part is given so that its output has the mode of any new file, or of the file that it replaces. Not the
/// right to run as somebody else: what it would run is another file now.
mode_t mode_in_place_of(const std::string& path);

/// As rename(), but fails with EEXIST where the name is taken.
int rename_to_new(const char* from, const char* to);

/// A new name is safe when its folder is; file systems that cannot sync one keep it safe themselves.
void sync_folder_of(const std::string& path);

/// The output's name, as name_in_part has it; "" if this is not the name of a .part. Without folders.
std::string_view output_of_part(std::string_view part);

/// What output_of_part tells of a .part of this output (a name without folders), and of no other one: the name itself
/// where there is room for it.
std::string name_in_part(const std::string& name);

}  // namespace vfilter
