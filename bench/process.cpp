#include "bench/process.h"

#include <fcntl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <sstream>
#include <stdexcept>

namespace vfilter::bench {

void run(const Words& command) {
    std::vector<char*> arguments;
    for (const std::string& word : command) {
        arguments.push_back(const_cast<char*>(word.c_str()));
    }
    arguments.push_back(nullptr);
    const pid_t child = fork();
    if (child < 0) {
        throw std::runtime_error(command[0] + ": " + std::strerror(errno));
    }
    if (child == 0) {
        const int nothing = open("/dev/null", O_RDWR);
        dup2(nothing, STDIN_FILENO);
        dup2(nothing, STDOUT_FILENO);
        dup2(nothing, STDERR_FILENO);
        execvp(arguments[0], arguments.data());
        _exit(127);
    }
    int status = 0;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
        std::string text;
        for (const std::string& word : command) {
            text.append(word).append(" ");
        }
        throw std::runtime_error(text + (WIFEXITED(status) ? "ended with exit code " : "was ended by signal ") +
                                 std::to_string(WIFEXITED(status) ? WEXITSTATUS(status) : WTERMSIG(status)));
    }
}

bool is_there(const std::string& program) {
    if (program.find('/') != std::string::npos) {
        return access(program.c_str(), X_OK) == 0;
    }
    const char* const path = std::getenv("PATH");
    std::istringstream folders(path != nullptr ? path : "");
    for (std::string folder; std::getline(folders, folder, ':');) {
        if (access((folder + "/" + program).c_str(), X_OK) == 0) {
            return true;
        }
    }
    return false;
}

TemporaryFolder::TemporaryFolder() : path_(std::filesystem::temp_directory_path() / "vfilter-bench-XXXXXX") {
    if (mkdtemp(path_.data()) == nullptr) {
        throw std::runtime_error(path_ + ": " + std::strerror(errno));
    }
}

TemporaryFolder::~TemporaryFolder() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
}

}  // namespace vfilter::bench
