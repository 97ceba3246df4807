#include "io/device_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <mutex>

#include "io/compat.h"

namespace vfilter {

void load_device_library(const std::string& wanted) {
    static std::mutex mutex;
    static bool loaded = false;
    const std::lock_guard lock(mutex);
    if (loaded) {
        return;
    }
    const std::string name = fmt::format("libavdevice.so.{}", device_library_major);
    // Never closed: libavformat keeps pointers into it.
    void* const library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
    void* const symbol = library != nullptr ? dlsym(library, "avdevice_register_all") : nullptr;
    if (symbol == nullptr) {
        throw Error(
            ExitCode::input,
            fmt::format("{}: {}, which it needs, cannot be loaded; the package is libavdevice{} (Debian, Ubuntu)",
                        wanted, name, device_library_major));
    }
    reinterpret_cast<void (*)()>(symbol)();
    loaded = true;
}

}  // namespace vfilter
