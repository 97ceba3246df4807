#pragma once
// The emulator's cuda_device.h, under the name of CUDA's header.

#include "cuda_device.h"
