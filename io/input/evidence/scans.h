#pragma once
// All scans. container_scan.cpp has the table that assigns them to demuxers.

#include <memory>

#include "io/input/evidence/container_scan.h"

namespace vfilter {

std::unique_ptr<ContainerScan> make_apng_scan();
std::unique_ptr<ContainerScan> make_asf_scan();
std::unique_ptr<ContainerScan> make_avi_scan();
std::unique_ptr<ContainerScan> make_dv_scan();
std::unique_ptr<ContainerScan> make_flic_scan();
std::unique_ptr<ContainerScan> make_flv_scan();
std::unique_ptr<ContainerScan> make_gif_scan();
std::unique_ptr<ContainerScan> make_gxf_scan();
std::unique_ptr<ContainerScan> make_ivf_scan();
std::unique_ptr<ContainerScan> make_jpeg_scan();
std::unique_ptr<ContainerScan> make_matroska_scan();
std::unique_ptr<ContainerScan> make_mp4_scan();
std::unique_ptr<ContainerScan> make_mpegps_scan();
std::unique_ptr<ContainerScan> make_mpegts_scan();
std::unique_ptr<ContainerScan> make_mxf_scan();
std::unique_ptr<ContainerScan> make_nut_scan();
std::unique_ptr<ContainerScan> make_ogg_scan();
std::unique_ptr<ContainerScan> make_pcx_scan();
std::unique_ptr<ContainerScan> make_qoi_scan();
std::unique_ptr<ContainerScan> make_rm_scan();
std::unique_ptr<ContainerScan> make_roq_scan();
std::unique_ptr<ContainerScan> make_smjpeg_scan();
std::unique_ptr<ContainerScan> make_sun_raster_scan();
std::unique_ptr<ContainerScan> make_tiff_scan();
std::unique_ptr<ContainerScan> make_y4m_scan();

}  // namespace vfilter
