#pragma once

#ifdef __cplusplus
extern "C" {
#endif

/* What is wrong with the C interface, or NULL. */
const char* use_c_interface(void);

#ifdef __cplusplus
}
#endif
