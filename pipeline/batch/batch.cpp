#include "pipeline/batch/batch.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <poll.h>
#include <spdlog/spdlog.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstdio>
#include <cstring>
#include <memory>
#include <optional>
#include <vector>

#include "config/printable.h"
#include "pipeline/batch/batch_plan.h"
#include "pipeline/batch/batch_progress.h"
#include "pipeline/batch/batch_report.h"
#include "pipeline/batch/child_end.h"
#include "pipeline/batch/journal.h"
#include "pipeline/batch/left_work.h"
#include "pipeline/batch/output_folder.h"
#include "pipeline/batch/picture_folders.h"
#include "pipeline/batch/suspension.h"
#include "pipeline/report/progress.h"
#include "pipeline/report/report.h"
#include "pipeline/session/run_end.h"

namespace vfilter {

namespace {

using State = BatchResult::State;
using BatchClock = std::chrono::steady_clock;

struct Child {
    std::size_t index = 0;  // of its file
    pid_t process = -1;
    BatchClock::time_point begin = BatchClock::now();
    std::unique_ptr<BatchReceiver> receiver;
    std::optional<PicturePart> part;  // where its pictures are made
};

class Batch {
public:
    Batch(const Options& options, const std::atomic<int>& signal, const RunFile& run_file, Audit asked)
        : options_(options),
          signal_(signal),
          run_file_(run_file),
          asked_(std::move(asked)),
          files_(plan_batch(options)),
          hash_(hash_of_options(options)),
          journal_(options.batch.folder),
          progress_(options.progress, isatty(STDERR_FILENO) != 0) {
        if (options.batch.skip_existing) {
            name_checked(options, journal_, hash_, files_);
        }
        mark_existing(options, journal_, hash_, files_);
        remove_leftovers(options, journal_, hash_, files_);
    }

    int run();

private:
    void note_known();
    [[nodiscard]] JournalEntry entry_of(const BatchFile& file) const;
    [[nodiscard]] bool may_begin() const;
    void begin(std::size_t index);
    void try_to_begin(std::size_t index);
    [[noreturn]] void be_child(std::size_t index, int descriptor, pid_t parent, const PicturePart* part);
    void look_at_children();
    void end(Child& child);
    void end_pictures(const PicturePart& part, const BatchFile& file, BatchResult& result);
    void fail(BatchResult& result, const Error& error);
    void ended(std::size_t index);
    void pass_signal();
    void pass_suspension();
    void show();
    [[nodiscard]] int exit_code() const;

    const Options& options_;
    const std::atomic<int>& signal_;
    const RunFile& run_file_;
    Audit asked_;
    std::vector<BatchFile> files_;
    std::string hash_;
    Journal journal_;
    ProgressLine progress_;
    Suspension suspension_;
    std::vector<BatchResult> results_;
    std::vector<Child> children_;
    BatchClock::time_point begin_ = BatchClock::now();
    std::size_t next_ = 0;
    int first_failure_ = 0;
    bool passed_ = false;  // the signal to the children
};

void Batch::note_known() {
    for (std::size_t i = 0; i < files_.size(); ++i) {
        results_.push_back(result_before(files_[i]));
        const BatchResult& result = results_.back();
        if (result.state == State::failed && options_.log_level > LogLevel::info) {  // no table will tell
            spdlog::error("{}: {}", result.input, result.error);
        }
        if (result.state != State::waiting) {
            ended(i);
        }
    }
}

// Of something that was checked; what it was, and how it ended, is for the caller to fill in.
JournalEntry Batch::entry_of(const BatchFile& file) const {
    return {.output = file.name, .input = file.facts, .options = hash_, .place = file.place, .inode = file.inode};
}

bool Batch::may_begin() const {
    return signal_ == 0 && (first_failure_ == 0 || options_.batch.keep_going);
}

void Batch::begin(std::size_t index) {
    const BatchFile& file = files_[index];
    journal_.add({.output = file.name, .input = file.facts, .options = hash_});
    const std::optional<PicturePart> part = file.pictures ? std::optional(PicturePart(file)) : std::nullopt;
    int ends[2];
    if (pipe2(ends, O_CLOEXEC) != 0) {
        throw Error(ExitCode::internal, fmt::format("no pipe to a child: {}", std::strerror(errno)));
    }
    fcntl(ends[0], F_SETFL, O_NONBLOCK);
    progress_.clear();
    std::fflush(nullptr);
    const pid_t parent = getpid();
    const pid_t process = fork();
    if (process == 0) {
        close(ends[0]);
        be_child(index, ends[1], parent, part ? &*part : nullptr);
    }
    close(ends[1]);
    auto receiver = std::make_unique<BatchReceiver>(ends[0]);
    if (process < 0) {
        throw Error(ExitCode::internal, fmt::format("no process for {}: {}", file.input, std::strerror(errno)));
    }
    setpgid(process, process);
    results_[index].state = State::running;
    children_.push_back({.index = index, .process = process, .receiver = std::move(receiver), .part = part});
}

// Where the parent has no process, pipe or disk space for a file, those that run go on.
void Batch::try_to_begin(std::size_t index) {
    try {
        begin(index);
    } catch (const Error& error) {
        fail(results_[index], error);
        ended(index);
    }
}

// In a group of its own, so that what a terminal sends comes once, through the parent. It goes when the parent is
// killed: nobody would know of what it makes. To a terminal that stops what is not in its foreground it writes all the
// same, as it is a part of what is.
void Batch::be_child(std::size_t index, int descriptor, pid_t parent, const PicturePart* part) {
    std::signal(SIGTTOU, SIG_IGN);
    suspension_.forget();
    setpgid(0, 0);
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    if (getppid() != parent) {
        _exit(static_cast<int>(ExitCode::internal));
    }
    for (Child& other : children_) {
        other.receiver.reset();
    }
    const int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC);
    dup2(nothing, STDIN_FILENO);
    const BatchFile& file = files_[index];
    Options options = options_of_one(options_, file, part != nullptr ? part->output() : file.output);
    const BatchSender sender(descriptor);
    const auto checked = [&](const std::string& written, ExitCode code, std::int64_t frames) {
        JournalEntry entry = entry_of(file);
        entry.code = static_cast<int>(code);
        entry.file = facts_of_file(written);
        entry.frames = frames;
        journal_.add(entry);
    };
    const int code = run_file_(std::move(options), {sender, checked});
    std::fflush(nullptr);
    _exit(code);
}

void Batch::look_at_children() {
    constexpr int patience_ms = 250;
    std::vector<pollfd> waiting;
    for (const Child& child : children_) {
        waiting.push_back({child.receiver->descriptor(), POLLIN, 0});
    }
    poll(waiting.data(), waiting.size(), patience_ms);
    pass_suspension();
    for (Child& child : children_) {
        if (!child.receiver->receive()) {
            end(child);
        }
    }
    std::erase_if(children_, [](const Child& child) { return child.process < 0; });
}

void Batch::end(Child& child) {
    int status = 0;
    while (waitpid(child.process, &status, 0) < 0 && errno == EINTR) {
        pass_signal();
    }
    child.process = -1;
    BatchResult& result = results_[child.index];
    result.seconds = std::chrono::duration<double>(BatchClock::now() - child.begin).count();
    result.frames = child.receiver->progress().frames;
    result.report = child.receiver->report();
    if (take_end(status, result)) {
        result.error += kept_clause(options_.batch.folder, files_[child.index]);
        progress_.clear();
        spdlog::error("{}: {}", result.input, result.error);  // itself it could not
    }
    if (child.part) {
        end_pictures(*child.part, files_[child.index], result);
    }
    ended(child.index);
}

// What the child has checked is noted before it gets its name.
void Batch::end_pictures(const PicturePart& part, const BatchFile& file, BatchResult& result) {
    const bool told = result.state == State::stopped && result.error.empty();
    bool placing = false;
    try {
        const std::int64_t first = options_.output.start_number;
        if (result.frames > 0 && (told || result.state == State::finished)) {
            part.check(first, result.frames);
            JournalEntry entry = entry_of(file);
            entry.code = result.code;
            entry.file = part.facts(first);
            entry.frames = result.frames;
            entry.replaces = file.replaces;
            journal_.add(entry);
            placing = true;
            part.place(file, first);
            return;
        }
    } catch (const Error& error) {
        fail(result, error);
        if (placing) {
            return;  // which has told it
        }
    }
    if (part.count(options_.output.start_number) > 0) {
        progress_.clear();
        spdlog::warn("{}: what was made of its pictures is in {}", result.input, part.folder());
    } else {
        part.remove();
    }
}

void Batch::fail(BatchResult& result, const Error& error) {
    result.state = State::failed;
    result.code = static_cast<int>(error.code());
    result.error = error.what();
    progress_.clear();
    spdlog::error("{}: {}", result.input, result.error);
}

void Batch::ended(std::size_t index) {
    const BatchResult& result = results_[index];
    if (first_failure_ == 0 && !is_finished(result)) {
        first_failure_ = result.code;
    }
    if (options_.progress == Progress::json) {
        std::fputs((batch_line(result) + "\n").c_str(), stderr);
    }
}

void Batch::pass_signal() {
    if (signal_ == 0 || passed_) {
        return;
    }
    passed_ = true;
    for (const Child& child : children_) {
        if (child.process > 0) {
            kill(child.process, signal_);
            kill(child.process, SIGCONT);  // it may have been stopped, and would not hear of it
        }
    }
}

void Batch::pass_suspension() {
    std::vector<pid_t> running;
    for (const Child& child : children_) {
        if (child.process > 0) {
            running.push_back(child.process);
        }
    }
    suspension_.look(running);
}

void Batch::show() {
    BatchSoFar so_far{.files = results_.size()};
    for (std::size_t i = 0; i < results_.size(); ++i) {
        const BatchResult& result = results_[i];
        const auto bytes = static_cast<double>(std::max<std::int64_t>(files_[i].facts.size, 1));
        const bool over = result.state != State::waiting && result.state != State::running;
        so_far.done += over ? 1 : 0;
        if (result.state == State::finished_before) {
            continue;
        }
        so_far.all += bytes;
        so_far.share += over ? bytes : 0;
        so_far.frames += result.frames;
    }
    for (const Child& child : children_) {
        const BatchProgress& progress = child.receiver->progress();
        so_far.frames += progress.frames;
        const double share =
            progress.expected > 0 ? static_cast<double>(progress.frames) / static_cast<double>(progress.expected) : 0;
        so_far.share += std::min(share, 1.0) * static_cast<double>(files_[child.index].facts.size);
    }
    so_far.seconds = std::chrono::duration<double>(BatchClock::now() - begin_).count();
    progress_.show(batch_progress_text(so_far), "");
}

int Batch::exit_code() const {
    if (signal_ != 0) {
        return static_cast<int>(code_of_signal(signal_));
    }
    if (first_failure_ != 0) {
        return first_failure_;
    }
    const bool damaged = std::ranges::any_of(results_, [](const BatchResult& result) { return result.code != 0; });
    return static_cast<int>(damaged ? ExitCode::damaged : ExitCode::finished);
}

int Batch::run() {
    note_known();
    const auto jobs = static_cast<std::size_t>(std::max(options_.batch.jobs, 1));
    for (;;) {
        pass_signal();
        while (next_ < files_.size() && children_.size() < jobs && may_begin()) {
            if (results_[next_].state == State::waiting) {
                try_to_begin(next_);
            }
            ++next_;
        }
        if (children_.empty()) {
            break;
        }
        look_at_children();
        show();
    }
    progress_.clear();
    if (options_.progress == Progress::json) {
        for (const BatchResult& result : results_) {
            if (result.state == State::waiting) {
                std::fputs((batch_line(result) + "\n").c_str(), stderr);
            }
        }
    }
    const double seconds = std::chrono::duration<double>(BatchClock::now() - begin_).count();
    const int code = exit_code();
    if (options_.log_level <= LogLevel::info) {
        std::fputs(batch_table(results_).c_str(), stderr);
    }
    spdlog::info("{}", batch_summary(results_, options_.batch.passed_over.size(), seconds));
    if (!options_.report.empty()) {
        asked_.ended = utc_time();
        try {
            write_text_file(options_.report, batch_report(results_, options_.batch.passed_over, code, seconds, asked_),
                            [this] { return signal_ != 0; });
        } catch (const Error& error) {
            spdlog::error("{}", error.what());
            return code != 0 ? code : static_cast<int>(error.code());
        }
    }
    return code;
}

}  // namespace

int run_batch(const Options& options, const std::atomic<int>& signal, const RunFile& run_file, Audit asked) {
    plan_batch(options);  // what is wrong with the names is told before a folder is made
    const bool inside = !options.report.empty() && is_in_folder(options.report, options.batch.folder);
    const auto check_report = [&](bool now) {
        if (now && !options.report.empty()) {
            check_text_file(options.report, options.output.overwrite);
        }
    };
    check_report(!inside);
    const OutputFolder folder(options.batch.folder);
    check_report(inside);
    return Batch(options, signal, run_file, std::move(asked)).run();
}

}  // namespace vfilter
