#include "pipeline/batch/suspension.h"

#include <atomic>

namespace vfilter {

namespace {

std::atomic<bool> stop_asked{false};

extern "C" void ask_stop(int /*number*/) {
    stop_asked = true;
}

void hear() {
    struct sigaction action {};
    action.sa_handler = ask_stop;
    action.sa_flags = SA_RESTART;  // poll() ends all the same
    sigemptyset(&action.sa_mask);
    sigaction(SIGTSTP, &action, nullptr);
}

}  // namespace

Suspension::Suspension() {
    hears_ = sigaction(SIGTSTP, nullptr, &before_) == 0 && before_.sa_handler != SIG_IGN;
    if (hears_) {
        hear();
    }
}

void Suspension::forget() {
    if (hears_) {
        sigaction(SIGTSTP, &before_, nullptr);
    }
    hears_ = false;
}

// With SIGTSTP and not SIGSTOP, which stops what no shell could have go on again. The children have such a shell, if at
// all, in this process alone.
void Suspension::look(std::span<const pid_t> children) {
    if (!hears_ || !stop_asked.exchange(false)) {
        return;
    }
    for (const pid_t child : children) {
        kill(child, SIGSTOP);
    }
    sigaction(SIGTSTP, &before_, nullptr);
    raise(SIGTSTP);
    hear();
    for (const pid_t child : children) {
        kill(child, SIGCONT);
    }
}

}  // namespace vfilter
