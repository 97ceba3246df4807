#include "pipeline/engine/cuda_decoding.h"

#include <cuda.h>
#include <cuda_runtime_api.h>

extern "C" {
#include <libavutil/hwcontext.h>
#include <libavutil/hwcontext_cuda.h>
#include <libavutil/pixdesc.h>
}

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <new>
#include <optional>

#include "config/error.h"
#include "kernels/cuda/driver.h"
#include "kernels/cuda/surface/surface.h"
#include "pipeline/engine/cuda_device.h"
#include "pipeline/engine/cuda_pictures.h"
#include "pipeline/engine/nvdec_library.h"

namespace vfilter {

namespace {

CUcontext current_context() {
    const auto get = cuda::driver_function<decltype(&cuCtxGetCurrent)>("cuCtxGetCurrent");
    CUcontext context = nullptr;
    return get != nullptr && get(&context) == CUDA_SUCCESS ? context : nullptr;
}

CudaStream make_stream() {
    cudaStream_t stream = nullptr;
    start_check(cudaStreamCreateWithFlags(&stream, cudaStreamNonBlocking), "cudaStreamCreateWithFlags");
    return CudaStream(stream);
}

}  // namespace

class CudaSurfaces : public DecodeSurfaces {
public:
    explicit CudaSurfaces(const CudaDecoding& decoding) : decoding_(decoding) {
        start_check(cudaSetDevice(decoding.device_), "cudaSetDevice");
        start_check(cudaFree(nullptr), "cudaFree");
        stream_ = make_stream();
        context_ = av_hwdevice_ctx_alloc(AV_HWDEVICE_TYPE_CUDA);
        if (context_ == nullptr) {
            throw Error(ExitCode::device, "this FFmpeg was built without NVIDIA's decoders");
        }
        auto* const own =
            static_cast<AVCUDADeviceContext*>(reinterpret_cast<AVHWDeviceContext*>(context_->data)->hwctx);
        own->cuda_ctx = current_context();
        own->stream = stream_.get();
        if (const int made = av_hwdevice_ctx_init(context_); own->cuda_ctx == nullptr || made < 0) {
            av_buffer_unref(&context_);
            throw Error(ExitCode::device, fmt::format("FFmpeg cannot use the GPU: {}", av_message(made)));
        }
    }
    ~CudaSurfaces() override {
        cudaStreamSynchronize(stream_.get());
        av_buffer_unref(&context_);
    }
    CudaSurfaces(const CudaSurfaces&) = delete;
    CudaSurfaces& operator=(const CudaSurfaces&) = delete;

    [[nodiscard]] AVBufferRef* context() const override { return context_; }
    [[nodiscard]] std::string doubt(const AVFrame& surface) override {
        run_check(cudaSetDevice(decoding_.device_), "cudaSetDevice");
        const std::optional<bool> concealed = NvdecLibrary::concealed(surface);
        return !concealed   ? "with this FFmpeg nobody can tell whether the GPU's picture is whole"
               : *concealed ? "a damaged picture, which the GPU concealed"
                            : "";
    }
    // NVDEC has samples of 10 bits in those of 16, or says what it has.
    [[nodiscard]] bool holds(const AVFrame& surface, const PictureKind& kind) const override {
        if (surface.hw_frames_ctx == nullptr) {
            return false;
        }
        const auto* const frames = reinterpret_cast<const AVHWFramesContext*>(surface.hw_frames_ctx->data);
        const AVPixFmtDescriptor* const from = av_pix_fmt_desc_get(frames->sw_format);
        const AVPixFmtDescriptor* const to = av_pix_fmt_desc_get(kind.format);
        constexpr int all_bits = 16;
        return from != nullptr && to != nullptr && from->nb_components == to->nb_components &&
               from->log2_chroma_w == to->log2_chroma_w && from->log2_chroma_h == to->log2_chroma_h &&
               (from->comp[0].depth == to->comp[0].depth || (from->comp[0].depth == all_bits && to->comp[0].depth > 8));
    }
    [[nodiscard]] FramePtr take(const AVFrame& surface, const PictureKind& kind, FramePool& pool,
                                bool resident) override;

private:
    const CudaDecoding& decoding_;
    CudaStream stream_;
    AVBufferRef* context_ = nullptr;
};

FramePtr CudaSurfaces::take(const AVFrame& surface, const PictureKind& kind, FramePool& pool, bool resident) {
    run_check(cudaSetDevice(decoding_.device_), "cudaSetDevice");
    const auto* const frames = reinterpret_cast<const AVHWFramesContext*>(surface.hw_frames_ctx->data);
    const AVPixFmtDescriptor* const from = av_pix_fmt_desc_get(frames->sw_format);
    const AVPixFmtDescriptor* const to = av_pix_fmt_desc_get(kind.format);
    const std::shared_ptr<CudaPictures> pictures = decoding_.pictures(kind);
    FramePtr picture = pictures->lend(stream_.get());
    const int bytes = to->comp[0].depth > 8 ? 2 : 1;
    std::array<cuda::SurfacePlane, cuda::max_surface_planes> planes{};
    std::size_t count = 0;
    for (const PlaneLayout& layout : pictures->planes()) {
        // Planes of what is decoded are in the order of components, one in each.
        const AVComponentDescriptor& c = from->comp[count];
        const int shift_x = count > 0 ? from->log2_chroma_w : 0;
        const int shift_y = count > 0 ? from->log2_chroma_h : 0;
        const std::ptrdiff_t pitch = surface.linesize[c.plane];
        const auto left = static_cast<std::ptrdiff_t>(surface.crop_left >> shift_x);
        const auto top = static_cast<std::ptrdiff_t>(surface.crop_top >> shift_y);
        const int offset = c.plane > 0 && c.step > bytes ? c.offset / bytes * bytes : 0;
        planes.at(count++) = {surface.data[c.plane] + top * pitch + left * c.step + offset,
                              pitch,
                              c.step / bytes,
                              picture->data[layout.index],
                              picture->linesize[layout.index],
                              layout.width,
                              layout.height};
    }
    // P010 and the like have their samples in the upper bits, and formats of 16 bits, too.
    const int shift = bytes == 2 ? 16 - to->comp[0].depth : 0;
    try {
        cuda::unpack_surface({planes.data(), count}, bytes, shift, stream_.get());
    } catch (const CudaError& error) {
        fail_while_running(error);
    }
    const auto props = [&](AVFrame& made) {
        av_check(av_frame_copy_props(&made, &surface), "av_frame_copy_props");
        made.crop_left = made.crop_top = made.crop_right = made.crop_bottom = 0;
    };
    props(*picture);
    if (resident) {
        run_check(cudaEventRecord(CudaPictures::ready(*picture), stream_.get()), "cudaEventRecord");
        return picture;
    }
    FramePtr host = make_frame();
    host->format = kind.format;
    host->width = kind.width;
    host->height = kind.height;
    pool.fill(*host, kind.width, kind.height);
    props(*host);
    for (const PlaneLayout& layout : pictures->planes()) {
        download_plane(*host, *picture, layout, stream_.get());
    }
    run_check(cudaStreamSynchronize(stream_.get()), "cudaStreamSynchronize");
    return host;
}

CudaDecoding::CudaDecoding(int device) : device_(device) {
    const CudaDevice usable(device, 1);  // or says why not
    if (!NvdecLibrary::loaded()) {
        throw Error(ExitCode::device, "the driver's library of decoders, libnvcuvid.so.1, is not there");
    }
}

int CudaDecoding::engines(AVCodecID codec, const PictureKind& kind) const {
    start_check(cudaSetDevice(device_), "cudaSetDevice");
    return hardware_decoder(codec, *this) == nullptr ? 0 : NvdecLibrary::engines(codec, kind).value_or(0);
}

std::size_t CudaDecoding::memory() const {
    constexpr std::size_t most = std::size_t{4} << 30U;
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    start_check(cudaSetDevice(device_), "cudaSetDevice");
    start_check(cudaMemGetInfo(&free_bytes, &total_bytes), "cudaMemGetInfo");
    return std::min(most, free_bytes / 4);
}

std::unique_ptr<DecodeSurfaces> CudaDecoding::make_surfaces() const {
    return std::make_unique<CudaSurfaces>(*this);
}

std::shared_ptr<CudaPictures> CudaDecoding::pictures(const PictureKind& kind) const {
    const std::lock_guard lock(mutex_);
    if (!pictures_ || !(kind_ == kind)) {
        kind_ = kind;
        pictures_ = std::make_shared<CudaPictures>(device_, kind);
    }
    return pictures_;
}

}  // namespace vfilter
