#include "io/sha256.h"

#include <dlfcn.h>
#include <fmt/format.h>

extern "C" {
#include <libavutil/mem.h>
#include <libavutil/sha.h>
}

#include <array>
#include <cstddef>
#include <new>
#include <optional>
#include <utility>

namespace vfilter {

namespace {

constexpr int sha_bits = 256;
constexpr std::size_t sha_block = std::size_t{1} << 20;
constexpr std::size_t sha_blocks = 8;

using ShaDigest = std::array<std::uint8_t, sha_bits / 8>;

// What is called of nettle, whose first version of this interface is its library's number 8.
struct NettleSha {
    void (*init)(void* context);
    void (*update)(void* context, std::size_t length, const std::uint8_t* bytes);
    void (*digest)(void* context, std::size_t length, std::uint8_t* digest);
};

// Nothing where FFmpeg has not loaded it: it is no dependency of ours.
const std::optional<NettleSha>& nettle_sha() {
    static const std::optional<NettleSha> found = [] {
        std::optional<NettleSha> nettle;
        if (void* const library = dlopen("libnettle.so.8", RTLD_LAZY | RTLD_NOLOAD)) {
            const NettleSha functions{
                .init = reinterpret_cast<decltype(NettleSha::init)>(dlsym(library, "nettle_sha256_init")),
                .update = reinterpret_cast<decltype(NettleSha::update)>(dlsym(library, "nettle_sha256_update")),
                .digest = reinterpret_cast<decltype(NettleSha::digest)>(dlsym(library, "nettle_sha256_digest"))};
            if (functions.init != nullptr && functions.update != nullptr && functions.digest != nullptr) {
                nettle = functions;
            }
        }
        return nettle;
    }();
    return found;
}

}  // namespace

class Sha256::State {
public:
    State() = default;
    virtual ~State() = default;
    State(const State&) = delete;
    State& operator=(const State&) = delete;
    virtual void add(std::span<const std::uint8_t> bytes) = 0;
    virtual ShaDigest digest() = 0;
};

namespace {

class StateOfNettle : public Sha256::State {
public:
    explicit StateOfNettle(const NettleSha& nettle) : nettle_(nettle) { nettle_.init(context_.data()); }
    void add(std::span<const std::uint8_t> bytes) override {
        nettle_.update(context_.data(), bytes.size(), bytes.data());
    }
    ShaDigest digest() override {
        ShaDigest digest{};
        nettle_.digest(context_.data(), digest.size(), digest.data());
        return digest;
    }

private:
    const NettleSha& nettle_;
    alignas(64) std::array<std::byte, 512> context_{};  // struct sha256_ctx has 112
};

class StateOfLibavutil : public Sha256::State {
public:
    StateOfLibavutil() : state_(av_sha_alloc()) {
        if (!state_ || av_sha_init(state_.get(), sha_bits) < 0) {
            throw std::bad_alloc();
        }
    }
    void add(std::span<const std::uint8_t> bytes) override { av_sha_update(state_.get(), bytes.data(), bytes.size()); }
    ShaDigest digest() override {
        ShaDigest digest{};
        av_sha_final(state_.get(), digest.data());
        return digest;
    }

private:
    struct Free {
        void operator()(AVSHA* state) const { av_free(state); }
    };
    std::unique_ptr<AVSHA, Free> state_;
};

}  // namespace

Sha256::Sha256(By by) {
    if (by == By::fastest && nettle_sha()) {
        state_ = std::make_unique<StateOfNettle>(*nettle_sha());
    } else {
        state_ = std::make_unique<StateOfLibavutil>();
    }
}

Sha256::~Sha256() = default;

void Sha256::add(std::span<const std::uint8_t> bytes) {
    state_->add(bytes);
    size_ += static_cast<std::int64_t>(bytes.size());
}

std::string Sha256::hex() {
    std::string text;
    for (const std::uint8_t byte : state_->digest()) {
        text += fmt::format("{:02x}", byte);
    }
    return text;
}

Sha256Thread::Sha256Thread() {
    filling_.reserve(sha_block);
    thread_ = std::thread([this] { work(); });  // last: a thread that runs outlives no constructor that throws
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
