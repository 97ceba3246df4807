# Everything comes from the distribution; scripts/setup.sh installs it. Headers of others are system headers: their
# warnings are not ours.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

pkg_check_modules(FFMPEG REQUIRED IMPORTED_TARGET
  libavformat>=59.16 libavcodec>=59.18 libavutil>=57.17 libswscale>=6.4)
pkg_check_modules(HIGHWAY REQUIRED IMPORTED_TARGET libhwy)
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)

# Debian 12 puts the header right below concurrentqueue/, Debian 13 below concurrentqueue/moodycamel/.
find_path(CONCURRENTQUEUE_DIR concurrentqueue.h PATH_SUFFIXES concurrentqueue/moodycamel concurrentqueue REQUIRED)
add_library(vfilter_concurrentqueue INTERFACE)
target_include_directories(vfilter_concurrentqueue SYSTEM INTERFACE ${CONCURRENTQUEUE_DIR})

# OpenCV's CMake package is part of libopencv-dev alone, which drags in two hundred packages; two modules are enough.
find_path(OPENCV_DIR opencv2/core.hpp PATH_SUFFIXES opencv4 REQUIRED)
foreach(module core imgproc)
  find_library(OPENCV_${module} opencv_${module} REQUIRED)
  add_library(vfilter_opencv_${module} INTERFACE)
  target_include_directories(vfilter_opencv_${module} SYSTEM INTERFACE ${OPENCV_DIR})
  target_link_libraries(vfilter_opencv_${module} INTERFACE ${OPENCV_${module}})
endforeach()
