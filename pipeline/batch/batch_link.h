#pragma once
// What the child that runs one file of a batch reports to its parent, through a pipe.

#include <cstdint>
#include <optional>
#include <string>

namespace vfilter {

/// A child's progress.
struct BatchProgress {
    std::int64_t frames = 0;
    std::int64_t expected = 0;  ///< 0 if unknown
};

/// The child's end of the pipe. One thread.
class BatchSender {
public:
    explicit BatchSender(int descriptor) : descriptor_(descriptor) {}

    void progress(const BatchProgress& progress) const;
    /// Sends the report, at the end.
    void report(const std::string& json) const;

private:
    void send(char kind, const void* data, std::size_t size) const;

    int descriptor_;
};

/// The parent's end of the pipe. One thread.
class BatchReceiver {
public:
    /// Owns the descriptor, which must be non-blocking.
    explicit BatchReceiver(int descriptor) : descriptor_(descriptor) {}
    ~BatchReceiver();
    BatchReceiver(const BatchReceiver&) = delete;
    BatchReceiver& operator=(const BatchReceiver&) = delete;

    /// Receives what has arrived. False once the child has closed its end.
    bool receive();
    [[nodiscard]] int descriptor() const { return descriptor_; }
    [[nodiscard]] const BatchProgress& progress() const { return progress_; }
    /// "" until it has arrived.
    [[nodiscard]] const std::string& report() const { return report_; }

private:
    void take_messages();

    int descriptor_;
    std::string waiting_;
    BatchProgress progress_;
    std::string report_;
};

}  // namespace vfilter
