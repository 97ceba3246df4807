#include "io/preview/window_thread.h"

#include <unistd.h>

#include <atomic>
#include <condition_variable>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <thread>
#include <utility>

namespace vfilter {

// The thread may outlive the object: a lost one holds it for ever.
struct WindowThread::Shared {
    std::mutex mutex;
    std::condition_variable changed;
    const std::function<void()>* asked = nullptr;  // null while there is nothing to do
    bool ended = false;
    bool lost = false;
    std::exception_ptr error;
    std::unique_ptr<PreviewWindow> window;
    std::thread thread;
};

namespace {

std::atomic<bool> any_lost{false};

}  // namespace

bool WindowThread::lost_any() {
    return any_lost.load();
}

thread_local WindowThread::Shared* WindowThread::of_this_thread = nullptr;

// In whichever thread calls exit().
void WindowThread::on_exit() {
    if (of_this_thread == nullptr) {
        return;
    }
    {
        const std::lock_guard lock(of_this_thread->mutex);
        of_this_thread->lost = true;
        any_lost = true;
    }
    of_this_thread->changed.notify_all();
    for (;;) {
        pause();
    }
}

WindowThread::WindowThread(const Open& open) : shared_(std::make_shared<Shared>()) {
    shared_->thread = std::thread([shared = shared_] { work(shared); });
    const auto begin = [&] {
        shared_->window = open();
        // Handlers run in the order from the last to the first: before those of the toolkit, which is loaded now.
        std::atexit(on_exit);
    };
    try {
        call(begin);
    } catch (...) {
        {
            const std::lock_guard lock(shared_->mutex);
            shared_->ended = true;
        }
        shared_->changed.notify_all();
        shared_->thread.join();
        throw;
    }
}

WindowThread::~WindowThread() {
    call([this] { shared_->window.reset(); });
    {
        const std::lock_guard lock(shared_->mutex);
        shared_->ended = true;
    }
    shared_->changed.notify_all();
    if (lost()) {
        shared_->thread.detach();
    } else {
        shared_->thread.join();
    }
}

void WindowThread::work(const std::shared_ptr<Shared>& shared) {
    of_this_thread = shared.get();
    for (std::unique_lock lock(shared->mutex);;) {
        shared->changed.wait(lock, [&] { return shared->asked != nullptr || shared->ended; });
        if (shared->asked == nullptr) {
            break;
        }
        const std::function<void()>& act = *shared->asked;
        lock.unlock();
        std::exception_ptr error;
        try {
            act();
        } catch (...) {
            error = std::current_exception();
        }
        lock.lock();
        shared->error = error;
        shared->asked = nullptr;
        shared->changed.notify_all();
    }
    of_this_thread = nullptr;
}

// False where it was lost.
bool WindowThread::call(const std::function<void()>& act) const {
    std::unique_lock lock(shared_->mutex);
    if (shared_->lost) {
        return false;
    }
    shared_->asked = &act;
    shared_->changed.notify_all();
    shared_->changed.wait(lock, [&] { return shared_->asked == nullptr || shared_->lost; });
    if (const std::exception_ptr error = std::exchange(shared_->error, nullptr)) {
        std::rethrow_exception(error);
    }
    return !shared_->lost;
}

void WindowThread::fit(int width, int height) {
    call([&] { shared_->window->fit(width, height); });
}

WindowSize WindowThread::size() const {
    WindowSize size{1, 1};
    call([&] { size = shared_->window->size(); });
    return size;
}

void WindowThread::show(const BgrView& picture) {
    call([&] { shared_->window->show(picture); });
}

int WindowThread::poll_key() {
    int key = 0;
    return call([&] { key = shared_->window->poll_key(); }) ? key : 0;
}

std::optional<MouseEvent> WindowThread::poll_mouse() {
    std::optional<MouseEvent> event;
    return call([&] { event = shared_->window->poll_mouse(); }) ? event : std::nullopt;
}

bool WindowThread::closed() const {
    bool closed = false;
    return !call([&] { closed = shared_->window->closed(); }) || closed;
}

bool WindowThread::lost() const {
    const std::lock_guard lock(shared_->mutex);
    return shared_->lost;
}

void WindowThread::set_full_screen(bool on) {
    call([&] { shared_->window->set_full_screen(on); });
}

// These draw into the picture, and ask no display.
void WindowThread::write_text(const BgrView& picture, const std::string& lines) const {
    shared_->window->write_text(picture, lines);
}

void WindowThread::write_label(const BgrView& picture, int x, int y, const std::string& line) const {
    shared_->window->write_label(picture, x, y, line);
}

}  // namespace vfilter
