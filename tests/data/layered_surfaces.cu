// Layers of surfaces are written one after the other, by one launch each, and come back as they were written: through surfaces, through
// textures, and by a copy to the host. The right values follow from their places.
#include <cstdio>
#include <cuda_runtime.h>

const int WIDTH = 20, HEIGHT = 6, LAYERS = 5;

__host__ __device__ float value(int x, int y, int layer) { return x + 100 * y + 10000 * layer; }

__global__ void write(cudaSurfaceObject_t picture, cudaSurfaceObject_t line, int layer) {
    int x = threadIdx.x, y = threadIdx.y;
    surf2DLayeredwrite(value(x, y, layer), picture, x * (int)sizeof(float), y, layer);
    float4 wide = make_float4(x, layer, x + layer, x * layer);
    if (y == 0) surf1DLayeredwrite(wide, line, x * (int)sizeof(float4), layer);
}

__global__ void read(cudaSurfaceObject_t picture, cudaTextureObject_t texture, cudaSurfaceObject_t line, int *wrong) {
    int x = threadIdx.x, y = threadIdx.y, layer = blockIdx.x;
    float byAddress = -1;
    surf2DLayeredread(&byAddress, picture, x * (int)sizeof(float), y, layer);
    float byValue = surf2DLayeredread<float>(picture, x * (int)sizeof(float), y, layer);
    float sampled = tex2DLayered<float>(texture, x + 0.5f, y + 0.5f, layer);
    float wanted = value(x, y, layer);
    if (byAddress != wanted) atomicAdd(&wrong[0], 1);
    if (byValue != wanted) atomicAdd(&wrong[1], 1);
    if (sampled != wanted) atomicAdd(&wrong[2], 1);
    float4 wide;
    surf1DLayeredread(&wide, line, x * (int)sizeof(float4), layer);
    float4 same = surf1DLayeredread<float4>(line, x * (int)sizeof(float4), layer);
    if (wide.x != x || wide.y != layer || wide.z != x + layer || wide.w != x * layer) atomicAdd(&wrong[3], 1);
    if (same.x != x || same.y != layer || same.z != x + layer || same.w != x * layer) atomicAdd(&wrong[4], 1);
}

static cudaArray_t make(cudaChannelFormatDesc format, int height) {
    cudaArray_t array = nullptr;
    cudaMalloc3DArray(&array, &format, make_cudaExtent(WIDTH, height, LAYERS), cudaArrayLayered | cudaArraySurfaceLoadStore);
    return array;
}

int main() {
    cudaArray_t picture = make(cudaCreateChannelDesc<float>(), HEIGHT), line = make(cudaCreateChannelDesc<float4>(), 0);
    cudaResourceDesc resource = {};
    resource.resType = cudaResourceTypeArray;
    resource.res.array.array = picture;
    cudaSurfaceObject_t pictureSurface, lineSurface;
    cudaCreateSurfaceObject(&pictureSurface, &resource);
    cudaTextureDesc how = {};
    how.addressMode[0] = how.addressMode[1] = cudaAddressModeClamp;
    how.filterMode = cudaFilterModePoint;
    cudaTextureObject_t texture;
    cudaCreateTextureObject(&texture, &resource, &how, nullptr);
    resource.res.array.array = line;
    cudaCreateSurfaceObject(&lineSurface, &resource);

    int *wrong;
    cudaMalloc(&wrong, 5 * sizeof(int));
    cudaMemset(wrong, 0, 5 * sizeof(int));
    for (int layer = 0; layer < LAYERS; layer++) write<<<1, dim3(WIDTH, HEIGHT)>>>(pictureSurface, lineSurface, layer);
    read<<<LAYERS, dim3(WIDTH, HEIGHT)>>>(pictureSurface, texture, lineSurface, wrong);

    static float host[LAYERS][HEIGHT][WIDTH];
    cudaMemcpy3DParms copy = {};
    copy.srcArray = picture;
    copy.dstPtr = make_cudaPitchedPtr(host, WIDTH * sizeof(float), WIDTH, HEIGHT);
    copy.extent = make_cudaExtent(WIDTH, HEIGHT, LAYERS);
    copy.kind = cudaMemcpyDeviceToHost;
    cudaMemcpy3D(&copy);
    int copied = 0, counts[5];
    for (int layer = 0; layer < LAYERS; layer++)
        for (int y = 0; y < HEIGHT; y++)
            for (int x = 0; x < WIDTH; x++) copied += host[layer][y][x] != value(x, y, layer);
    cudaMemcpy(counts, wrong, sizeof(counts), cudaMemcpyDeviceToHost);
    for (int count : counts) printf("wrong: %d\n", count);
    printf("wrong in the copy: %d, %s\n", copied, cudaGetErrorString(cudaGetLastError()));
}
