#include "io/input/evidence/container_scan.h"

#include <algorithm>
#include <utility>

#include "io/input/evidence/behind_end.h"
#include "io/input/evidence/scans.h"

namespace vfilter {

namespace {

constexpr std::size_t max_faults = 64;
constexpr std::int64_t max_judged = 10000;  // faults: what follows is no longer worth the work
constexpr std::size_t read_size = 64 * 1024;

struct Row {
    std::string_view demuxer;
    std::unique_ptr<ContainerScan> (*make)();
};

constexpr Row scans[] = {
    {"mov,mp4,m4a,3gp,3g2,mj2", make_mp4_scan},
    {"matroska,webm", make_matroska_scan},
    {"avi", make_avi_scan},
    {"ogg", make_ogg_scan},
    {"flv", make_flv_scan},
    {"live_flv", make_flv_scan},
    {"mpegts", make_mpegts_scan},
    {"mpeg", make_mpegps_scan},
    {"gif", make_gif_scan},
    {"yuv4mpegpipe", make_y4m_scan},
    {"ivf", make_ivf_scan},
    {"asf", make_asf_scan},
    {"apng", make_apng_scan},
    {"dv", make_dv_scan},
    {"mxf", make_mxf_scan},
    {"nut", make_nut_scan},
    {"rm", make_rm_scan},
    {"tiff_pipe", make_tiff_scan},
    {"jpeg_pipe", make_jpeg_scan},
    {"jpegls_pipe", make_jpeg_scan},
    {"pcx_pipe", make_pcx_scan},
    {"qoi_pipe", make_qoi_scan},
    {"sunrast_pipe", make_sun_raster_scan},
    {"gxf", make_gxf_scan},
    {"roq", make_roq_scan},
    {"smjpeg", make_smjpeg_scan},
    {"flic", make_flic_scan},
    {"image2", make_jpeg_scan},  // of one without an end, and others that it says nothing of
};

}  // namespace

void ContainerScan::search_on(Bytes window, std::size_t repeated) {
    if (window.size() < search_window) {
        return stop();
    }
    wish_for(here() + signed_value(search_window - repeated), search_window);
}

void ContainerScan::look_behind(BehindEnd& behind, Bytes window) {
    if (!behind.read(here(), window)) {
        return stop();
    }
    search_on(window, 0);
}

void ContainerScan::fault(std::int64_t offset, std::string_view what) {
    ++fault_count_;
    if (faults_.size() < max_faults) {
        faults_.push_back({offset, std::string(what)});
    }
}

void ContainerScan::fault_rare(const std::vector<std::int64_t>& places, std::int64_t most, std::string_view what) {
    if (signed_value(places.size()) > most) {
        return;
    }
    for (const std::int64_t place : places) {
        fault(place, what);
    }
}

void ContainerScan::fault_behind(const BehindEnd& behind, std::string_view what) {
    if (behind.matters()) {
        fault(behind.at(), what);
    }
}

TrackEvidence* ContainerScan::track(std::int64_t id) {
    const auto found = std::ranges::find(tracks_, id, &TrackEvidence::id);
    return found == tracks_.end() ? nullptr : &*found;
}

TrackEvidence* ContainerScan::track_of(TrackEvidence::Kind kind, std::int64_t id) {
    TrackEvidence* const known = track(id);
    return known != nullptr ? known : add_track(kind, id);
}

TrackEvidence* ContainerScan::add_track(TrackEvidence::Kind kind, std::int64_t id) {
    if (tracks_.size() >= max_tracks) {
        return nullptr;
    }
    TrackEvidence& added = tracks_.emplace_back();
    added.kind = kind;
    added.id = id;
    return &added;
}

std::unique_ptr<ContainerScan> make_container_scan(std::string_view demuxer) {
    const auto row = std::ranges::find(scans, demuxer, &Row::demuxer);
    return row == std::end(scans) ? nullptr : row->make();
}

ScanFeeder::ScanFeeder(std::unique_ptr<ContainerScan> scan) : scan_(std::move(scan)) {
    look_ahead();
}

ContainerScan::Wish ScanFeeder::wish() const {
    return scan_->fault_count() < max_judged ? scan_->wish() : ContainerScan::Wish{};
}

// Forgets what lies before the wish, and sets next_.
void ScanFeeder::look_ahead() {
    const ContainerScan::Wish wanted = wish();
    const std::int64_t collected_end = collected_at_ + static_cast<std::int64_t>(collected_.size());
    if (wanted.size == 0 || wanted.offset >= collected_end) {
        collected_.clear();
        collected_at_ = wanted.offset;
    }
    next_ = wanted.size == 0 ? INT64_MAX : collected_at_ + static_cast<std::int64_t>(collected_.size());
}

// Called where bytes holds the byte at next_.
void ScanFeeder::give(std::int64_t offset, Bytes bytes) {
    const std::int64_t end = offset + static_cast<std::int64_t>(bytes.size());
    for (;;) {
        const ContainerScan::Wish wanted = wish();
        if (wanted.size == 0) {
            break;
        }
        if (collected_.empty()) {
            if (wanted.offset < offset || wanted.offset >= end) {
                break;
            }
            const Bytes rest = bytes.subspan(static_cast<std::size_t>(wanted.offset - offset));
            if (rest.size() >= wanted.size) {
                scan_->take(rest.first(wanted.size));
                continue;
            }
            collected_at_ = wanted.offset;
            collected_.assign(rest.begin(), rest.end());
            break;
        }
        const auto skipped = static_cast<std::size_t>(std::max<std::int64_t>(0, wanted.offset - collected_at_));
        if (skipped >= collected_.size()) {
            collected_.clear();
            continue;
        }
        const std::size_t there = collected_.size() - skipped;
        if (there < wanted.size) {
            const std::int64_t from = collected_at_ + static_cast<std::int64_t>(collected_.size());
            if (from < offset || from >= end) {
                break;
            }
            const Bytes rest = bytes.subspan(static_cast<std::size_t>(from - offset));
            if (skipped > 0) {
                collected_.erase(collected_.begin(), collected_.begin() + static_cast<std::ptrdiff_t>(skipped));
                collected_at_ = wanted.offset;
            }
            const std::size_t more = std::min(rest.size(), wanted.size - there);
            collected_.insert(collected_.end(), rest.begin(), rest.begin() + static_cast<std::ptrdiff_t>(more));
            if (more < wanted.size - there) {
                break;
            }
            scan_->take(collected_);
        } else {
            scan_->take(Bytes(collected_).subspan(skipped, wanted.size));
        }
    }
    look_ahead();
}

void ScanFeeder::finish(std::int64_t size,
                        const std::function<std::size_t(std::int64_t offset, std::span<std::uint8_t> to)>& read) {
    if (complete_) {
        return;
    }
    std::vector<std::uint8_t> buffer(read ? read_size : 0);
    while (next_ < size) {
        const std::size_t got = read ? std::min(read(next_, buffer), buffer.size()) : 0;
        if (got == 0) {
            return;
        }
        feed(next_, Bytes(buffer).first(got));
    }
    // The last wish reaches over the end. What the scan asks for after that can only be more of the same bytes.
    while (next_ != INT64_MAX && !collected_.empty()) {
        const ContainerScan::Wish wanted = wish();
        const auto skipped = static_cast<std::size_t>(std::max<std::int64_t>(0, wanted.offset - collected_at_));
        if (skipped >= collected_.size()) {
            break;
        }
        const std::size_t there = collected_.size() - skipped;
        scan_->take(Bytes(collected_).subspan(skipped, std::min(wanted.size, there)));
        const ContainerScan::Wish after = wish();
        if (after.size == 0 || (after.offset <= wanted.offset && after.size >= wanted.size)) {
            break;
        }
    }
    complete_ = true;
    next_ = INT64_MAX;
    scan_->end(size);
}

}  // namespace vfilter
