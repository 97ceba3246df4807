#include "pipeline/report/log.h"

#include <spdlog/pattern_formatter.h>
#include <spdlog/sinks/base_sink.h>
#include <spdlog/sinks/stdout_sinks.h>
#include <spdlog/spdlog.h>

#include <algorithm>
#include <cstddef>
#include <cstdlib>
#include <ctime>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "config/printable.h"
#include "io/log/complaints.h"

namespace vfilter {

namespace {

// One message is one line, and text of strangers in it steers no terminal.
class PrintableMessage : public spdlog::custom_flag_formatter {
public:
    explicit PrintableMessage(std::string prefix) : prefix_(std::move(prefix)) {}
    void format(const spdlog::details::log_msg& message, const std::tm& /*time*/, spdlog::memory_buf_t& to) override {
        const std::string text = prefix_ + printable_message({message.payload.data(), message.payload.size()});
        to.append(text.data(), text.data() + text.size());
    }
    [[nodiscard]] std::unique_ptr<custom_flag_formatter> clone() const override {
        return std::make_unique<PrintableMessage>(prefix_);
    }

private:
    std::string prefix_;
};

std::unique_ptr<spdlog::formatter> log_formatter(const std::string& prefix) {
    auto formatter = std::make_unique<spdlog::pattern_formatter>();
    formatter->add_flag<PrintableMessage>('*', prefix).set_pattern("%*");
    return formatter;
}

// A camera that comes and goes for a month warns without end.
constexpr std::size_t most_kept = 200;

class KeptWarnings : public spdlog::sinks::base_sink<std::mutex> {
public:
    Warnings so_far() {
        const std::lock_guard lock(mutex_);
        return warnings_;
    }

protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        if (message.level != spdlog::level::warn) {
            return;
        }
        if (warnings_.lines.size() < most_kept) {
            warnings_.lines.push_back(printable_message({message.payload.data(), message.payload.size()}));
        } else {
            ++warnings_.more;
        }
    }
    void flush_() override {}

private:
    Warnings warnings_;
};

// Hands lines on, but for those that were told before a second pass began.
class News : public spdlog::sinks::base_sink<std::mutex> {
public:
    explicit News(std::vector<spdlog::sink_ptr> sinks) : sinks_(std::move(sinks)) {}
    void only_now() {
        const std::lock_guard lock(mutex_);
        only_ = true;
    }

protected:
    void sink_it_(const spdlog::details::log_msg& message) override {
        std::string line(message.payload.data(), message.payload.size());
        if (only_ && told_.contains(line)) {
            return;
        }
        if (!only_ && told_.size() < most_kept) {
            told_.insert(std::move(line));
        }
        for (const spdlog::sink_ptr& sink : sinks_) {
            if (sink->should_log(message.level)) {
                sink->log(message);
            }
        }
    }
    void flush_() override {
        for (const spdlog::sink_ptr& sink : sinks_) {
            sink->flush();
        }
    }

private:
    std::vector<spdlog::sink_ptr> sinks_;
    std::set<std::string> told_;
    bool only_ = false;
};

const std::shared_ptr<KeptWarnings>& kept_warnings() {
    static const auto kept = std::make_shared<KeptWarnings>();
    return kept;
}

const std::shared_ptr<spdlog::sinks::stderr_sink_mt>& error_stream() {
    static const auto stream = std::make_shared<spdlog::sinks::stderr_sink_mt>();
    return stream;
}

const std::shared_ptr<News>& news() {
    static const auto all = std::make_shared<News>(std::vector<spdlog::sink_ptr>{error_stream(), kept_warnings()});
    return all;
}

}  // namespace

void set_up_log(LogLevel level) {
    constexpr spdlog::level::level_enum levels[] = {spdlog::level::debug, spdlog::level::info, spdlog::level::warn,
                                                    spdlog::level::err, spdlog::level::off};
    const spdlog::level::level_enum shown = levels[static_cast<std::size_t>(level)];
    set_log_prefix("vfilter: ");
    error_stream()->set_level(shown);
    auto logger = std::make_shared<spdlog::logger>("vfilter", news());
    logger->set_level(std::min(shown, spdlog::level::warn));
    spdlog::set_default_logger(std::move(logger));
    // SVT-AV1 prints its settings to stderr by itself. Its levels: 1 errors, 2 warnings, 3 what it does.
    setenv("SVT_LOG", level == LogLevel::debug ? "3" : level == LogLevel::info ? "2" : "1", 0);
    connect_ffmpeg_log(level == LogLevel::debug);
}

void set_log_prefix(const std::string& prefix) {
    error_stream()->set_formatter(log_formatter(prefix));
}

void tell_only_news() {
    news()->only_now();
}

Warnings warnings_so_far() {
    return kept_warnings()->so_far();
}

}  // namespace vfilter
