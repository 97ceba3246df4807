# All dependencies come from the distribution; scripts/setup.sh installs them. Their headers are system headers, without
# warnings.

find_package(PkgConfig REQUIRED)
find_package(Threads REQUIRED)

# On x86 its headers alone (kernels/cpu/highway.cpp); of the definitions that pkg-config names, the one for its shared library
# is left out then.
pkg_check_modules(HIGHWAY REQUIRED IMPORTED_TARGET libhwy)
set(VFILTER_HIGHWAY_LIBRARY ON)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "x86_64|AMD64")
  set(VFILTER_HIGHWAY_LIBRARY OFF)
  find_path(HIGHWAY_DIR hwy/highway.h HINTS ${HIGHWAY_INCLUDE_DIRS} REQUIRED)
  add_library(vfilter_highway INTERFACE)
  target_include_directories(vfilter_highway SYSTEM INTERFACE ${HIGHWAY_DIR})
else()
  add_library(vfilter_highway ALIAS PkgConfig::HIGHWAY)
endif()
if(NOT VFILTER_PROGRAM)
  return()
endif()

pkg_check_modules(FFMPEG REQUIRED IMPORTED_TARGET
  libavformat>=59.16 libavcodec>=59.18 libavutil>=57.17 libswscale>=6.4 libswresample>=4.7)
# Its headers: the library is opened where a graph of filters is asked for (io/graph/filter_library.h).
pkg_check_modules(LIBAVFILTER REQUIRED libavfilter>=8.24)
target_include_directories(PkgConfig::FFMPEG SYSTEM INTERFACE ${LIBAVFILTER_INCLUDE_DIRS})
find_package(CLI11 REQUIRED)
find_package(tomlplusplus REQUIRED)
find_package(fmt REQUIRED)
find_package(spdlog REQUIRED)
find_package(nlohmann_json REQUIRED)
find_package(ZLIB REQUIRED)
find_package(EXPAT REQUIRED)

# Debian 12 puts the header right below concurrentqueue/, Debian 13 below concurrentqueue/moodycamel/.
find_path(CONCURRENTQUEUE_DIR concurrentqueue.h PATH_SUFFIXES concurrentqueue/moodycamel concurrentqueue REQUIRED)
add_library(vfilter_concurrentqueue INTERFACE)
target_include_directories(vfilter_concurrentqueue SYSTEM INTERFACE ${CONCURRENTQUEUE_DIR})

# OpenCV's CMake package comes only with libopencv-dev, which pulls in two hundred packages; two modules are enough.
find_path(OPENCV_DIR opencv2/core.hpp PATH_SUFFIXES opencv4 REQUIRED)
foreach(module core imgproc)
  find_library(OPENCV_${module} opencv_${module} REQUIRED)
  add_library(vfilter_opencv_${module} INTERFACE)
  target_include_directories(vfilter_opencv_${module} SYSTEM INTERFACE ${OPENCV_DIR})
  target_link_libraries(vfilter_opencv_${module} INTERFACE ${OPENCV_${module}})
endforeach()

# VFILTER_PREVIEW=AUTO|ON|OFF -> VFILTER_WITH_PREVIEW: whether the preview's window is built, a module that is loaded only
# for --preview. The graphical libraries do not run under sanitizers.
set(VFILTER_WITH_PREVIEW OFF)
if(NOT VFILTER_PREVIEW MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "VFILTER_PREVIEW is AUTO, ON or OFF, not '${VFILTER_PREVIEW}'")
endif()
if(VFILTER_PREVIEW STREQUAL "ON" OR (VFILTER_PREVIEW STREQUAL "AUTO" AND NOT VFILTER_SANITIZE))
  find_library(OPENCV_highgui opencv_highgui)
  find_path(OPENCV_HIGHGUI_DIR opencv2/highgui.hpp PATH_SUFFIXES opencv4)
  # highgui.hpp includes the headers of the other two.
  find_path(OPENCV_VIDEOIO_DIR opencv2/videoio.hpp PATH_SUFFIXES opencv4)
  if(OPENCV_highgui AND OPENCV_HIGHGUI_DIR AND OPENCV_VIDEOIO_DIR)
    set(VFILTER_WITH_PREVIEW ON)
    add_library(vfilter_opencv_highgui INTERFACE)
    target_include_directories(vfilter_opencv_highgui SYSTEM INTERFACE ${OPENCV_HIGHGUI_DIR})
    target_link_libraries(vfilter_opencv_highgui INTERFACE ${OPENCV_highgui})
  elseif(VFILTER_PREVIEW STREQUAL "ON")
    message(FATAL_ERROR "VFILTER_PREVIEW=ON, but OpenCV's highgui was not found")
  endif()
endif()
message(STATUS "Preview window: ${VFILTER_WITH_PREVIEW}")
