#pragma once
// The emulator's cuda_device.h, under the name of CUDA's header.

#include "tests/emulator/cuda_device.h"
