// What programs begin with.
#include <hip/hip_runtime.h>
