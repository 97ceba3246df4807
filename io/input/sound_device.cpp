#include "io/input/sound_device.h"

extern "C" {
#include <libavutil/time.h>
}

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdlib>
#include <deque>
#include <mutex>
#include <string_view>
#include <system_error>
#include <thread>
#include <utility>

#include "config/printable.h"
#include "io/device_library.h"
#include "io/input/layers/reconnecting.h"
#include "io/input/layers/same_streams.h"
#include "io/input/opened_input.h"
#include "io/retries.h"
#include "io/source.h"

namespace vfilter {

// What may not change when a device is opened again.
struct SoundFacts {
    AVCodecID codec = AV_CODEC_ID_NONE;
    int rate = 0;
    int channels = 0;
    bool operator==(const SoundFacts&) const = default;
    [[nodiscard]] int bytes_per_second() const { return rate * channels * av_get_bits_per_sample(codec) / 8; }
};

namespace {

using SoundClock = std::chrono::steady_clock;  // CLOCK_MONOTONIC, as that of a camera's pictures

constexpr std::int64_t max_untaken = 10 * std::int64_t{AV_TIME_BASE};  // of sound that nobody has taken
constexpr std::chrono::seconds patience_at_end{1};
constexpr std::chrono::seconds min_opening_time{10};
// The wall clock is set, and not only adjusted.
constexpr std::int64_t clock_step = 10'000;
constexpr std::int64_t settling_time = 2 * std::int64_t{AV_TIME_BASE};

std::int64_t monotonic_now() {
    return std::chrono::duration_cast<std::chrono::microseconds>(SoundClock::now().time_since_epoch()).count();
}

InputRequest options_of_device(const InputOptions& options) {
    InputRequest device;
    device.path = full_sound_name(options.audio_device);
    device.timeout = options.timeout;
    device.reconnect = options.reconnect;
    return device;
}

SoundFacts format_of_sound(const OpenedInput& input) {
    const AVCodecParameters& sound = *input.format().streams[0]->codecpar;
    return {sound.codec_id, sound.sample_rate, sound.ch_layout.nb_channels};
}

}  // namespace

std::int64_t MonotonicTimes::of(std::int64_t time, std::int64_t length, std::int64_t wall_now, std::int64_t now) {
    const std::int64_t offset = now - wall_now;
    if (began_ && std::abs(offset - offset_) > clock_step) {
        settled_ = now + settling_time;
    }
    offset_ = offset;
    const std::int64_t begin = began_ && now < settled_ ? due_ : time + offset;
    began_ = true;
    due_ = begin + length;
    return begin;
}

// What the thread and its owner have in common; it lives as long as either of them.
struct SoundDevice::Shared {
    explicit Shared(const InputOptions& of) : options(options_of_device(of)) {}

    void run();
    void open();
    void read();
    [[nodiscard]] bool reopen(std::string why);
    void keep(PacketPtr packet);
    void note(const std::string& what);
    void tell_silence();

    const InputRequest options;
    std::atomic<bool> stop{false};
    const std::function<bool()> stopped = [this] { return stop.load(); };

    // The thread's alone.
    InputRequest opened_with;
    std::unique_ptr<OpenedInput> input;
    SoundFacts format;
    MonotonicTimes times;
    Retries retries{options.reconnect};  // failures since the last packet

    std::mutex mutex;
    std::condition_variable changed;
    DescriptionPtr description;  // once it is open, until the owner takes it
    std::string failure;         // why it could not be opened
    bool ended = false;
    std::deque<PacketPtr> waiting;
    std::int64_t waiting_time = 0;
    SoundClock::time_point heard = SoundClock::now();  // when the last packet came
    bool silent = false;                               // nothing has come for so long that it was told
    Damage damage;
};

// Most give two channels; one that has no converter and one channel says so by refusing two.
void SoundDevice::Shared::open() {
    opened_with = options;
    try {
        input = std::make_unique<OpenedInput>(opened_with, stopped);
    } catch (const Error& error) {
        const std::string why = error.what();
        opened_with.input_options.emplace_back("channels", "1");
        try {
            input = std::make_unique<OpenedInput>(opened_with, stopped);
        } catch (const Error&) {
            throw Error(ExitCode::input, why);  // this try's would be about channels
        }
    }
}

void SoundDevice::Shared::keep(PacketPtr packet) {
    packet->duration = av_rescale(packet->size, AV_TIME_BASE, std::max(1, format.bytes_per_second()));
    const std::int64_t now = monotonic_now();
    const std::int64_t wall = av_gettime();
    // What was heard, was heard before now.
    const std::int64_t time = std::min(packet->pts != AV_NOPTS_VALUE ? packet->pts : wall, wall - packet->duration);
    packet->pts = packet->dts = times.of(time, packet->duration, wall, now);
    const std::lock_guard lock(mutex);
    heard = SoundClock::now();
    silent = false;
    waiting_time += packet->duration;
    waiting.push_back(std::move(packet));
    for (; waiting_time > max_untaken; waiting.pop_front()) {
        waiting_time -= waiting.front()->duration;
        ++damage.packets;
        damage.note(fmt::format("{}: sound for which no picture came in 10 s is left out", options.path));
    }
}

// Damage: sound is missing that there should be.
void SoundDevice::Shared::note(const std::string& what) {
    const std::lock_guard lock(mutex);
    ++damage.packets;
    damage.note(what);
}

// With --timeout; under the lock. The reading thread itself may sleep in the device.
void SoundDevice::Shared::tell_silence() {
    const std::chrono::duration<double> silence = SoundClock::now() - heard;
    if (options.timeout > 0 && !silent && !ended && silence.count() > options.timeout) {
        silent = true;
        const std::string text = fmt::format("{}: nothing came for {:g} s", options.path, options.timeout);
        spdlog::warn("{}", text);
        ++damage.packets;
        damage.note(text);
    }
}

// Until it ends, fails or is stopped. Throws Error.
void SoundDevice::Shared::read() {
    for (;;) {
        PacketPtr packet = make_packet();
        const int got = input->read(*packet);
        if (stop) {
            return;
        }
        if (got < 0) {
            throw Error(ExitCode::input, fmt::format("{}: {}", options.path, why_lost(got, options)));
        }
        retries.forget();
        keep(std::move(packet));
    }
}

// False if it stays lost.
bool SoundDevice::Shared::reopen(std::string why) {
    while (!stop && retries.left()) {
        input.reset();  // a device is not opened twice
        if (!retries.wait(why, "opened", stopped)) {
            return false;
        }
        try {
            open();
        } catch (const Error& again) {
            why = again.what();
            continue;
        }
        if (format_of_sound(*input) != format) {
            spdlog::error("{}: came back with another format", options.path);
            return false;
        }
        times = {};
        spdlog::info("{}: is back", options.path);
        return true;
    }
    return false;
}

void SoundDevice::Shared::run() {
    try {
        open();
        format = format_of_sound(*input);
        const std::lock_guard lock(mutex);
        description = describe_input(input->format());
        changed.notify_all();
    } catch (const std::exception& error) {
        const std::lock_guard lock(mutex);
        failure = error.what();
    }
    try {
        for (bool more = input != nullptr; more && !stop;) {
            try {
                read();
            } catch (const Error& error) {
                note(error.what());
                more = reopen(error.what());
                if (!more && !stop) {
                    spdlog::warn("{}: is lost, and the recording goes on without its sound", options.path);
                }
            }
        }
    } catch (const std::exception& error) {
        note(error.what());
    }
    input.reset();
    const std::lock_guard lock(mutex);
    ended = true;
    changed.notify_all();
}

SoundDevice::SoundDevice(const InputOptions& options, const std::function<bool()>& interrupted)
    : shared_(std::make_shared<Shared>(options)) {
    load_device_library(shared_->options.path);  // or else the thread would, which may be left behind
    std::thread([shared = shared_] { shared->run(); }).detach();
    const auto patience =
        std::max<SoundClock::duration>(min_opening_time, std::chrono::seconds(static_cast<int>(options.timeout)));
    const auto end = SoundClock::now() + patience;
    std::unique_lock lock(shared_->mutex);
    constexpr std::chrono::milliseconds slice{50};
    while (!shared_->description && !shared_->ended && SoundClock::now() < end && !interrupted()) {
        shared_->changed.wait_for(lock, slice);
    }
    if (!shared_->description) {
        shared_->stop = true;
        throw Error(ExitCode::input, !shared_->failure.empty()
                                         ? shared_->failure
                                         : fmt::format("{}: did not open", shared_->options.path));
    }
    description_ = std::move(shared_->description);
}

SoundDevice::~SoundDevice() {
    shared_->stop = true;
    std::unique_lock lock(shared_->mutex);
    shared_->changed.wait_for(lock, patience_at_end, [this] { return shared_->ended; });
}

PacketPtr SoundDevice::take() {
    const std::lock_guard lock(shared_->mutex);
    if (shared_->waiting.empty()) {
        shared_->tell_silence();
        return nullptr;
    }
    PacketPtr packet = std::move(shared_->waiting.front());
    shared_->waiting.pop_front();
    shared_->waiting_time -= packet->duration;
    return packet;
}

Damage SoundDevice::take_damage() {
    const std::lock_guard lock(shared_->mutex);
    return std::exchange(shared_->damage, {});
}

std::string full_sound_name(const std::string& name) {
    return name == "default" ? "alsa:default" : name;
}

std::string sound_device_list() {
    std::string text;
    for (const Source& source : sound_sources()) {
        for (const FoundDevice& device : find_devices(std::string(source.format))) {
            text += fmt::format("{}{}: {}\n", source.prefix, printable(device.name), printable(device.description));
        }
    }
    return text.empty() ? "no sound device: neither ALSA nor PulseAudio tells of any\n" : text;
}

}  // namespace vfilter
