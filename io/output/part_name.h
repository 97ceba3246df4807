#pragma once
// Names of outputs while they are written: `.NAME.vfilter-XXXXXX.part` in the folder of NAME. If that would be too long
// for a file name, NAME is its beginning and a checksum of all of it.

#include <sys/types.h>

#include <cstddef>
#include <string>
#include <string_view>

namespace vfilter {

inline constexpr std::size_t max_file_name = 255;  ///< bytes: NAME_MAX

/// Creates a .part for an output with this name (without a folder) in `folder` ("" for the working directory),
/// accessible only to the owner. Returns its descriptor and sets `path`; -1 and errno if it cannot be created.
int make_part(const std::string& folder, const std::string& name, std::string& path);

/// The same for an output that is a folder, with the mode of any new one. False and errno if it cannot be created.
bool make_part_folder(const std::string& folder, const std::string& name, std::string& path);

/// The mode that a .part gets so that its output has that of any new file, or of the file that it replaces. Without the
/// permission to run as somebody else: its content is different now.
mode_t mode_in_place_of(const std::string& path);

/// Like rename(), but fails with EEXIST if the name is taken.
int rename_to_new(const char* from, const char* to);

/// A new name is safe when its folder is synced; file systems that cannot sync a folder keep it safe themselves.
void sync_folder_of(const std::string& path);

/// The output's name in the form of name_in_part; "" if this is not the name of a .part. Without folders.
std::string_view output_of_part(std::string_view part);

/// What output_of_part returns for a .part of this output (a name without folders), and of no other one: the name
/// itself if there is room for it.
std::string name_in_part(const std::string& name);

}  // namespace vfilter
