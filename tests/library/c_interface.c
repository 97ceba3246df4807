/* The C interface as C11 sees it: what is wrong first, or NULL. */
#include "tests/library/c_interface.h"

#include <string.h>

#include "vfilter/vfilter.h"

static const char* filtered(vfilter_context* context) {
    static unsigned char source[7][12];
    static unsigned char result[7][12];
    memset(source, 100, sizeof source);
    memset(result, 0, sizeof result);
    vfilter_format format = VFILTER_FORMAT_INIT;
    format.depth = 8;
    format.channels = 3;
    format.components[0] = VFILTER_RED;
    format.components[1] = VFILTER_GREEN;
    format.components[2] = VFILTER_BLUE;
    vfilter_picture from = VFILTER_PICTURE_INIT;
    from.data = source;
    from.width = 4;
    from.height = 7;
    from.channels = 3;
    from.pixel_pitch = 3;
    from.row_pitch = 12;
    from.channel_pitch = 1;
    vfilter_picture to = from;
    to.data = result;

    vfilter_operation* operation = NULL;
    if (vfilter_operation_create(context, "gaussian", "5:border=wrap", &format, &operation) != VFILTER_OK) {
        return vfilter_error_text();
    }
    const vfilter_status status = vfilter_run(operation, &from, &to, NULL);
    vfilter_operation_destroy(operation);
    if (status != VFILTER_OK) {
        return vfilter_error_text();
    }
    return memcmp(source, result, sizeof source) == 0 ? NULL : "a flat picture did not stay flat";
}

static const char* refused(vfilter_context* context) {
    vfilter_format format = VFILTER_FORMAT_INIT;
    format.depth = 8;
    format.channels = 1;
    vfilter_operation* operation = NULL;
    if (vfilter_operation_create(context, "gausian", NULL, &format, &operation) != VFILTER_ERROR_ARGUMENT) {
        return "a filter that is not there was made";
    }
    if (operation != NULL) {
        return "there is an operation after an error";
    }
    return strstr(vfilter_error_text(), "'gaussian'") != NULL ? NULL : vfilter_error_text();
}

const char* use_c_interface(void) {
    if (vfilter_abi_version() != VFILTER_ABI_VERSION || vfilter_version()[0] == '\0') {
        return "another version";
    }
    vfilter_context* context = NULL;
    if (vfilter_context_create(2, NULL, &context) != VFILTER_OK) {
        return vfilter_error_text();
    }
    const char* wrong = filtered(context);
    if (wrong == NULL) {
        wrong = refused(context);
    }
    vfilter_context_destroy(context);
    vfilter_context_destroy(NULL);
    vfilter_operation_destroy(NULL);
    return wrong;
}
