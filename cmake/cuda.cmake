# VFILTER_CUDA=AUTO|ON|OFF -> VFILTER_WITH_CUDA. The CUDA engine itself is not written yet: what is decided here is
# whether its room will be built.

set(VFILTER_WITH_CUDA OFF)
if(NOT VFILTER_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "VFILTER_CUDA is AUTO, ON or OFF, not '${VFILTER_CUDA}'")
endif()
if(NOT VFILTER_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    set(VFILTER_WITH_CUDA ON)
  elseif(VFILTER_CUDA STREQUAL "ON")
    message(FATAL_ERROR "VFILTER_CUDA=ON, but no CUDA compiler was found: put nvcc on PATH or set CUDACXX")
  endif()
endif()
message(STATUS "CUDA toolkit: ${VFILTER_WITH_CUDA}")
