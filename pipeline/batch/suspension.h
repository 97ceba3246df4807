#pragma once
// Ctrl-Z on a terminal reaches a batch alone, as its children are in groups of their own.

#include <sys/types.h>

#include <csignal>
#include <span>

namespace vfilter {

/// Hears of SIGTSTP for as long as it lives, unless that is ignored. One at a time.
class Suspension {
public:
    Suspension();
    ~Suspension() { forget(); }
    Suspension(const Suspension&) = delete;
    Suspension& operator=(const Suspension&) = delete;

    /// Where a stop was asked for: stops these processes, then this one, and has all of them go on when it goes on.
    void look(std::span<const pid_t> children);
    /// For a child that was forked: SIGTSTP is its own again.
    void forget();

private:
    struct sigaction before_ {};
    bool hears_ = false;
};

}  // namespace vfilter
