#pragma once
// SHA-256 of passing data, computed in another thread so that nobody waits for it.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <thread>
#include <vector>

namespace vfilter {

/// Uses the CPU's instructions for it if FFmpeg has brought in a library that does (nettle, of GnuTLS), otherwise
/// libavutil. One thread at a time. Throws std::bad_alloc.
class Sha256 {
public:
    enum class By { fastest, libavutil };
    explicit Sha256(By by = By::fastest);
    ~Sha256();
    Sha256(const Sha256&) = delete;
    Sha256& operator=(const Sha256&) = delete;

    void add(std::span<const std::uint8_t> bytes);
    [[nodiscard]] std::int64_t size() const { return size_; }
    /// 64 hexadecimal digits; once, and nothing can be added afterwards.
    std::string hex();

    /// How the sum is computed.
    class State;

private:
    std::unique_ptr<State> state_;
    std::int64_t size_ = 0;
};

/// The same in a separate thread. One thread calls it. Bytes are copied; if the other thread is 8 MiB behind, add()
/// waits for it.
class Sha256Thread {
public:
    Sha256Thread();
    ~Sha256Thread();
    Sha256Thread(const Sha256Thread&) = delete;
    Sha256Thread& operator=(const Sha256Thread&) = delete;

    void add(std::span<const std::uint8_t> bytes);
    /// For everything that was added; once.
    std::string hex();

private:
    using Block = std::vector<std::uint8_t>;

    void work();
    void hand_over();
    void end();

    Sha256 sum_;
    Block filling_;
    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<Block> waiting_;
    bool ended_ = false;
    std::thread thread_;
};

}  // namespace vfilter
