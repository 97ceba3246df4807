// Whoever looks into packets, before a decoder does: entries, ranges, the headers of HEVC.

#include <optional>

#include "io/bitstream/hevc_headers.h"
#include "io/bitstream/hevc_order.h"
#include "io/bitstream/random_access.h"
#include "io/codec/decoding_run.h"
#include "io/codec/ranged/range_cutter.h"
#include "tests/fuzz/fuzz.h"

namespace vfilter::fuzz {

namespace {

constexpr AVCodecID codecs[] = {AV_CODEC_ID_H264, AV_CODEC_ID_HEVC, AV_CODEC_ID_VP8, AV_CODEC_ID_VP9};

void set_extradata(AVCodecParameters& codec, std::span<const std::uint8_t> bytes) {
    codec.extradata = static_cast<std::uint8_t*>(av_mallocz(bytes.size() + AV_INPUT_BUFFER_PADDING_SIZE));
    codec.extradata_size = static_cast<int>(bytes.size());
    std::copy(bytes.begin(), bytes.end(), codec.extradata);
}

// A packet: how its time differs from the last one's, a byte of flags, how long it is.
PacketPtr packet_of(Reader& reader, std::int64_t& time) {
    time += static_cast<std::int8_t>(reader.byte());
    const std::uint8_t flags = reader.byte();
    const std::span<const std::uint8_t> bytes = reader.bytes(static_cast<std::size_t>(reader.byte()) * 4 + 1);
    PacketPtr packet = make_packet();
    demand(av_new_packet(packet.get(), static_cast<int>(bytes.size())) >= 0, "memory for a packet");
    std::copy(bytes.begin(), bytes.end(), packet->data);
    packet->pts = (flags & 1U) != 0 ? AV_NOPTS_VALUE : time;
    packet->flags = (flags & 2U) != 0 ? AV_PKT_FLAG_KEY : 0;
    if ((flags & 4U) != 0) {
        const std::span<const std::uint8_t> extradata = reader.short_bytes();
        std::uint8_t* const data = av_packet_new_side_data(packet.get(), AV_PKT_DATA_NEW_EXTRADATA,
                                                           std::max<std::size_t>(extradata.size(), 1));
        demand(data != nullptr, "memory for side data");
        std::copy(extradata.begin(), extradata.end(), data);
    }
    return packet;
}

}  // namespace

}  // namespace vfilter::fuzz

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    using namespace vfilter;
    using namespace vfilter::fuzz;
    Reader reader(data, size);
    const ParametersPtr codec(avcodec_parameters_alloc());
    codec->codec_type = AVMEDIA_TYPE_VIDEO;
    codec->codec_id = codecs[reader.byte() % std::size(codecs)];
    set_extradata(*codec, reader.short_bytes());

    RandomAccess access(*codec);
    RangeCutter cutter(*codec);
    std::optional<HevcHeaders> headers;
    HevcOrder order;
    if (codec->codec_id == AV_CODEC_ID_HEVC) {
        headers.emplace();
        headers->read_extradata(codec->extradata, static_cast<std::size_t>(codec->extradata_size));
    }
    std::int64_t time = 0;
    int ranges = 0;
    int ended = 0;
    for (std::int64_t number = 0; !reader.empty(); ++number) {
        const PacketPtr packet = packet_of(reader, time);
        static_cast<void>(access.begins_at(*packet));
        const Cut cut = cutter.next(*packet);
        demand(!cut.begins || cut.start->size >= packet->size, "a range begins with a whole packet");
        demand(cut.begins || ranges > 0, "the first packet begins a range");
        ranges += cut.begins ? 1 : 0;
        ended += cut.ends_before ? 1 : 0;
        demand(ended < ranges, "a range ends once, after the next one has begun");
        demand(!cut.also_before || ranges > 1, "there is a range before");
        if (headers) {
            const std::vector<HevcSlice> slices = headers->read(*packet);
            for (const HevcSlice& slice : slices) {
                demand(slice.trees >= 0 && slice.tree >= 0 && slice.count >= 0, "numbers of a slice");
            }
            if (order.counts_anew(slices)) {
                order.begin_anew();
            }
            order.begun(slices, number);
            if (number % 2 == 1) {
                order.came_out(number - 1);
            }
        }
    }
    return 0;
}
