#include "io/input/opened_camera.h"

#include <poll.h>
#include <sys/stat.h>

#include <algorithm>
#include <charconv>
#include <new>
#include <thread>

#include "io/folder_names.h"

namespace vfilter {

namespace {

// FFmpeg's own descriptor of a camera, which it does not tell: the one that is open on the same device. -1 if there is
// none.
int find_descriptor(const std::string& path) {
    struct stat wanted {};
    if (stat(path.c_str(), &wanted) != 0) {
        return -1;
    }
    int descriptor = -1;
    for_each_name("/proc/self/fd", [&](const std::string& name) {
        int number = -1;
        struct stat found {};
        std::from_chars(name.data(), name.data() + name.size(), number);
        if (number >= 0 && fstat(number, &found) == 0 && S_ISCHR(found.st_mode) && found.st_rdev == wanted.st_rdev) {
            descriptor = number;
        }
    });
    return descriptor;
}

}  // namespace

void OpenedCamera::find(const std::string& path) {
    descriptor_ = find_descriptor(path);
}

void OpenedCamera::wait(std::chrono::milliseconds most) const {
    constexpr std::chrono::milliseconds pause{2};
    pollfd waiting{descriptor_, POLLIN, 0};
    const int ready = poll(&waiting, 1, static_cast<int>(most.count()));
    if (ready < 0 || (ready > 0 && (waiting.revents & POLLIN) == 0)) {
        std::this_thread::sleep_for(pause);  // in error: reading tells, or it passes
    }
}

void OpenedCamera::make_own(AVPacket& packet) {
    PacketPtr copy = make_packet();
    if (av_new_packet(copy.get(), packet.size) < 0) {
        throw std::bad_alloc();
    }
    if (packet.size > 0) {
        std::copy_n(packet.data, packet.size, copy->data);
    }
    av_check(av_packet_copy_props(copy.get(), &packet), "av_packet_copy_props");
    av_packet_unref(&packet);
    av_packet_move_ref(&packet, copy.get());
}

}  // namespace vfilter
