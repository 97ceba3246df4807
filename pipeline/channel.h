#pragma once
// A bounded queue between threads, lock-free where nobody has to wait.

#include <concurrentqueue.h>
#include <lightweightsemaphore.h>

#include <atomic>
#include <cstddef>
#include <optional>

namespace vfilter {

/// Items from one or several senders to one receiver, in each sender's order. The end travels both ways: close() by the
/// senders says that no more is coming; cancel() by the receiver, or by whoever ends the whole pipe, says that no more
/// is wanted. Nobody who waits is left waiting after either. All calls are thread-safe; receive() is for one thread.
template <class T>
class Channel {
public:
    /// `capacity` items at most lie in the channel. close() is expected once from each of `senders`.
    explicit Channel(std::size_t capacity, int senders = 1)
        : queue_(capacity), items_(0, spins), slots_(static_cast<std::ptrdiff_t>(capacity), spins), senders_(senders) {}
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    /// Waits for room. False if nothing more is wanted: the item is gone then, and the sender may stop.
    bool send(T item) {
        while (!slots_.wait()) {
        }
        if (cancelled_.load(std::memory_order_acquire)) {
            slots_.signal();  // for the next one who asks
            return false;
        }
        queue_.enqueue(std::move(item));
        items_.signal();
        return true;
    }

    /// Waits for an item. Empty at the end, and after cancel() at once.
    std::optional<T> receive() {
        T item;
        for (;;) {
            while (!items_.wait()) {
            }
            if (!cancelled_.load(std::memory_order_acquire) && queue_.try_dequeue(item)) {
                slots_.signal();
                return item;
            }
            if (cancelled_.load(std::memory_order_acquire) || senders_.load(std::memory_order_acquire) <= 0) {
                items_.signal();  // every later call ends here, too
                return std::nullopt;
            }
        }
    }

    void close() {
        if (senders_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            items_.signal();
        }
    }

    void cancel() {
        cancelled_.store(true, std::memory_order_release);
        slots_.signal();
        items_.signal();
    }

private:
    // The stages take milliseconds each: a long spin would only take a core from a codec.
    static constexpr int spins = 64;

    moodycamel::ConcurrentQueue<T> queue_;
    moodycamel::LightweightSemaphore items_;
    moodycamel::LightweightSemaphore slots_;
    std::atomic<int> senders_;
    std::atomic<bool> cancelled_{false};
};

}  // namespace vfilter
