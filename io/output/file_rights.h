#pragma once
// Who may read and write an output, and whose links it is written through.

#include <string>

namespace vfilter {

/// Gives a .part the rights of the file that it will replace at `path`: owner, group, mode and access control list,
/// without set-user-ID and the like, as its content is different now. Where the group cannot be kept, the new one gets
/// what everybody has. If there is no such file, the rights of any new file in that folder: by the folder's default
/// access control list, or else by the umask. What cannot be set is logged for --log-level debug.
void set_rights(int descriptor, const std::string& path);

/// The same for a file that was `made` under another name already, which is no link.
void set_rights(const std::string& made, const std::string& path);

/// The file to which a name leads, through links, even if that does not exist yet. Throws Error(output) for links that
/// form a circle, and for a link that somebody else has put into a folder like /tmp: the rule of the kernel's
/// fs.protected_symlinks, which holds for links that the kernel follows.
std::string followed(const std::string& path);

}  // namespace vfilter
