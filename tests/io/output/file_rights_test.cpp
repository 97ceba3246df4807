// Who may read and write what replaces a file, and whose links are followed.

#include "io/output/file_rights.h"

#include <fcntl.h>
#include <grp.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <sys/xattr.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <string>

#include "config/error.h"
#include "tests/support/folder.h"

namespace vfilter {
namespace {

constexpr uid_t somebody = 61234;
constexpr gid_t their_group = 61235;

struct Rights {
    mode_t mode;
    uid_t owner;
    gid_t group;
    bool operator==(const Rights&) const = default;
};

std::ostream& operator<<(std::ostream& stream, const Rights& rights) {
    return stream << std::oct << rights.mode << std::dec << ' ' << rights.owner << ':' << rights.group;
}

Rights rights_of(const std::string& path) {
    struct stat status {};
    EXPECT_EQ(stat(path.c_str(), &status), 0) << path;
    return {status.st_mode & 07777, status.st_uid, status.st_gid};
}

void make_file_of(const std::string& path, mode_t mode) {
    std::ofstream(path) << "old";
    ASSERT_EQ(chmod(path.c_str(), mode), 0);
}

// Of a new file, only for its owner, as a .part is made.
void give_rights(const std::string& part, const std::string& replaced) {
    const int descriptor = open(part.c_str(), O_CREAT | O_RDWR | O_CLOEXEC, 0600);
    ASSERT_GE(descriptor, 0);
    set_rights(descriptor, replaced);
    close(descriptor);
}

// What `action` does as somebody who is not root.
template <class Action>
void as_somebody(const Action& action) {
    const pid_t child = fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
        if (setgroups(0, nullptr) != 0 || setgid(somebody) != 0 || setuid(somebody) != 0) {
            _exit(1);
        }
        action();
        _exit(::testing::Test::HasFailure() ? 1 : 0);
    }
    int status = 0;
    ASSERT_EQ(waitpid(child, &status, 0), child);
    EXPECT_EQ(status, 0);
}

TEST(FileRights, OfWhatIsReplacedAreKept) {
    const test::Folder folder;
    make_file_of(folder / "old", 06640);
    give_rights(folder / "part", folder / "old");
    EXPECT_EQ(rights_of(folder / "part"), (Rights{0640, geteuid(), rights_of(folder / "old").group}));
}

TEST(FileRights, OwnerAndGroupAreKeptByRoot) {
    if (geteuid() != 0) {
        GTEST_SKIP() << "only root gives files away";
    }
    const test::Folder folder;
    make_file_of(folder / "old", 0640);
    ASSERT_EQ(chown((folder / "old").c_str(), somebody, their_group), 0);
    give_rights(folder / "part", folder / "old");
    EXPECT_EQ(rights_of(folder / "part"), (Rights{0640, somebody, their_group}));
}

// What a group could read may not be read by another one.
TEST(FileRights, AGroupThatIsNotKeptLosesWhatOthersHaveNot) {
    if (geteuid() != 0) {
        GTEST_SKIP() << "only root makes a file of a group that it is not in";
    }
    const test::Folder folder;
    ASSERT_EQ(chmod(folder.path().c_str(), 0777), 0);
    for (const auto& [mode, left] : {std::pair{0664, 0644}, std::pair{0640, 0600}, std::pair{0666, 0666}}) {
        make_file_of(folder / "old", static_cast<mode_t>(mode));
        ASSERT_EQ(chown((folder / "old").c_str(), 0, their_group), 0);
        as_somebody([&] { give_rights(folder / "part", folder / "old"); });
        EXPECT_EQ(rights_of(folder / "part"), (Rights{static_cast<mode_t>(left), somebody, somebody}));
        std::filesystem::remove(folder / "part");
    }
}

// "user::rwx, user:61234:rwx, group::r-x, mask::rwx, other::---", as <linux/posix_acl_xattr.h> has it.
constexpr std::array<std::uint8_t, 44> access_list_of_five{
    2, 0, 0, 0,                                                            //
    1, 0, 7, 0, 0xFF, 0xFF, 0xFF, 0xFF, 2,  0, 7, 0, 0x32, 0xEF, 0,    0,  //
    4, 0, 5, 0, 0xFF, 0xFF, 0xFF, 0xFF, 16, 0, 7, 0, 0xFF, 0xFF, 0xFF, 0xFF, 32, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF};

TEST(FileRights, ADefaultListIsWhatNewFilesGet) {
    const test::Folder folder;
    if (setxattr(folder.path().c_str(), "system.posix_acl_default", access_list_of_five.data(),
                 access_list_of_five.size(), 0) != 0) {
        GTEST_SKIP() << "this file system has no access control lists";
    }
    std::ofstream(folder / "made by others") << "";
    give_rights(folder / "part", folder / "new");
    EXPECT_EQ(rights_of(folder / "part"), rights_of(folder / "made by others"));
    EXPECT_EQ(rights_of(folder / "part").mode, 0660U);
}

TEST(FileRights, AListOfWhatIsReplacedIsKept) {
    const test::Folder folder;
    make_file_of(folder / "old", 0600);
    if (setxattr((folder / "old").c_str(), "system.posix_acl_access", access_list_of_five.data(),
                 access_list_of_five.size(), 0) != 0) {
        GTEST_SKIP() << "this file system has no access control lists";
    }
    give_rights(folder / "part", folder / "old");
    EXPECT_EQ(rights_of(folder / "part"), rights_of(folder / "old"));
    std::array<std::uint8_t, access_list_of_five.size()> kept{};
    EXPECT_EQ(getxattr((folder / "part").c_str(), "system.posix_acl_access", kept.data(), kept.size()),
              static_cast<ssize_t>(access_list_of_five.size()));
    EXPECT_EQ(kept, access_list_of_five);
}

// The default list of the folder is for new files.
TEST(FileRights, WhatIsReplacedHadNoListAndGetsNone) {
    const test::Folder folder;
    make_file_of(folder / "old", 0600);
    if (setxattr(folder.path().c_str(), "system.posix_acl_default", access_list_of_five.data(),
                 access_list_of_five.size(), 0) != 0) {
        GTEST_SKIP() << "this file system has no access control lists";
    }
    give_rights(folder / "part", folder / "old");
    EXPECT_EQ(rights_of(folder / "part"), rights_of(folder / "old"));
    EXPECT_EQ(getxattr((folder / "part").c_str(), "system.posix_acl_access", nullptr, 0), -1);
    EXPECT_EQ(errno, ENODATA);
}

TEST(FileRights, OfAFileThatIsMadeAlreadyAreSetByItsName) {
    const test::Folder folder;
    make_file_of(folder / "old", 0640);
    make_file_of(folder / "made", 0600);
    set_rights(folder / "made", folder / "old");
    EXPECT_EQ(rights_of(folder / "made").mode, 0640U);
}

// The kernel's fs.protected_symlinks: it is for links that the kernel follows.
TEST(FileRights, AStrangersLinkInASharedFolderIsNotFollowed) {
    if (geteuid() != 0) {
        GTEST_SKIP() << "only root makes a link of somebody else's";
    }
    const test::Folder folder;
    const std::string link = folder / "report.json";
    std::filesystem::create_symlink("secret", link);
    EXPECT_EQ(followed(link), folder / "secret");
    ASSERT_EQ(lchown(link.c_str(), somebody, somebody), 0);
    EXPECT_EQ(followed(link), folder / "secret");
    ASSERT_EQ(chmod(folder.path().c_str(), 01777), 0);
    try {
        followed(link);
        ADD_FAILURE() << "followed";
    } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::output);
        EXPECT_NE(std::string(error.what()).find("somebody else's link"), std::string::npos) << error.what();
    }
    ASSERT_EQ(chown(folder.path().c_str(), somebody, somebody), 0);
    EXPECT_EQ(followed(link), folder / "secret") << "the folder's owner may put what they want there";
}

}  // namespace
}  // namespace vfilter
