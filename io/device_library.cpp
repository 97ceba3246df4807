#include "io/device_library.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <mutex>

#include "io/compat.h"

namespace vfilter {

namespace {

// Of libavdevice/avdevice.h, which is not installed with the other headers; the same in FFmpeg 5, 6 and 7.
struct DeviceInfo {
    char* name;
    char* description;
    AVMediaType* media_types;
    int media_type_count;
};
struct DeviceList {
    DeviceInfo** devices;
    int count;
    int default_device;
};

// Null if it is not installed.
void* device_library() {
    static std::mutex mutex;
    static void* library = nullptr;
    const std::lock_guard lock(mutex);
    if (library == nullptr) {
        const std::string name = fmt::format("libavdevice.so.{}", device_library_major);
        // Never closed: libavformat keeps pointers into it.
        library = dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL);
        if (void* const start = library != nullptr ? dlsym(library, "avdevice_register_all") : nullptr) {
            reinterpret_cast<void (*)()>(start)();
        }
    }
    return library;
}

std::string text_or_nothing(const char* text) {
    return text != nullptr ? text : "";
}

}  // namespace

void load_device_library(const std::string& wanted) {
    if (device_library() == nullptr) {
        throw Error(
            ExitCode::input,
            fmt::format("{}: {}, which it needs, cannot be loaded; the package is libavdevice{} (Debian, Ubuntu)",
                        wanted, fmt::format("libavdevice.so.{}", device_library_major), device_library_major));
    }
}

std::vector<FoundDevice> find_devices(const std::string& format) {
    std::vector<FoundDevice> found;
    void* const library = device_library();
    const AVInputFormat* const input = library != nullptr ? av_find_input_format(format.c_str()) : nullptr;
    void* const list = library != nullptr ? dlsym(library, "avdevice_list_input_sources") : nullptr;
    void* const free_list = library != nullptr ? dlsym(library, "avdevice_free_list_devices") : nullptr;
    if (input == nullptr || list == nullptr || free_list == nullptr) {
        return found;
    }
    DeviceList* devices = nullptr;
    using List = int (*)(const AVInputFormat*, const char*, AVDictionary*, DeviceList**);
    const int count = reinterpret_cast<List>(list)(input, nullptr, nullptr, &devices);
    for (int i = 0; i < count && devices != nullptr && i < devices->count; ++i) {
        const DeviceInfo& device = *devices->devices[i];
        found.push_back({text_or_nothing(device.name), text_or_nothing(device.description)});
    }
    reinterpret_cast<void (*)(DeviceList**)>(free_list)(&devices);
    return found;
}

}  // namespace vfilter
