// References of textures: bound to a line, to rows, to an array; bound again; let go. And images read as halves.
#include <hip/hip_runtime.h>
#include <hip/hip_fp16.h>

#include <cstdio>
#include <cstdlib>
#include <vector>

#define CHECK(call) check((call), #call, __LINE__)

static void check(hipError_t error, const char *what, int line) {
    if (error == hipSuccess) return;
    std::printf("line %d: %s: %s\n", line, what, hipGetErrorName(error));
    std::exit(1);
}

static void expect(bool holds, const char *what, int line) {
    if (holds) return;
    std::printf("line %d: %s\n", line, what);
    std::exit(1);
}
#define EXPECT(condition) expect((condition), #condition, __LINE__)

texture<float4, 1, hipReadModeElementType> of_line;
texture<unsigned char, 2, hipReadModeNormalizedFloat> of_rows;
texture<float, 2> of_array;

__global__ void fetch(float *out) {
    const float4 texel = tex1Dfetch(of_line, threadIdx.x);
    out[threadIdx.x] = texel.x + 10 * texel.w;
}

__global__ void rows(float *out) { out[threadIdx.x] = tex2D(of_rows, threadIdx.x + 0.5f, 1.5f); }

__global__ void array(float *out) { out[threadIdx.x] = tex2D(of_array, threadIdx.x * 0.5f + 0.5f, 0.5f); }

// The compiler lets the image give halves.
__global__ void halves(hipTextureObject_t image, __half2 *out) {
    const float2 texel = tex2D<float2>(image, threadIdx.x + 0.5f, 0.5f);
    out[threadIdx.x] = __floats2half2_rn(texel.x, texel.y);
}

__global__ void half_of_four(hipTextureObject_t image, __half *out) {
    out[threadIdx.x] = __float2half(tex2D<float4>(image, threadIdx.x + 0.5f, 0.5f).z);
}

static std::vector<float> read(void (*kernel)(float *), int count) {
    float *out;
    CHECK(hipMallocManaged((void **)&out, count * sizeof(float)));
    kernel<<<1, count>>>(out);
    CHECK(hipDeviceSynchronize());
    const std::vector<float> values(out, out + count);
    CHECK(hipFree(out));
    return values;
}

static void line() {
    float4 *texels;
    CHECK(hipMallocManaged((void **)&texels, 64 * sizeof(float4)));
    for (int i = 0; i < 64; ++i) texels[i] = make_float4(i, 0, 0, 2 * i);
    size_t rest = 7;
    CHECK(hipBindTexture(&rest, of_line, texels, 3 * sizeof(float4)));
    // Beyond the bound bytes there is nothing.
    EXPECT(rest == 0 && read(fetch, 4) == (std::vector<float>{0, 21, 42, 0}));
    // A whole allocation, from an address in it.
    CHECK(hipBindTexture(nullptr, of_line, texels + 16));
    EXPECT(read(fetch, 2) == (std::vector<float>{16 * 21, 17 * 21}));
    CHECK(hipBindTexture(&rest, of_line, texels + 17, sizeof(float4)));
    EXPECT(rest == sizeof(float4) && read(fetch, 3) == (std::vector<float>{16 * 21, 17 * 21, 0}));
    EXPECT(hipBindTexture(nullptr, of_line, texels + 17, sizeof(float4)) == hipErrorInvalidValue);
    EXPECT(hipBindTexture(nullptr, of_line, texels + 16, 64 * sizeof(float4)) == hipErrorInvalidValue);
    CHECK(hipUnbindTexture(of_line));
    CHECK(hipUnbindTexture(of_line));
    CHECK(hipFree(texels));
    const textureReference *known = nullptr;
    CHECK(hipGetTextureReference(&known, &of_line));
    EXPECT(known == &of_line);
    EXPECT(hipGetTextureReference(&known, &known) == hipErrorInvalidSymbol);
}

static void in_rows() {
    unsigned char *bytes;
    CHECK(hipMallocManaged((void **)&bytes, 512));
    bytes[256] = 51;
    bytes[257] = 255;
    const hipChannelFormatDesc format = hipCreateChannelDesc<unsigned char>();
    CHECK(hipBindTexture2D(nullptr, of_rows, bytes, format, 2, 2, 256));
    EXPECT(read(rows, 3) == (std::vector<float>{0.2f, 1, 1}));
    CHECK(hipUnbindTexture(of_rows));
    CHECK(hipFree(bytes));
}

static void in_array() {
    const float values[4] = {1, 2, 4, 8};
    const hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    hipArray_t array_of_two;
    CHECK(hipMallocArray(&array_of_two, &format, 2, 2));
    CHECK(hipMemcpy2DToArray(array_of_two, 0, 0, values, 8, 8, 2, hipMemcpyHostToDevice));
    CHECK(hipBindTextureToArray(of_array, array_of_two, format));
    EXPECT(read(array, 3) == (std::vector<float>{1, 2, 2}));
    // What the reference says counts when it is bound.
    of_array.filterMode = hipFilterModeLinear;
    EXPECT(read(array, 3) == (std::vector<float>{1, 2, 2}));
    CHECK(hipBindTextureToArray(of_array, array_of_two));
    EXPECT(read(array, 3) == (std::vector<float>{1, 1.5f, 2}));
    CHECK(hipFreeArray(array_of_two));
}

static void as_halves() {
    hipTextureDesc description = {};
    description.filterMode = hipFilterModePoint;
    float4 *texels;
    CHECK(hipMallocManaged((void **)&texels, 256));
    texels[0] = make_float4(1.5f, -2, 65504, 1);
    texels[1] = make_float4(0.1f, 3, 1e6f, 1);
    hipResourceDesc resource = {};
    resource.resType = hipResourceTypePitch2D;
    resource.res.pitch2D.devPtr = texels;
    resource.res.pitch2D.width = 2;
    resource.res.pitch2D.height = 1;
    resource.res.pitch2D.pitchInBytes = 256;
    __half *out;
    CHECK(hipMallocManaged((void **)&out, 4 * sizeof(__half)));
    hipTextureObject_t image;
    resource.res.pitch2D.desc = hipCreateChannelDesc<float2>();
    CHECK(hipCreateTextureObject(&image, &resource, &description, nullptr));
    halves<<<1, 2>>>(image, reinterpret_cast<__half2 *>(out));
    CHECK(hipDeviceSynchronize());
    EXPECT(__half2float(out[0]) == 1.5f && __half2float(out[1]) == -2 && __half2float(out[2]) == 65504);
    CHECK(hipDestroyTextureObject(image));
    resource.res.pitch2D.desc = hipCreateChannelDesc<float4>();
    CHECK(hipCreateTextureObject(&image, &resource, &description, nullptr));
    half_of_four<<<1, 2>>>(image, out);
    CHECK(hipDeviceSynchronize());
    EXPECT(__half2float(out[0]) == 65504 && __half2float(out[1]) > 65504);
    CHECK(hipDestroyTextureObject(image));
    CHECK(hipFree(out));
    CHECK(hipFree(texels));
}

int main() {
    line();
    in_rows();
    in_array();
    as_halves();
    std::printf("PASS\n");
    return 0;
}
