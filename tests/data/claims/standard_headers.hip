// Marks as in language.hip; its headers would bring some of these functions.
#include <hip/hip_runtime.h>

// missing-standard-header
__global__ void t85(int* x) { assert(x[0]); } //~ refused: 7.2
bool t86(float x) { return isnan(x) || isinf(x) || isfinite(x) || signbit(x); } //~ refused
void t87(char* x) { memcpy(x, x + 1, 1); } //~ refused: 7.2
size_t t88(char* x) { return strlen(x); } //~ refused: 7.2
