// Textures and surfaces: every way beyond the border, filters, formats, shapes, and copies from and to arrays.
#include <hip/hip_runtime.h>

#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
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

__global__ void plane(hipTextureObject_t image, const float2 *at, float *out, int n) {
    const int i = threadIdx.x;
    if (i < n) out[i] = tex2D<float>(image, at[i].x, at[i].y);
}

__global__ void line(hipTextureObject_t image, const float2 *at, float *out, int n) {
    const int i = threadIdx.x;
    if (i < n) out[i] = tex1D<float>(image, at[i].x);
}

__global__ void bytes(hipTextureObject_t image, int4 *out) {
    const uchar4 texel = tex2D<uchar4>(image, threadIdx.x, 0.0f);
    out[threadIdx.x] = make_int4(texel.x, texel.y, texel.z, texel.w);
}

__global__ void shorts(hipTextureObject_t image, int2 *out) {
    const short2 texel = tex1Dfetch<short2>(image, threadIdx.x);
    out[threadIdx.x] = make_int2(texel.x, texel.y);
}

__global__ void twice(hipSurfaceObject_t surface, int width, int height) {
    const int x = threadIdx.x, y = threadIdx.y;
    int value = -1;
    surf2Dread(&value, surface, x * 4, y);
    // Beyond the border nothing is written.
    surf2Dwrite(2 * value, surface, x * 4, y < height - 1 ? y : y + 100);
}

// Of the first column. The compiler packs coordinates that have 16 bits into halves of registers.
__global__ void picked(hipSurfaceObject_t surface, const unsigned short *rows, int *out) {
    int value = -1;
    surf2Dread(&value, surface, 0, rows[threadIdx.x]);
    out[threadIdx.x] = value;
}

// gfx90a has neither volumes nor layers.
#if !defined(__gfx90a__)
__global__ void volume(hipTextureObject_t image, const float4 *at, float *out, int n) {
    const int i = threadIdx.x;
    if (i < n) out[i] = tex3D<float>(image, at[i].x, at[i].y, at[i].z);
}

__global__ void layers(hipTextureObject_t image, const float4 *at, float *out, int n) {
    const int i = threadIdx.x;
    if (i < n) out[i] = tex2DLayered<float>(image, at[i].x, at[i].y, static_cast<int>(at[i].z));
}

__global__ void voxel(hipSurfaceObject_t surface, const ushort2 *at, float *out) {
    float value = -1;
    surf3Dread(&value, surface, 0, at->x, at->y);
    *out = value;
}
#else
__global__ void voxel(hipSurfaceObject_t, const ushort2 *, float *) {}
__global__ void volume(hipTextureObject_t, const float4 *, float *, int) {}
__global__ void layers(hipTextureObject_t, const float4 *, float *, int) {}
#endif

static hipTextureObject_t bound(const hipResourceDesc &resource, hipTextureAddressMode border, bool linear,
                                  bool normalized, float colour = 0.0f) {
    hipTextureDesc description;
    std::memset(&description, 0, sizeof description);
    for (auto &mode : description.addressMode) mode = border;
    description.filterMode = linear ? hipFilterModeLinear : hipFilterModePoint;
    description.normalizedCoords = normalized;
    description.borderColor[0] = colour;
    hipTextureObject_t object;
    CHECK(hipCreateTextureObject(&object, &resource, &description, nullptr));
    hipTextureDesc read;
    CHECK(hipGetTextureObjectTextureDesc(&read, object));
    EXPECT(std::memcmp(&read, &description, sizeof read) == 0);
    return object;
}

static hipResourceDesc of(hipArray_t array) {
    hipResourceDesc resource;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = hipResourceTypeArray;
    resource.res.array.array = array;
    return resource;
}

template <typename At> std::vector<float> sampled(void (*kernel)(hipTextureObject_t, const At *, float *, int),
                                                  hipTextureObject_t image, const std::vector<At> &at) {
    At *places;
    float *out;
    CHECK(hipMallocManaged((void **)&places, at.size() * sizeof(At)));
    CHECK(hipMallocManaged((void **)&out, at.size() * sizeof(float)));
    std::memcpy(places, at.data(), at.size() * sizeof(At));
    kernel<<<1, 64>>>(image, places, out, static_cast<int>(at.size()));
    CHECK(hipDeviceSynchronize());
    std::vector<float> found(out, out + at.size());
    CHECK(hipFree(places));
    CHECK(hipFree(out));
    CHECK(hipDestroyTextureObject(image));
    return found;
}

static void borders() {
    // Texel (x, y) is x + 10 y.
    const int width = 4, height = 3;
    std::vector<float> pixels;
    for (int i = 0; i < width * height; ++i) pixels.push_back(i % width + 10.0f * (i / width));
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    hipArray_t array;
    CHECK(hipMallocArray(&array, &format, width, height, hipArrayDefault));
    CHECK(hipMemcpyToArray(array, 0, 0, pixels.data(), pixels.size() * 4, hipMemcpyHostToDevice));
    const hipResourceDesc resource = of(array);
    // Beyond each side, in texels.
    const std::vector<float2> places = {{0.5f, 0.5f}, {-0.5f, 1.5f}, {-1.5f, 1.5f}, {4.5f, 1.5f}, {1.5f, -1.5f}, {1.5f, 4.5f}};
    std::vector<float2> fractions;
    for (float2 at : places) fractions.push_back({at.x / width, at.y / height});
    using Floats = std::vector<float>;
    EXPECT(sampled(plane, bound(resource, hipAddressModeClamp, false, false), places) == (Floats{0, 10, 10, 13, 1, 21}));
    EXPECT(sampled(plane, bound(resource, hipAddressModeClamp, false, true), fractions) == (Floats{0, 10, 10, 13, 1, 21}));
    EXPECT(sampled(plane, bound(resource, hipAddressModeWrap, false, true), fractions) == (Floats{0, 13, 12, 10, 11, 11}));
    EXPECT(sampled(plane, bound(resource, hipAddressModeMirror, false, true), fractions) == (Floats{0, 10, 11, 13, 11, 11}));
    EXPECT(sampled(plane, bound(resource, hipAddressModeBorder, false, false, 7.0f), places) == (Floats{0, 7, 7, 7, 7, 7}));
    // Repetition without coordinates from 0 to 1 is none.
    EXPECT(sampled(plane, bound(resource, hipAddressModeWrap, false, false), places) == (Floats{0, 10, 10, 13, 1, 21}));
    // Mixed: between two, between four, half beyond the border, and between the ends of a repeated image.
    const std::vector<float2> between = {{1.0f, 0.5f}, {1.0f, 1.0f}, {0.0f, 0.5f}, {1.75f, 0.5f}};
    EXPECT(sampled(plane, bound(resource, hipAddressModeClamp, true, false), between) == (Floats{0.5f, 5.5f, 0, 1.25f}));
    EXPECT(sampled(plane, bound(resource, hipAddressModeBorder, true, false, 8.0f), between) == (Floats{0.5f, 5.5f, 4, 1.25f}));
    std::vector<float2> parts;
    for (float2 at : between) parts.push_back({at.x / width, at.y / height});
    EXPECT(sampled(plane, bound(resource, hipAddressModeWrap, true, true), parts)[2] == 1.5f);
    CHECK(hipFreeArray(array));
    EXPECT(hipFreeArray(array) != hipSuccess);
}

static void lines() {
    std::vector<float> pixels = {1, 2, 4, 8, 16};
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    hipArray_t array;
    CHECK(hipMallocArray(&array, &format, pixels.size()));
    CHECK(hipMemcpy2DToArray(array, 0, 0, pixels.data(), 20, 20, 1, hipMemcpyHostToDevice));
    const std::vector<float2> at = {{0.5f, 0}, {4.5f, 0}, {9.0f, 0}, {3.0f, 0}};
    EXPECT(sampled(line, bound(of(array), hipAddressModeClamp, true, false), at) == (std::vector<float>{1, 16, 16, 6}));
    CHECK(hipFreeArray(array));
}

static void formats() {
    unsigned char pixels[4][4] = {{1, 2, 3, 4}, {255, 0, 128, 7}, {9, 8, 7, 6}, {0, 0, 0, 255}};
    hipChannelFormatDesc format = hipCreateChannelDesc<uchar4>();
    hipArray_t array;
    CHECK(hipMallocArray(&array, &format, 4, 1));
    CHECK(hipMemcpy2DToArray(array, 0, 0, pixels, 16, 16, 1, hipMemcpyHostToDevice));
    hipChannelFormatDesc found;
    hipExtent extent;
    unsigned flags;
    CHECK(hipArrayGetInfo(&found, &extent, &flags, array));
    EXPECT(found.x == 8 && found.w == 8 && found.f == hipChannelFormatKindUnsigned && extent.width == 4 && extent.height == 1);
    int4 *out;
    CHECK(hipMallocManaged((void **)&out, 64 * sizeof *out));
    hipTextureObject_t object = bound(of(array), hipAddressModeClamp, false, false);
    bytes<<<1, 4>>>(object, out);
    CHECK(hipDeviceSynchronize());
    for (int i = 0; i < 4; ++i) EXPECT(out[i].x == pixels[i][0] && out[i].y == pixels[i][1] && out[i].w == pixels[i][3]);
    CHECK(hipDestroyTextureObject(object));
    CHECK(hipFreeArray(array));

    // Linear memory, read by number; beyond its end there is zero.
    short *memory;
    CHECK(hipMallocManaged((void **)&memory, 64));
    for (int i = 0; i < 32; ++i) memory[i] = static_cast<short>(100 - 10 * i);
    hipResourceDesc resource;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = hipResourceTypeLinear;
    resource.res.linear.devPtr = memory;
    resource.res.linear.desc = hipCreateChannelDesc<short2>();
    resource.res.linear.sizeInBytes = 64;
    object = bound(resource, hipAddressModeClamp, false, false);
    int2 *pairs = reinterpret_cast<int2 *>(out);
    shorts<<<1, 20>>>(object, pairs);
    CHECK(hipDeviceSynchronize());
    EXPECT(pairs[0].x == 100 && pairs[0].y == 90 && pairs[15].x == -200 && pairs[15].y == -210 && pairs[16].x == 0);
    CHECK(hipDestroyTextureObject(object));

    // Memory in rows.
    float *rows;
    size_t pitch;
    CHECK(hipMallocPitch((void **)&rows, &pitch, 12, 2));
    const float content[6] = {1, 2, 3, 4, 5, 6};
    CHECK(hipMemcpy2D(rows, pitch, content, 12, 12, 2, hipMemcpyHostToDevice));
    std::memset(&resource, 0, sizeof resource);
    resource.resType = hipResourceTypePitch2D;
    resource.res.pitch2D.devPtr = rows;
    resource.res.pitch2D.desc = hipCreateChannelDesc<float>();
    resource.res.pitch2D.width = 3;
    resource.res.pitch2D.height = 2;
    resource.res.pitch2D.pitchInBytes = pitch;
    const std::vector<float2> at = {{2.5f, 0.5f}, {0.5f, 1.5f}, {1.0f, 1.0f}};
    EXPECT(sampled(plane, bound(resource, hipAddressModeClamp, true, false), at) == (std::vector<float>{3, 4, 3}));
    CHECK(hipFree(rows));
    CHECK(hipFree(memory));
    CHECK(hipFree(out));
}

static void surfaces() {
    const int width = 5, height = 4;
    std::vector<int> values(width * height), back(values.size());
    for (int i = 0; i < width * height; ++i) values[i] = i;
    hipChannelFormatDesc format = hipCreateChannelDesc<int>();
    hipArray_t array, copy;
    CHECK(hipMallocArray(&array, &format, width, height, hipArraySurfaceLoadStore));
    CHECK(hipMallocArray(&copy, &format, width, height));
    CHECK(hipMemcpy2DToArray(array, 0, 0, values.data(), width * 4, width * 4, height, hipMemcpyHostToDevice));
    const hipResourceDesc resource = of(array);
    hipSurfaceObject_t surface;
    CHECK(hipCreateSurfaceObject(&surface, &resource));
    twice<<<1, dim3(width, height)>>>(surface, width, height);
    CHECK(hipDeviceSynchronize());
    const unsigned short places[4] = {0, 2, 3, 4};
    unsigned short *at;
    int *found;
    CHECK(hipMallocManaged((void **)&at, sizeof places));
    CHECK(hipMallocManaged((void **)&found, 4 * sizeof *found));
    std::memcpy(at, places, sizeof places);
    picked<<<1, 4>>>(surface, at, found);
    CHECK(hipDeviceSynchronize());
    EXPECT(found[0] == 0 && found[1] == 20 && found[2] == 15 && found[3] == 0);
    CHECK(hipFree(at));
    CHECK(hipFree(found));
    CHECK(hipDestroySurfaceObject(surface));
    CHECK(hipMemcpy2DArrayToArray(copy, 0, 0, array, 0, 0, width * 4, height, hipMemcpyDeviceToDevice));
    CHECK(hipMemcpyFromArray(back.data(), copy, 0, 0, back.size() * 4, hipMemcpyDeviceToHost));
    for (int i = 0; i < width * height; ++i) EXPECT(back[i] == (i / width < height - 1 ? 2 * i : i));
    // A part that leaves the array is refused.
    EXPECT(hipMemcpy2DToArray(array, 4, 0, values.data(), width * 4, width * 4, 1, hipMemcpyHostToDevice) != hipSuccess);
    CHECK(hipFreeArray(array));
    CHECK(hipFreeArray(copy));
}

// Texel (x, y, z) is x + 10 y + 100 z.
static hipArray_t filled(hipExtent extent, unsigned flags) {
    std::vector<float> values;
    for (size_t i = 0; i < extent.width * extent.height * extent.depth; ++i) {
        const size_t plane = extent.width * extent.height;
        values.push_back(i % extent.width + 10.0f * (i % plane / extent.width) + 100.0f * (i / plane));
    }
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    hipArray_t array;
    CHECK(hipMalloc3DArray(&array, &format, extent, flags));
    hipMemcpy3DParms copy;
    std::memset(&copy, 0, sizeof copy);
    copy.srcPtr = make_hipPitchedPtr(values.data(), extent.width * 4, extent.width, extent.height);
    copy.dstArray = array;
    copy.extent = extent;
    copy.kind = hipMemcpyHostToDevice;
    CHECK(hipMemcpy3D(&copy));
    float one = 0;
    std::memset(&copy, 0, sizeof copy);
    copy.srcArray = array;
    copy.srcPos = make_hipPos(1, 2, 1);
    copy.dstPtr = make_hipPitchedPtr(&one, 4, 1, 1);
    copy.extent = make_hipExtent(1, 1, 1);
    copy.kind = hipMemcpyDeviceToHost;
    CHECK(hipMemcpy3D(&copy));
    EXPECT(one == 121.0f);
    return array;
}

static void volumes() {
    const hipExtent extent = make_hipExtent(4, 3, 2);
    hipArray_t array = filled(extent, hipArrayDefault);
    const std::vector<float4> at = {{0.5f, 0.5f, 0.5f, 0}, {3.5f, 2.5f, 1.5f, 0}, {9, 9, 9, 0}, {1.5f, 1.5f, 1.0f, 0}};
    EXPECT(sampled(volume, bound(of(array), hipAddressModeClamp, true, false), at) == (std::vector<float>{0, 123, 123, 61}));
    const hipResourceDesc resource = of(array);
    hipSurfaceObject_t surface;
    CHECK(hipCreateSurfaceObject(&surface, &resource));
    ushort2 *place;
    float *found;
    CHECK(hipMallocManaged((void **)&place, sizeof *place));
    CHECK(hipMallocManaged((void **)&found, sizeof *found));
    *place = make_ushort2(2, 1);
    voxel<<<1, 1>>>(surface, place, found);
    CHECK(hipDeviceSynchronize());
    EXPECT(*found == 120);
    CHECK(hipFree(place));
    CHECK(hipFree(found));
    CHECK(hipDestroySurfaceObject(surface));
    CHECK(hipFreeArray(array));
    array = filled(extent, hipArrayLayered);
    const std::vector<float4> of_layers = {{0.5f, 0.5f, 0, 0}, {1.0f, 2.5f, 1, 0}, {1.5f, 0.5f, 5, 0}};
    EXPECT(sampled(layers, bound(of(array), hipAddressModeClamp, true, false), of_layers) ==
           (std::vector<float>{0, 120.5f, 101}));
    CHECK(hipFreeArray(array));
}

static int attribute(hipDeviceAttribute_t which) {
    int value = -1;
    CHECK(hipDeviceGetAttribute(&value, which, 0));
    return value;
}

// What programs ask before they make a texture. Source of the sizes: AMD's answers in issue 11874 of ROCm/rocm-systems.
static void limits(const hipDeviceProp_t& properties) {
    EXPECT(properties.maxTexture1D == 16384 && properties.maxTexture1DLinear >= 1 << 27);
    EXPECT(properties.maxTexture2D[0] == 16384 && properties.maxTexture2D[1] == 16384);
    EXPECT(properties.maxSurface2D[0] == 16384 && properties.maxSurface2D[1] == 16384);
    const bool has_volumes = std::strncmp(properties.gcnArchName, "gfx90a", 6) != 0;
    EXPECT(properties.maxTexture3D[2] == (has_volumes ? 8192 : 0));
    EXPECT(properties.maxTexture2DLayered[2] == (has_volumes ? 2048 : 0));
    EXPECT(properties.maxSurface2DLayered[0] == (has_volumes ? 2048 : 0) && properties.maxTextureCubemap == 0);
    EXPECT(attribute(hipDeviceAttributeMaxTexture1DWidth) == properties.maxTexture1D);
    EXPECT(attribute(hipDeviceAttributeMaxTexture1DLinear) == properties.maxTexture1DLinear);
    EXPECT(attribute(hipDeviceAttributeMaxTexture2DWidth) == properties.maxTexture2D[0]);
    EXPECT(attribute(hipDeviceAttributeMaxTexture2DHeight) == properties.maxTexture2D[1]);
    EXPECT(attribute(hipDeviceAttributeMaxTexture2DLinear) == properties.maxTexture2DLinear[0]);
    EXPECT(attribute(hipDeviceAttributeMaxTexture2DLayered) == properties.maxTexture2DLayered[0]);
    EXPECT(attribute(hipDeviceAttributeMaxTexture3DDepth) == properties.maxTexture3D[2]);
    EXPECT(attribute(hipDeviceAttributeMaxSurface1D) == properties.maxSurface1D);
    EXPECT(attribute(hipDeviceAttributeMaxSurface2D) == properties.maxSurface2D[0]);
    EXPECT(attribute(hipDeviceAttributeMaxSurface3D) == properties.maxSurface3D[0]);
    EXPECT(attribute(hipDeviceAttributeMaxSurface2DLayered) == properties.maxSurface2DLayered[0]);
    EXPECT(attribute(hipDeviceAttributeMaxSurfaceCubemapLayered) == properties.maxSurfaceCubemapLayered[0]);
}

static HIP_TEXTURE_DESC by_the_driver(unsigned flags) {
    HIP_TEXTURE_DESC description;
    std::memset(&description, 0, sizeof description);
    for (auto& mode : description.addressMode) mode = HIP_TR_ADDRESS_MODE_CLAMP;
    description.filterMode = HIP_TR_FILTER_MODE_POINT;
    description.flags = flags;
    return description;
}

static hipTextureObject_t created(const HIP_RESOURCE_DESC& resource, const HIP_TEXTURE_DESC& description) {
    hipTextureObject_t object;
    CHECK(hipTexObjectCreate(&object, &resource, &description, nullptr));
    HIP_TEXTURE_DESC read;
    CHECK(hipTexObjectGetTextureDesc(&read, object));
    EXPECT(std::memcmp(&read, &description, sizeof read) == 0);
    HIP_RESOURCE_DESC same;
    CHECK(hipTexObjectGetResourceDesc(&same, object));
    EXPECT(std::memcmp(&same, &resource, sizeof same) == 0);
    return object;
}

// The same objects by the descriptions of the driver's interface.
static void driver_objects() {
    const std::vector<float2> places = {{0.5f, 0.5f}, {1.5f, 1.5f}, {9, 0.5f}};
    HIP_RESOURCE_DESC resource;
    std::memset(&resource, 0, sizeof resource);
    const float pixels[] = {1, 2, 3, 4};
    hipChannelFormatDesc format = hipCreateChannelDesc<float>();
    hipArray_t array;
    CHECK(hipMallocArray(&array, &format, 2, 2, hipArrayDefault));
    CHECK(hipMemcpyToArray(array, 0, 0, pixels, sizeof pixels, hipMemcpyHostToDevice));
    resource.resType = HIP_RESOURCE_TYPE_ARRAY;
    resource.res.array.hArray = array;
    EXPECT(sampled(plane, created(resource, by_the_driver(0)), places) == (std::vector<float>{1, 4, 2}));
    // With coordinates from 0 to 1.
    const std::vector<float2> fractions = {{0.25f, 0.25f}, {0.75f, 0.75f}, {2, 0.25f}};
    const HIP_TEXTURE_DESC normalized = by_the_driver(HIP_TRSF_NORMALIZED_COORDINATES);
    EXPECT(sampled(plane, created(resource, normalized), fractions) == (std::vector<float>{1, 4, 2}));
    CHECK(hipFreeArray(array));

    // Bytes in rows are fractions of 255 unless a flag says that they are integers.
    unsigned char* rows;
    CHECK(hipMallocManaged((void**)&rows, 512));
    rows[0] = 51;
    rows[1] = 102;
    rows[256] = 0;
    rows[257] = 255;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = HIP_RESOURCE_TYPE_PITCH2D;
    resource.res.pitch2D.devPtr = rows;
    resource.res.pitch2D.format = HIP_AD_FORMAT_UNSIGNED_INT8;
    resource.res.pitch2D.numChannels = 1;
    resource.res.pitch2D.width = resource.res.pitch2D.height = 2;
    resource.res.pitch2D.pitchInBytes = 256;
    EXPECT(sampled(plane, created(resource, by_the_driver(0)), places) == (std::vector<float>{0.2f, 1, 0.4f}));
    CHECK(hipFree(rows));

    short* pairs;
    CHECK(hipMallocManaged((void**)&pairs, 4 * sizeof(short)));
    for (int i = 0; i < 4; ++i) pairs[i] = 100 - 70 * i;
    std::memset(&resource, 0, sizeof resource);
    resource.resType = HIP_RESOURCE_TYPE_LINEAR;
    resource.res.linear.devPtr = pairs;
    resource.res.linear.format = HIP_AD_FORMAT_SIGNED_INT16;
    resource.res.linear.numChannels = 2;
    resource.res.linear.sizeInBytes = 4 * sizeof(short);
    const hipTextureObject_t object = created(resource, by_the_driver(HIP_TRSF_READ_AS_INTEGER));
    int2* out;
    CHECK(hipMallocManaged((void**)&out, 2 * sizeof(int2)));
    shorts<<<1, 2>>>(object, out);
    CHECK(hipDeviceSynchronize());
    EXPECT(out[0].x == 100 && out[0].y == 30 && out[1].x == -40 && out[1].y == -110);
    CHECK(hipTexObjectDestroy(object));
    EXPECT(hipTexObjectGetTextureDesc(nullptr, object) != hipSuccess);
    // None of these is a format.
    resource.res.linear.format = static_cast<hipArray_Format>(7);
    const HIP_TEXTURE_DESC description = by_the_driver(0);
    hipTextureObject_t none;
    EXPECT(hipTexObjectCreate(&none, &resource, &description, nullptr) == hipErrorInvalidValue);
    CHECK(hipFree(pairs));
    CHECK(hipFree(out));
}

int main() {
    driver_objects();
    borders();
    lines();
    formats();
    surfaces();
    hipDeviceProp_t properties;
    CHECK(hipGetDeviceProperties(&properties, 0));
    limits(properties);
    if (std::strncmp(properties.gcnArchName, "gfx90a", 6) != 0) volumes();
    std::printf("PASS\n");
    return 0;
}
