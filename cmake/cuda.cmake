# VFILTER_CUDA=AUTO|ON|OFF -> VFILTER_WITH_CUDA: whether the CUDA engine is built. The runtime is linked statically and
# loads the driver by itself, so one program runs with and without a GPU.

set(VFILTER_WITH_CUDA OFF)
if(NOT VFILTER_CUDA MATCHES "^(AUTO|ON|OFF)$")
  message(FATAL_ERROR "VFILTER_CUDA is AUTO, ON or OFF, not '${VFILTER_CUDA}'")
endif()
set(oldest_nvcc 12.4)  # C++20, and machine code compressed to a third
if(VFILTER_CUDA STREQUAL "AUTO" AND VFILTER_SANITIZE)
  message(STATUS "CUDA: left out, as the sanitizers are for the host's code")
elseif(NOT VFILTER_CUDA STREQUAL "OFF")
  # Machine code for Turing, Ampere, Ada and Hopper; newer GPUs compile the last one's PTX. 8.6 and 8.9 have no instruction
  # that we would use and 8.0 lacks, so their code is made from 8.0's PTX, which takes three quarters of the time. What uses
  # no more than Turing has is made for all from Turing's: the same machine code in half the time (compared for 8.0 and 9.0).
  # The least and greatest of three, which medians are made of, are one instruction from 9.0 on.
  set(default_architectures 75-real 80-real 90)
  set(CMAKE_CUDA_ARCHITECTURES ${default_architectures} CACHE STRING "GPUs to compile for, beside 8.6 and 8.9")
  if(CMAKE_CUDA_ARCHITECTURES STREQUAL "${default_architectures}")
    set(code_of_8_6 --generate-code=arch=compute_80,code=sm_86 --generate-code=arch=compute_80,code=sm_89)
    set(VFILTER_CODE_OF_EACH_GPU --generate-code=arch=compute_75,code=sm_75 --generate-code=arch=compute_80,code=sm_80
      ${code_of_8_6} "--generate-code=arch=compute_90,code=[compute_90,sm_90]")
    set(VFILTER_CODE_OF_TURING_AND_HOPPER "--generate-code=arch=compute_75,code=[sm_75,sm_80,sm_86,sm_89]"
      "--generate-code=arch=compute_90,code=[compute_90,sm_90]")
    set(VFILTER_CODE_OF_TURING "--generate-code=arch=compute_75,code=[compute_75,sm_75,sm_80,sm_86,sm_89,sm_90]")
  endif()
  include(CheckLanguage)
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit)
    if(CUDAToolkit_FOUND AND CMAKE_CUDA_COMPILER_VERSION VERSION_GREATER_EQUAL ${oldest_nvcc})
      set(VFILTER_WITH_CUDA ON)
      # CMake 3.25 (Debian 12) does not know that nvcc has C++20.
      set(CMAKE_CUDA20_STANDARD_COMPILE_OPTION -std=c++20)
      set(CMAKE_CUDA20_EXTENSION_COMPILE_OPTION -std=c++20)
    elseif(NOT CUDAToolkit_FOUND)
      set(why "nvcc ${CMAKE_CUDA_COMPILER_VERSION} was found without the rest of its toolkit, such as libcudart")
    else()
      set(why "nvcc ${CMAKE_CUDA_COMPILER_VERSION} is too old: ${oldest_nvcc} or newer is needed")
    endif()
  else()
    set(why "no CUDA compiler was found: put nvcc on PATH or set CUDACXX")
  endif()
  if(NOT VFILTER_WITH_CUDA)
    if(VFILTER_CUDA STREQUAL "ON")
      message(FATAL_ERROR "VFILTER_CUDA=ON, but ${why}")
    endif()
    message(STATUS "CUDA: left out, as ${why}")
  endif()
endif()
message(STATUS "CUDA engine: ${VFILTER_WITH_CUDA}")
