#pragma once
// A bounded queue between threads, lock-free unless somebody has to wait.

#include <concurrentqueue.h>
#include <lightweightsemaphore.h>

#include <atomic>
#include <chrono>
#include <cstddef>
#include <new>
#include <optional>
#include <thread>
#include <utility>

namespace vfilter {

/// The fate of an item that is offered without waiting for ever.
enum class Offered { taken, no_room, unwanted };

/// Items from one or several senders to one receiver, in each sender's order. The end travels both ways: close() by the
/// senders says that no more items follow; cancel() by the receiver, or by whoever ends the whole pipeline, says that
/// no more are wanted. Both wake everybody who is waiting. All calls are thread-safe; receive() is for one thread.
template <class T>
class Channel {
public:
    /// The channel holds at most `capacity` items. Each of `senders` is expected to call close() once.
    explicit Channel(std::size_t capacity, int senders = 1)
        : queue_(capacity),
          items_(0, spins),
          slots_(static_cast<std::ptrdiff_t>(capacity), spins),
          capacity_(capacity),
          senders_(senders) {}
    Channel(const Channel&) = delete;
    Channel& operator=(const Channel&) = delete;

    [[nodiscard]] std::size_t capacity() const { return capacity_; }

    /// Waits for room. False if no more is wanted: the item is then discarded, and the sender may stop.
    bool send(T item) {
        while (!slots_.wait()) {
        }
        if (cancelled_.load(std::memory_order_acquire)) {
            slots_.signal();  // for the next sender that finds no room
            return false;
        }
        put(std::move(item));
        return true;
    }

    /// Waits for room for at most `patience`. Unless it is taken, the item is unchanged.
    Offered offer(T& item, std::chrono::microseconds patience = {}) {
        const bool room = wait_for_slot(patience);
        if (cancelled()) {
            if (room) {
                slots_.signal();
            }
            return Offered::unwanted;
        }
        if (!room) {
            return Offered::no_room;
        }
        put(std::move(item));
        return Offered::taken;
    }

    struct Replaced {
        std::optional<T> overtaken;
        bool wanted;  ///< what send() would have returned
    };
    /// Waits for room for at most `patience`; if there is still none, the oldest item is removed and returned. For one
    /// sender.
    Replaced replace(T item, std::chrono::microseconds patience = {}) {
        std::optional<T> overtaken;
        bool room = wait_for_slot(patience);
        for (; !room; room = slots_.tryWait()) {
            T oldest;
            // Otherwise the receiver has just taken it, and is about to signal that there is room.
            if (items_.tryWait()) {
                if (queue_.try_dequeue(oldest)) {
                    overtaken = std::move(oldest);
                    break;
                }
                items_.signal();  // the end marker, for the receiver
            }
            std::this_thread::yield();
        }
        if (cancelled()) {
            slots_.signal();
            return {std::move(overtaken), false};
        }
        put(std::move(item));
        return {std::move(overtaken), true};
    }

    /// Waits for an item. Empty at the end, and immediately after cancel().
    std::optional<T> receive() {
        return receive([this] {
            while (!items_.wait()) {
            }
            return true;
        });
    }

    struct Received {
        std::optional<T> item;
        bool ended;  ///< no more items follow
    };
    /// The same, but waits for at most `time`. Empty also if that time passes.
    Received receive_for(std::chrono::microseconds time) {
        bool in_time = true;
        std::optional<T> item = receive([&] { return in_time = items_.wait(time.count()); });
        const bool ended = !item && in_time;
        return {std::move(item), ended};
    }

    /// Whether no more is wanted.
    [[nodiscard]] bool cancelled() const { return cancelled_.load(std::memory_order_acquire); }

    void close() {
        if (senders_.fetch_sub(1, std::memory_order_acq_rel) == 1) {
            items_.signal();
        }
    }

    /// As if every sender had called close(): what is in the channel is still received, and no more is waited for.
    void close_for_all() {
        senders_.store(0, std::memory_order_release);
        items_.signal();
    }

    void cancel() {
        cancelled_.store(true, std::memory_order_release);
        slots_.signal();
        items_.signal();
    }

private:
    // The stages take milliseconds each: a long spin would only take a core from a codec.
    static constexpr int spins = 64;

    // No item may be lost for lack of memory.
    void put(T&& item) {
        if (!queue_.enqueue(std::move(item))) {
            slots_.signal();
            throw std::bad_alloc();
        }
        items_.signal();
    }

    bool wait_for_slot(std::chrono::microseconds patience) {
        return patience.count() > 0 ? slots_.wait(patience.count()) : slots_.tryWait();
    }

    template <class Wait>
    std::optional<T> receive(Wait wait) {
        T item;
        if (!wait()) {
            return std::nullopt;
        }
        while (!cancelled_.load(std::memory_order_acquire)) {
            const bool closed = senders_.load(std::memory_order_acquire) <= 0;
            if (queue_.try_dequeue(item)) {
                slots_.signal();
                return item;
            }
            if (closed) {
                break;
            }
            std::this_thread::yield();  // the queue may fail once where replace() takes from it at the same time
        }
        items_.signal();  // every later call ends here, too
        return std::nullopt;
    }

    moodycamel::ConcurrentQueue<T> queue_;
    moodycamel::LightweightSemaphore items_;
    moodycamel::LightweightSemaphore slots_;
    const std::size_t capacity_;
    std::atomic<int> senders_;
    std::atomic<bool> cancelled_{false};
};

}  // namespace vfilter
