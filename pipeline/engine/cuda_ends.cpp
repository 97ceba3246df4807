// The part of CudaEngine where pictures come to the device, and what they become on the host.

#include <algorithm>

#include "pipeline/engine/cuda_engine.h"
#include "pipeline/engine/cuda_pictures.h"

namespace vfilter {

namespace {

bool is_pinned(const void* memory) {
    cudaPointerAttributes attributes{};
    return cudaPointerGetAttributes(&attributes, memory) == cudaSuccess && attributes.type == cudaMemoryTypeHost;
}

}  // namespace

FramePtr CudaEngine::on_host(const AVFrame& picture) {
    if (!is_on_device(picture)) {
        return FilterEngine::on_host(picture);
    }
    FramePtr copy = make_result_picture(format_, pool_, picture);
    CudaPictures::download(*copy, picture);
    ++counters_.downloads;
    return copy;
}

// The result shares the planes that no step filters, or has them copied from the device.
FramePtr CudaEngine::make_result(const AVFrame& from, cudaStream_t stream) {
    FramePtr to = make_result_picture(format_, pool_, from);
    int spare_buffer = 1;
    for (std::size_t i = 0; i < layouts_.size(); ++i) {
        if (std::ranges::find(active_, static_cast<int>(i)) != active_.end()) {
            continue;
        }
        if (is_on_device(from)) {
            download_plane(*to, from, layouts_[i], stream);
        } else {
            share_plane(*to, from, layouts_[i].index, spare_buffer);
        }
    }
    return to;
}

void CudaEngine::note_host_memory(const ImageLayout& layout) {
    if (known_pinned_.contains(layout.host)) {
        return;
    }
    if (is_pinned(layout.host)) {
        known_pinned_.insert(layout.host);
    } else {
        ++counters_.pageable_pictures;
    }
}

// Where the planes of a picture in the device's memory lie.
ImageLayout CudaEngine::on_device(const AVFrame& picture) const {
    ImageLayout layout;
    for (const PlaneLayout& plane : images_.planes()) {
        layout.offsets.push_back(picture.data[plane.index] - picture.data[0]);
        layout.pitches.push_back(picture.linesize[plane.index]);
    }
    return layout;
}

bool CudaEngine::stays(const AVFrame& picture) const {
    return is_on_device(picture) && windows() == 0 && CudaPictures::device(picture) == device_;
}

// From another GPU; over the host where there is no way between the two.
void CudaEngine::cross(CudaSlot& slot) {
    const int other = CudaPictures::device(*slot.source);
    if (near_.insert(other).second) {
        int can = 0;
        run_check(cudaDeviceCanAccessPeer(&can, device_, other), "cudaDeviceCanAccessPeer");
        if (can != 0 && cudaDeviceEnablePeerAccess(other, 0) != cudaSuccess) {
            cudaGetLastError();  // another engine has done so
        }
    }
    slot.begin_at(slot.image(0), images_.packed());
    slot.copy_across(*slot.source, other, device_, images_.planes());
    ++counters_.crossings;
}

// To the device, unless it is there.
void CudaEngine::bring(CudaSlot& slot, const ImageLayout& from) {
    if (!is_on_device(*slot.source)) {
        slot.begin_at(slot.image(0), from);
        note_host_memory(from);
        slot.upload(*slot.source, from, images_.planes());
        ++counters_.uploads;
    } else if (CudaPictures::device(*slot.source) != device_) {
        cross(slot);
    } else if (windows() == 0) {
        slot.begin_at(slot.source->data[0], from);
    } else {  // what windows look at stays for longer than decoders can spare their pictures
        slot.begin_at(slot.image(0), images_.packed());
        slot.copy(*slot.source, images_.planes());
    }
}

}  // namespace vfilter
