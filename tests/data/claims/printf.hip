// coordinate-argument
#include <hip/hip_runtime.h>
__global__ void k() { printf("%u", threadIdx.x); }
