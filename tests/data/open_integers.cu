// Shifts by all bits and numbers that do not fit, which C++ leaves open.
#include <cstdio>
#include <cooperative_groups.h>
#include <cuda_runtime.h>

namespace cg = cooperative_groups;

#define LANES 32
#define BELOW(n) (0xffffffffu >> (32 - (n)))

template <int W> __device__ unsigned lanes_of() { return (1u << W) - 1; }

__global__ void shifts(int n, unsigned low, unsigned high, int width) {
    auto group = cg::coalesced_threads();
    unsigned present = (1u << group.size()) - 1;
    unsigned voted = __ballot_sync((1u << warpSize) - 1, threadIdx.x & 1);
    if (threadIdx.x != 0) return;
    unsigned turned = (low >> n) | (low << (32 - n)), mixed = (low >> n) ^ (low << (32 - n));
    unsigned window = (low >> n) | (high << (32 - n)), sum = low + n >> (warpSize - n), shifted = high;
    shifted <<= 32 - n;
    printf("%d: %x %x %x %x %x\n", n, present, voted, (1u << LANES) - 1, lanes_of<32>(), lanes_of<5>());
    printf("  %x %x %x %x %x %x\n", turned, mixed, window, sum, shifted, BELOW(n));
    printf("  %x %x %x\n", (1u << width) - 1, (1 << __popc(low)) - 1, 1u << (32 - __clz(high)));
    int rest = 32 - n;
    printf("  %x %d %x\n", ~0u << rest, -5 >> (32 - n), (1u << rest) - 1);
}

struct Pixel {
    unsigned char red;
    short blue;
};

__device__ unsigned char quantised(float x) { return x; }

__global__ void places(const float *in) {
    int i = threadIdx.x;
    float x = in[i];
    Pixel pixel;
    pixel.red = x;
    pixel.blue = x;
    unsigned char sum = 1;
    sum += x;
    auto made = [=]() -> unsigned char { return x; };
    printf("%d: %d %d %d %d %d\n", i, quantised(x), pixel.red, pixel.blue, sum, made());
}

__global__ void casts(const float *in, const double *wide, unsigned char *bytes, uchar4 *pixels) {
    int i = threadIdx.x;
    unsigned char implied = in[i];
    short kept = wide[i];
    bytes[i] = in[i];
    pixels[i] = make_uchar4(in[i], in[i] + 1.0f, 0, 1);
    pixels[i].z = in[i] * 2.0f;
    int plain = (unsigned char)in[i], cast = static_cast<signed char>(in[i]), made = (unsigned short)wide[i];
    printf("%d: %d %d %d %d %d %d", i, plain, cast, made, implied + 1, kept, (char)wide[i]);
    printf(" %d %d %d %d\n", bytes[i], pixels[i].x, pixels[i].y, pixels[i].z);
}

int main() {
    const int counts[] = {0, 1, 5, 31};
    for (int n : counts) shifts<<<1, 32>>>(n, 0x80000001u + n, 0xc0000000u, 32 - n);
    shifts<<<1, 32>>>(0, 0xffffffffu, 0x12345678u, 8);
    cudaDeviceSynchronize();
    const float values[] = {300.0f, -1.0f, -300.0f, 1e10f, -1e10f, 70000.0f, -70000.0f, 255.5f,
                            -0.5f,  128.0f, -129.0f, 40000.0f, 3e9f, 0.0f / 1.0f, 1e30f, -1e30f};
    const int count = sizeof values / sizeof *values;
    float *in;
    double *wide;
    unsigned char *bytes;
    uchar4 *pixels;
    cudaMallocManaged(&in, count * sizeof *in);
    cudaMallocManaged(&wide, count * sizeof *wide);
    cudaMallocManaged(&bytes, count);
    cudaMallocManaged(&pixels, count * sizeof *pixels);
    for (int i = 0; i < count; ++i) {
        in[i] = values[i];
        wide[i] = values[i];
    }
    casts<<<1, count>>>(in, wide, bytes, pixels);
    places<<<1, count>>>(in);
    cudaDeviceSynchronize();
}
