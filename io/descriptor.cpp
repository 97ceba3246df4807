#include "io/descriptor.h"

#include <unistd.h>

namespace vfilter {

std::size_t read_whole(int descriptor, std::int64_t offset, std::span<std::uint8_t> to) {
    std::size_t done = 0;
    while (done < to.size()) {
        const ssize_t got = uninterrupted(
            [&] { return pread(descriptor, to.data() + done, to.size() - done, offset + static_cast<off_t>(done)); });
        if (got <= 0) {
            errno = got == 0 ? 0 : errno;
            break;
        }
        done += static_cast<std::size_t>(got);
    }
    return done;
}

std::size_t write_whole(int descriptor, std::span<const std::uint8_t> bytes) {
    std::size_t done = 0;
    while (done < bytes.size()) {
        const ssize_t wrote =
            uninterrupted([&] { return write(descriptor, bytes.data() + done, bytes.size() - done); });
        if (wrote <= 0) {
            errno = wrote == 0 ? EIO : errno;
            break;
        }
        done += static_cast<std::size_t>(wrote);
    }
    return done;
}

}  // namespace vfilter
