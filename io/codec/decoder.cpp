#include "io/codec/decoder.h"

namespace vfilter {

namespace {

// Before memory is taken for a decoder of such pictures.
DecodingSetup checked_setup(const Demuxer& input, int stream, int clip) {
    DecodingSetup setup = decoding_setup(input, stream, clip);
    check_size(setup.codec->width, setup.codec->height, setup.max_pixels);
    return setup;
}

}  // namespace

bool has_independent_packets(const AVStream& stream) {
    const AVCodecDescriptor* const codec = avcodec_descriptor_get(stream.codecpar->codec_id);
    return stream.codecpar->codec_id == AV_CODEC_ID_WRAPPED_AVFRAME ||
           (codec != nullptr && (codec->props & AV_CODEC_PROP_INTRA_ONLY) != 0);
}

Decoder::Decoder(const Demuxer& input, int stream, FramePool& pool, int threads, bool strict, Clip which)
    : ledger_(input, stream, strict, which), decoding_(checked_setup(input, stream, which.number), pool, threads) {}

void Decoder::send(const AVPacket* packet) {
    if (packet != nullptr) {
        sent_.push_back(reference_to(*packet));
    }
    decoding_.send(packet);
}

FramePtr Decoder::receive() {
    DecodedPicture next;
    const bool there = decoding_.receive(next);
    for (; accounted_ < decoding_.known(); ++accounted_) {
        ledger_.sent(*sent_.front());
        sent_.pop_front();
    }
    for (std::int64_t i = 0; i < next.refused; ++i) {
        ledger_.refused();
    }
    if (there) {
        ledger_.received(*next.picture, next.complaints, next.complaint);
    } else {
        ledger_.complained(next.complaints, next.complaint);
    }
    if (decoding_.ended()) {
        ledger_.ended();
    }
    return std::move(next.picture);
}

}  // namespace vfilter
