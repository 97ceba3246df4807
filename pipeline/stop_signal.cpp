#include "pipeline/stop_signal.h"

#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <ctime>

namespace vfilter {

namespace {

std::atomic<int> first_signal{0};
std::atomic<std::int64_t> first_time{0};     // when it came, milliseconds
std::atomic<bool> alarm_held_off{false};     // nothing is to be feared that hangs
std::atomic<std::int64_t> as_one_for{50};    // milliseconds within which a second signal is the first one still
constexpr unsigned seconds_until_alarm = 2;  // for those who work to look whether they should end

// `timeout` sends the same signal twice, to its child and to its group: what comes at once is the first one still. So
// it is, for a second, with one of many files: a signal to all processes of this name comes to it directly and by way
// of its parent.
extern "C" void on_stop_signal(int number) {
    timespec now{};
    clock_gettime(CLOCK_MONOTONIC, &now);
    const std::int64_t time = std::int64_t{now.tv_sec} * 1000 + now.tv_nsec / 1'000'000;
    std::int64_t never = 0;
    first_time.compare_exchange_strong(never, time);
    int none = 0;
    if (!first_signal.compare_exchange_strong(none, number)) {
        if (number == SIGHUP && none == SIGHUP) {
            return;  // a shell and the kernel both tell that a terminal is gone
        }
        if (time - first_time > as_one_for) {
            _exit(128 + number);
        }
        return;
    }
    if (!alarm_held_off) {
        alarm(seconds_until_alarm);  // for a library that hangs, where nobody looks at first_signal
    }
}

extern "C" void on_alarm(int /*number*/) {
    const int number = first_signal.load();
    _exit(128 + (number != 0 ? number : SIGALRM));  // one from outside
}

}  // namespace

void install_stop_signals() {
    struct sigaction action {};
    action.sa_handler = on_stop_signal;
    sigemptyset(&action.sa_mask);
    sigaction(SIGINT, &action, nullptr);
    sigaction(SIGTERM, &action, nullptr);
    struct sigaction hangup {};
    if (sigaction(SIGHUP, nullptr, &hangup) == 0 && hangup.sa_handler != SIG_IGN) {  // nohup has it ignored
        sigaction(SIGHUP, &action, nullptr);
    }
    action.sa_handler = on_alarm;
    sigaction(SIGALRM, &action, nullptr);
    std::signal(SIGPIPE, SIG_IGN);
    std::signal(SIGXFSZ, SIG_IGN);
}

const std::atomic<int>& stop_signal() {
    return first_signal;
}

void hold_off_alarm() {
    alarm_held_off = true;
    alarm(0);
}

void allow_alarm() {
    alarm_held_off = false;
}

void take_as_one_signal(std::chrono::milliseconds within) {
    as_one_for = within.count();
}

}  // namespace vfilter
