// libvfilter without CUDA.

#include "library/devices.h"

#include <utility>

#include "library/failure.h"

namespace vfilter {

class DeviceMemory {};
class DeviceChain {};

namespace {

[[noreturn]] void no_cuda() {
    throw Failure(VFILTER_ERROR_UNSUPPORTED, "device memory: this libvfilter was built without CUDA");
}

}  // namespace

std::shared_ptr<DeviceMemory> make_device_memory() {
    return nullptr;
}

int device_of(const void* /*data*/) {
    return -1;
}
void* device_allocate(const std::shared_ptr<DeviceMemory>& /*memory*/, int /*device*/, void* /*stream*/,
                      std::size_t /*bytes*/) {
    no_cuda();
}
void device_free(const std::shared_ptr<DeviceMemory>& /*memory*/, void* /*data*/) {}
void stream_follow(int /*device*/, void* /*stream*/, void* /*earlier*/) {
    no_cuda();
}
void stream_wait(int /*device*/, void* /*stream*/) {
    no_cuda();
}

Devices::Devices(std::shared_ptr<const Plan> plan, std::shared_ptr<DeviceMemory> memory)
    : plan_(std::move(plan)), memory_(std::move(memory)) {}
Devices::~Devices() = default;

void Devices::run(const Sources& /*from*/, const Pictures& /*to*/, const Pictures* /*mask*/, void* /*stream*/) const {
    no_cuda();
}

void Devices::prepare(const Pictures& /*like*/) const {
    no_cuda();
}

}  // namespace vfilter
