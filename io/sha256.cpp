#include "io/sha256.h"

#include <fmt/format.h>

extern "C" {
#include <libavutil/mem.h>
#include <libavutil/sha.h>
}

#include <array>
#include <new>
#include <utility>

namespace vfilter {

namespace {

constexpr int sha_bits = 256;
constexpr std::size_t sha_block = std::size_t{1} << 20;
constexpr std::size_t sha_blocks = 8;

}  // namespace

void Sha256::Free::operator()(AVSHA* state) const {
    av_free(state);
}

Sha256::Sha256() : state_(av_sha_alloc()) {
    if (!state_ || av_sha_init(state_.get(), sha_bits) < 0) {
        throw std::bad_alloc();
    }
}

void Sha256::add(std::span<const std::uint8_t> bytes) {
    av_sha_update(state_.get(), bytes.data(), bytes.size());
    size_ += static_cast<std::int64_t>(bytes.size());
}

std::string Sha256::hex() {
    std::array<std::uint8_t, sha_bits / 8> digest{};
    av_sha_final(state_.get(), digest.data());
    std::string text;
    for (const std::uint8_t byte : digest) {
        text += fmt::format("{:02x}", byte);
    }
    return text;
}

Sha256Thread::Sha256Thread() : thread_([this] { work(); }) {
    filling_.reserve(sha_block);
}

Sha256Thread::~Sha256Thread() {
    {
        const std::lock_guard lock(mutex_);
        waiting_.clear();
    }
    filling_.clear();
    end();
}

void Sha256Thread::work() {
    std::unique_lock lock(mutex_);
    for (;;) {
        changed_.wait(lock, [this] { return ended_ || !waiting_.empty(); });
        if (waiting_.empty()) {
            return;
        }
        const Block block = std::move(waiting_.front());
        waiting_.pop_front();
        lock.unlock();
        changed_.notify_all();
        sum_.add(block);
        lock.lock();
    }
}

void Sha256Thread::hand_over() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return waiting_.size() < sha_blocks; });
    waiting_.push_back(std::exchange(filling_, {}));
    lock.unlock();
    changed_.notify_all();
    filling_.reserve(sha_block);
}

void Sha256Thread::add(std::span<const std::uint8_t> bytes) {
    filling_.insert(filling_.end(), bytes.begin(), bytes.end());
    if (filling_.size() >= sha_block) {
        hand_over();
    }
}

void Sha256Thread::end() {
    {
        const std::lock_guard lock(mutex_);
        ended_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) {
        thread_.join();
    }
}

std::string Sha256Thread::hex() {
    if (!filling_.empty()) {
        hand_over();
    }
    end();
    return sum_.hex();
}

}  // namespace vfilter
