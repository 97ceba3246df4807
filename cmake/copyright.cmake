# vfilter_copyright(FILE PACKAGE...): writes a copyright file of vfilter and of the packages whose code is compiled into what it
# is installed with: headers and static libraries, whose licences want to be handed on. Each package's own is its
# distribution's (/usr/share/doc/PACKAGE/copyright); where there is none, a line names the package.
function(vfilter_copyright file)
  file(READ ${PROJECT_SOURCE_DIR}/LICENSE text)
  foreach(package IN LISTS ARGN)
    set(licence /usr/share/doc/${package}/copyright)
    string(APPEND text "\n\n${package}\n\nContains code of this package. ")
    if(EXISTS ${licence})
      file(READ ${licence} own)
      string(APPEND text "Its licence:\n\n${own}")
    else()
      string(APPEND text "Its licence is that of its source.\n")
    endif()
  endforeach()
  if(VFILTER_WITH_CUDA)
    string(APPEND text "\n\nCUDA runtime\n\nContains NVIDIA's CUDA runtime (cudart_static), © NVIDIA Corporation, which the End "
      "User License Agreement of the\nCUDA Toolkit allows to be distributed with programs: https://docs.nvidia.com/cuda/eula/\n")
  endif()
  file(WRITE ${file} "${text}")
endfunction()
