#include "io/codec/ranged/ranged_decoder.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <new>
#include <system_error>
#include <utility>

#include "config/error.h"

namespace vfilter {

RangedDecoder::RangedDecoder(const Demuxer& input, int stream, FramePool& pool, bool strict, RangeLimits limits,
                             Makers make, Clip which)
    : ledger_(input, stream, strict, which),
      setup_(decoding_setup(input, stream, which.number)),
      pool_(pool),
      limits_(limits),
      make_(std::move(make)),
      cutter_(*setup_.codec) {
    leave_out_messages(setup_);
}

RangedDecoder::~RangedDecoder() {
    {
        const std::lock_guard lock(mutex_);
        stop();
    }
    for (std::thread& thread : threads_) {
        thread.join();
    }
    if (helper_.joinable()) {
        helper_.join();
    }
}

// Under the lock.
void RangedDecoder::stop() {
    stopped_ = true;
    to_do_.notify_all();
    room_.notify_all();
    progress_.notify_all();
}

void RangedDecoder::add(PacketPtr packet, Range& range, Share share) {
    const auto size = static_cast<std::size_t>(packet->size);
    range.expected += share.kept && shows_picture(setup_.codec->codec_id, *packet) ? 1 : 0;
    // Once only: its session reads it without the lock.
    if (range.packets.empty() && range.own == 0) {
        range.first = packet->pts;
    }
    range.own += share.own ? 1 : 0;
    range.bytes += size;
    bytes_ += size;
    range.packets.push_back(std::move(packet));
}

void RangedDecoder::send(const AVPacket* packet) {
    std::unique_lock lock(mutex_);
    if (packet == nullptr) {
        all_sent_ = true;
        for (const std::unique_ptr<Range>& range : ranges_) {
            range->ended = true;
        }
        to_do_.notify_all();
        return;
    }
    unaccounted_.push_back(reference_to(*packet));
    picture_given_ = false;
    Cut cut = cutter_.next(*packet);
    const bool first = facts_.ranges == 0;
    if (cut.begins) {
        auto range = std::make_unique<Range>();
        range->entry = cut.entry;
        if (first && cut.entry == Entry::closed) {
            closed_entry_ = reference_to(*cut.start);
        }
        range->start = std::move(cut.start);
        range->bare = cut.bare;
        range->from = cut.also_before ? packet->pts : AV_NOPTS_VALUE;
        if (cut.entry == Entry::none) {
            range->on_cpu = "it does not begin with a picture that can be decoded by itself";
        }
        // The one before is there still: it is not done before it has all its packets.
        if (cut.also_before) {
            ranges_.back()->until = packet->pts;
        }
        ranges_.push_back(std::move(range));
        ++facts_.ranges;
    }
    Range& range = *ranges_.back();
    if (cut.untimed && range.on_cpu.empty()) {
        range.on_cpu = "a packet has no time";
    }
    if (cut.also_before) {
        add(reference_to(*cut.packet), **std::prev(ranges_.end(), 2), {.own = false, .kept = cut.leads});
        (*std::prev(ranges_.end(), 2))->laden = cut.laden;
    }
    if (cut.ends_before) {
        (*std::prev(ranges_.end(), 2))->ended = true;
    }
    range.leading += cut.leads && facts_.ranges == 1 ? 1 : 0;
    range.led_in += cut.also_before && cut.leads ? 1 : 0;
    range.laden = cut.laden;
    add(std::move(cut.packet), range, {.own = true, .kept = !cut.also_before || cut.begins});
    if (cut.begins && dealt_ + static_cast<std::size_t>(idle_ + starting_) < ranges_.size()) {
        add_session();
    }
    to_do_.notify_all();
}

// Under the lock. Where the system has no more threads, those that are there do it.
void RangedDecoder::add_session() {
    if (threads_.size() >= static_cast<std::size_t>(limits_.sessions)) {
        return;
    }
    try {
        if (make_.beside && !helper_.joinable()) {
            helper_ = std::thread([this] { work(Made::beside_it); });
        }
        threads_.emplace_back([this] { work(Made::by_hardware); });
        ++starting_;
    } catch (const std::system_error& error) {
        if (threads_.empty()) {
            throw Error(ExitCode::internal, fmt::format("no thread for a decoder: {}", error.what()));
        }
    }
}

// Whether no more packets are wanted for now.
bool RangedDecoder::full() const {
    if (ranges_.empty()) {
        return false;
    }
    if (ranges_.size() == 1) {
        const Range& only = *ranges_.front();
        const std::int64_t gone = only.repeatable ? only.read : 0;
        return static_cast<std::int64_t>(only.packets.size()) - gone >= limits_.packets;
    }
    if (!ranges_.front()->ended) {
        return false;  // it waits for what leads the second one in, which is a few packets
    }
    return ranges_.size() > 4 * static_cast<std::size_t>(limits_.sessions) + 2 || bytes_ >= limits_.bytes;
}

FramePtr RangedDecoder::receive() {
    std::unique_lock lock(mutex_);
    for (;;) {
        if (error_) {
            std::rethrow_exception(error_);
        }
        if (ranges_.empty()) {
            if (all_sent_) {
                ledger_.ended();
            }
            return nullptr;
        }
        // A packet for each picture: else the sessions would be without work as long as there are pictures.
        if (picture_given_ && !all_sent_ && !full()) {
            return nullptr;
        }
        Range& range = *ranges_.front();
        if (!range.pictures.empty()) {
            DecodedPicture next = take_picture(range);
            if (!next.picture) {
                ledger_.complained(next.complaints, next.complaint);
                continue;
            }
            note_given(range, next);
            lock.unlock();
            ledger_.received(*next.picture, next.complaints, next.complaint);
            return std::move(next.picture);
        }
        if (range.done && range.ended) {
            retire_first();
            continue;
        }
        if (!std::exchange(starved_, true)) {
            to_do_.notify_all();
        }
        if (!all_sent_ && !full()) {
            return nullptr;
        }
        receiver_waits_ = true;
        to_do_.notify_all();
        const bool goes_on = wait_for_progress(lock);
        receiver_waits_ = false;
        if (!goes_on) {
            return nullptr;
        }
    }
}

// False where nobody wants more. Who looks on hears of what gets on, which may be far from a picture.
bool RangedDecoder::wait_for_progress(std::unique_lock<std::mutex>& lock) {
    constexpr std::chrono::milliseconds slice{100};
    progress_.wait_for(lock, slice);
    if (!look_ || std::chrono::steady_clock::now() - looked_ < slice) {
        return true;
    }
    looked_ = std::chrono::steady_clock::now();
    const bool gets_on = steps_ != std::exchange(told_steps_, steps_);
    lock.unlock();
    const bool goes_on = look_(gets_on);
    lock.lock();
    return goes_on;
}

// The first one that waits, with what is to be said before it.
DecodedPicture RangedDecoder::take_picture(Range& range) {
    DecodedPicture next = std::move(range.pictures.front());
    range.pictures.pop_front();
    --pictures_;
    beside_ -= next.made == Made::beside_it ? 1 : 0;
    room_.notify_all();
    complaint_ = next.complaints > 0 ? next.complaint : complaint_;
    account(passed_ + (next.known >= 0 ? std::min(next.known, range.own) : range.own));
    for (std::int64_t i = 0; i < next.refused; ++i) {
        ledger_.refused();
    }
    return next;
}

void RangedDecoder::note_given(Range& range, const DecodedPicture& given) {
    starved_ = false;
    range.last_given = given.picture->pts;
    facts_.hardware += given.made == Made::by_hardware ? 1 : 0;
    facts_.beside += given.made == Made::beside_it ? 1 : 0;
    facts_.resident += given.resident ? 1 : 0;
    picture_given_ = true;
}

// The oldest range, all of whose pictures were given.
void RangedDecoder::retire_first() {
    Range& range = *ranges_.front();
    passed_ += range.own;
    account(passed_);
    bytes_ -= range.bytes;
    put_by(range);
    ranges_.pop_front();
    --dealt_;
    room_.notify_all();  // another one is the oldest
    to_do_.notify_all();
}

// The first packets of all, so many, have been decoded: not before that are they told of, as Decoder has it.
void RangedDecoder::account(std::int64_t packets) {
    for (; accounted_ < packets; ++accounted_) {
        ledger_.sent(*unaccounted_.front());
        unaccounted_.pop_front();
    }
}

// Under the lock. Keeps what a later range may have to be decoded after.
void RangedDecoder::put_by(Range& range) {
    if (range.enters || !range.repeatable) {
        gone_.clear();
    }
    if (!range.repeatable) {
        return;
    }
    range.packets.resize(std::min(range.packets.size(), static_cast<std::size_t>(range.own)));
    gone_.push_back({std::move(range.start), std::move(range.packets), range.enters});
    const auto bytes = [&] {
        std::size_t sum = 0;
        for (const Gone& gone : gone_) {
            for (const PacketPtr& packet : gone.packets) {
                sum += static_cast<std::size_t>(packet->size);
            }
        }
        return sum;
    };
    while (gone_.size() > most_before || bytes() > limits_.redo_bytes) {
        gone_.pop_front();
    }
}

std::string RangedDecoder::complaint() const {
    const std::lock_guard lock(mutex_);
    return complaint_;
}

DecodeFacts RangedDecoder::facts() const {
    const std::lock_guard lock(mutex_);
    return facts_;
}

std::int64_t RangedDecoder::passed() const {
    const std::lock_guard lock(mutex_);
    if (ranges_.empty()) {
        return passed_;
    }
    const Range& oldest = *ranges_.front();
    return passed_ + std::max<std::int64_t>(0, oldest.read - static_cast<std::int64_t>(oldest.pictures.size()));
}

}  // namespace vfilter
