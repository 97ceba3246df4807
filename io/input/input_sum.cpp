#include "io/input/input_sum.h"

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <limits>
#include <vector>

#include "io/descriptor.h"

namespace vfilter {

namespace {

constexpr std::int64_t sum_block = 1 << 20;
constexpr std::chrono::milliseconds stop_interval{50};

}  // namespace

InputSum::InputSum(int descriptor, bool seekable) : descriptor_(descriptor) {
    if (seekable) {
        thread_ = std::thread([this] { follow(); });
    } else {
        passing_ = std::make_unique<Sha256Thread>();
    }
}

InputSum::~InputSum() {
    stopped_ = true;
    end_following();
}

void InputSum::end_following() {
    {
        const std::lock_guard lock(mutex_);
        to_the_end_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

void InputSum::see(std::int64_t offset, std::span<const std::uint8_t> bytes) {
    if (passing_) {
        passing_->add(bytes);
        return;
    }
    {
        const std::lock_guard lock(mutex_);
        read_to_ = offset + static_cast<std::int64_t>(bytes.size());
    }
    changed_.notify_all();
}

bool InputSum::read_behind() {
    std::vector<std::uint8_t> block(sum_block);
    std::int64_t at = 0;
    while (!stopped_) {
        std::int64_t to = 0;
        {
            std::unique_lock lock(mutex_);
            changed_.wait(lock, [&] { return to_the_end_ || read_to_ >= at + sum_block; });
            to = to_the_end_ ? std::numeric_limits<std::int64_t>::max() : read_to_;
        }
        const auto wanted = static_cast<std::size_t>(std::min(to - at, sum_block));
        const ssize_t got = uninterrupted([&] { return pread(descriptor_, block.data(), wanted, at); });
        if (got <= 0) {
            return got == 0;
        }
        sum_.add(std::span(block).first(static_cast<std::size_t>(got)));
        at += got;
    }
    return false;
}

void InputSum::follow() {
    const bool whole = read_behind();
    {
        const std::lock_guard lock(mutex_);
        whole_ = whole;
        followed_ = true;
    }
    changed_.notify_all();
}

std::string InputSum::hex(const std::function<bool()>& stop) {
    if (passing_) {
        return at_end_ && !stop() ? passing_->hex() : "";
    }
    {
        const std::lock_guard lock(mutex_);
        to_the_end_ = true;
    }
    changed_.notify_all();
    {
        // A large file takes minutes, and a signal is to end them.
        std::unique_lock lock(mutex_);
        while (!changed_.wait_for(lock, stop_interval, [this] { return followed_; })) {
            stopped_ = stopped_ || stop();
        }
    }
    thread_.join();
    return whole_ ? sum_.hex() : "";
}

}  // namespace vfilter
