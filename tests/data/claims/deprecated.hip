// What the headers mark as deprecated, by release: compiled with such warnings as errors.
#include <hip/hip_runtime.h>

hipError_t d4(void** memory) { return hipMallocHost(memory, 64); } //~ refused
hipError_t d5(void** memory) { return hipMemAllocHost(memory, 64); } //~ refused
hipError_t d6(void** memory) { return hipHostAlloc(memory, 64, hipHostMallocDefault); } //~ refused: 5.7
hipError_t d7(void* memory) { return hipFreeHost(memory); } //~ refused: 5.7
hipError_t d8(hipArray* array, void* from) { return hipMemcpyToArray(array, 0, 0, from, 64, hipMemcpyHostToDevice); } //~ refused
hipError_t d9(hipArray* array, void* to) { return hipMemcpyFromArray(to, array, 0, 0, 64, hipMemcpyDeviceToHost); } //~ refused
hipError_t d10(void** memory) { return hipHostMalloc(memory, 64, hipHostMallocDefault); }
hipError_t d11(void* memory) { return hipHostFree(memory); }
