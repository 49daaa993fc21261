// Memory pools and allocations in the order of streams. Prints PASS, or what is wrong.
#include <hip/hip_runtime.h>

#include <cstdint>
#include <cstdio>

static int failures = 0;

#define CHECK(condition)                                                   \
    do {                                                                   \
        if (!(condition)) {                                                \
            std::printf("line %d: %s\n", __LINE__, #condition);            \
            ++failures;                                                    \
        }                                                                  \
    } while (0)
#define OK(call) CHECK((call) == hipSuccess)

static uint64_t told(hipMemPool_t pool, hipMemPoolAttr attribute) {
    uint64_t value = 77;
    OK(hipMemPoolGetAttribute(pool, attribute, &value));
    return value;
}

__global__ void fill(int *values, int value) { values[threadIdx.x] = value; }

static void usage() {
    hipMemPoolProps properties = {};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location.type = hipMemLocationTypeDevice;
    hipMemPool_t pool;
    OK(hipMemPoolCreate(&pool, &properties));
    hipStream_t stream;
    OK(hipStreamCreate(&stream));
    int *first, *second, host[64];
    OK(hipMallocFromPoolAsync((void **)&first, 4096, pool, stream));
    OK(hipMallocFromPoolAsync((void **)&second, 1024, pool, stream));
    CHECK(told(pool, hipMemPoolAttrUsedMemCurrent) == 5120);
    fill<<<1, 64, 0, stream>>>(first, 5);
    OK(hipMemcpyAsync(host, first, sizeof host, hipMemcpyDeviceToHost, stream));
    OK(hipFreeAsync(first, stream));
    OK(hipStreamSynchronize(stream));
    CHECK(host[63] == 5);
    CHECK(told(pool, hipMemPoolAttrUsedMemCurrent) == 1024 && told(pool, hipMemPoolAttrUsedMemHigh) == 5120);
    uint64_t zero = 0, one = 1;
    CHECK(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &one) == hipErrorInvalidValue);
    CHECK(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemCurrent, &zero) == hipErrorInvalidValue);
    OK(hipMemPoolSetAttribute(pool, hipMemPoolAttrUsedMemHigh, &zero));
    CHECK(told(pool, hipMemPoolAttrUsedMemHigh) == 1024);
    OK(hipMemPoolSetAttribute(pool, hipMemPoolAttrReleaseThreshold, &one));
    CHECK(told(pool, hipMemPoolAttrReleaseThreshold) == 1);
    // Memory of a pool may be freed as any other.
    OK(hipFree(second));
    CHECK(told(pool, hipMemPoolAttrUsedMemCurrent) == 0);
    OK(hipMemPoolTrimTo(pool, 0));
    OK(hipMemPoolDestroy(pool));
    OK(hipStreamDestroy(stream));
}

static void pools_of_the_device() {
    hipMemPoolProps properties = {};
    properties.allocType = hipMemAllocationTypePinned;
    properties.location.type = hipMemLocationTypeDevice;
    hipMemPool_t from_start, own, now;
    OK(hipDeviceGetDefaultMemPool(&from_start, 0));
    OK(hipDeviceGetMemPool(&now, 0));
    CHECK(now == from_start);
    OK(hipMemPoolCreate(&own, &properties));
    OK(hipDeviceSetMemPool(0, own));
    OK(hipDeviceGetMemPool(&now, 0));
    CHECK(now == own);
    OK(hipDeviceGetDefaultMemPool(&now, 0));
    CHECK(now == from_start);
    void *memory;
    OK(hipMallocAsync(&memory, 640, nullptr));
    CHECK(told(own, hipMemPoolAttrUsedMemCurrent) == 640 && told(from_start, hipMemPoolAttrUsedMemCurrent) == 0);
    OK(hipFreeAsync(memory, nullptr));
    OK(hipDeviceSynchronize());
    CHECK(told(own, hipMemPoolAttrUsedMemCurrent) == 0);
    OK(hipDeviceSetMemPool(0, from_start));
    void *huge = nullptr;
    CHECK(hipMallocAsync(&huge, size_t(1) << 60, nullptr) == hipErrorOutOfMemory);
    CHECK(hipFreeAsync(nullptr, nullptr) == hipErrorInvalidValue);
}

int main() {
    usage();
    pools_of_the_device();
    std::puts(failures == 0 ? "PASS" : "FAIL");
    return failures != 0;
}
