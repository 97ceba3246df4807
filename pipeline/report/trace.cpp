#include "pipeline/report/trace.h"

#include <fmt/format.h>
#include <spdlog/spdlog.h>

#include <utility>

#include "config/error.h"

namespace vfilter {

Trace::Trace(const std::string& path, std::function<bool()> given_up)
    : file_(path, Overwrite::yes, std::move(given_up)) {
    file_.discard();
    put("[\n{\"name\":\"process_name\",\"ph\":\"M\",\"pid\":1,\"args\":{\"name\":\"vfilter\"}}");
    for (const std::string_view name : stage_names) {
        lane(std::string(name));
    }
}

int Trace::lane(const std::string& name) {
    const std::lock_guard lock(mutex_);
    const int number = ++lanes_;
    put(fmt::format(
        ",\n{{\"name\":\"thread_name\",\"ph\":\"M\",\"pid\":1,\"tid\":{0},\"args\":{{\"name\":\"{1}\"}}}}"
        ",\n{{\"name\":\"thread_sort_index\",\"ph\":\"M\",\"pid\":1,\"tid\":{0},\"args\":{{\"sort_index\":{0}}}}}",
        number, name));
    return number;
}

void Trace::close(bool keep) {
    // A thread that hangs may hang in here.
    const std::unique_lock lock(mutex_, std::try_to_lock);
    if (lock && !keep) {
        ended_ = true;
    } else if (lock && !ended_) {
        try {
            end();
        } catch (const Error& error) {
            spdlog::error("the trace: {}", error.what());
        }
    }
}

void Trace::span(StageId stage, std::int64_t frame, Clock::time_point begin) {
    const int lane = static_cast<int>(stage) + 1;
    // An arrow from decode through to write.
    const char* const phase = stage == StageId::decode ? "s" : stage == StageId::write ? "f" : "t";
    const std::string text =
        span_text(lane, name_of(stage), frame, begin, Clock::now()) +
        fmt::format(
            ",\n{{\"name\":\"frame\",\"cat\":\"frame\",\"ph\":\"{}\",{}\"id\":{},\"pid\":1,\"tid\":{},\"ts\":{:.3f}}}",
            phase, stage == StageId::write ? "\"bp\":\"e\"," : "", frame, lane, microseconds(begin) + 0.001);
    const std::lock_guard lock(mutex_);
    put(text);
}

void Trace::span(int lane, std::string_view what, std::int64_t frame, Clock::time_point begin, Clock::time_point end) {
    const std::string text = span_text(lane, what, frame, begin, end);
    const std::lock_guard lock(mutex_);
    put(text);
}

std::string Trace::span_text(int lane, std::string_view what, std::int64_t frame, Clock::time_point begin,
                             Clock::time_point end) const {
    const double at = microseconds(begin);
    return fmt::format(
        ",\n{{\"name\":\"{}\",\"ph\":\"X\",\"pid\":1,\"tid\":{},\"ts\":{:.3f},\"dur\":{:.3f},\"args\":{{\"frame\":{}}}}"
        "}",
        what, lane, at, microseconds(end) - at, frame);
}

void Trace::finish() {
    const std::lock_guard lock(mutex_);
    end();
}

void Trace::end() {
    ended_ = true;
    put("\n]\n");
    file_.flush();
    file_.verify([] { return false; });
    file_.commit();
}

// Errors are kept until commit().
void Trace::put(const std::string& text) {
    avio_write(file_.context(), reinterpret_cast<const unsigned char*>(text.data()), static_cast<int>(text.size()));
}

}  // namespace vfilter
