#pragma once
// Ctrl-Z on a terminal reaches only the batch itself, as its children are in their own process groups.

#include <sys/types.h>

#include <csignal>
#include <span>

namespace vfilter {

/// Handles SIGTSTP for as long as it exists, unless that is ignored. One at a time.
class Suspension {
public:
    Suspension();
    ~Suspension() { forget(); }
    Suspension(const Suspension&) = delete;
    Suspension& operator=(const Suspension&) = delete;

    /// If a stop was requested: stops these processes, then this one, and resumes all of them when this one resumes.
    void look(std::span<const pid_t> children);
    /// For a forked child: restores its own handling of SIGTSTP.
    void forget();

private:
    struct sigaction before_ {};
    bool hears_ = false;
};

}  // namespace vfilter
