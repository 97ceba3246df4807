#pragma once
// The signals by which a user or a system ends the program. State of the whole process, as signals are.

#include <atomic>
#include <chrono>

namespace vfilter {

/// Handles SIGINT, SIGTERM and, unless it is ignored as under nohup, SIGHUP: the first one asks for a clean end, which
/// whoever works sees in stop_signal(); a second one ends the process at once, with 128 plus its number. So does the
/// first one after two seconds, until hold_off_alarm() is called. Ignores SIGPIPE and SIGXFSZ, so that writing fails as
/// it does on a full disk. Call it once, before there are threads.
void install_stop_signals();

/// The number of the first signal, 0 before it. Any thread.
const std::atomic<int>& stop_signal();
inline bool is_stop_asked() {
    return stop_signal() != 0;
}

/// From then on no alarm follows the first signal, and one that was set is cancelled: what is done ends by itself.
void hold_off_alarm();
/// Undoes it.
void allow_alarm();

/// Signals that come within so long after the first one are taken for the same one. 50 ms, if this is never called.
void take_as_one_signal(std::chrono::milliseconds within);

}  // namespace vfilter
