// Kernels that ask the host for something: printf, assert, malloc.
#include <hip/hip_runtime.h>
#include <cassert>

extern "C" __global__ void hello(const char *name, int n) {
    if ((int)threadIdx.x < n)
        printf("block %d thread %u: %s %5.2f %lld %c%%\n", blockIdx.x, threadIdx.x, "text", threadIdx.x * 1.5, -5000000000ll, 'x');
}

extern "C" __global__ void checked(const int *in) {
    assert(in[threadIdx.x] >= 0 && "negative");
}

extern "C" __global__ void trap(int when) {
    if ((int)threadIdx.x == when) __builtin_trap();
}

// A rotation of lanes, which the compiler has no other use for.
extern "C" __global__ void rotate(int *out) {
    out[threadIdx.x] = __builtin_amdgcn_ds_swizzle(out[threadIdx.x], 0xc020);
}

extern "C" __global__ void halts(int *out, int go_on) {
    asm volatile("s_sethalt 0");
    out[threadIdx.x] = 1;
    if (!go_on) asm volatile("s_sethalt 1");
}

extern "C" __global__ void lists(int *out, int n) {
    struct Node { Node *next; int value; };
    Node *head = nullptr;
    for (int i = 0; i < n; i++) {
        Node *node = (Node *)malloc(sizeof(Node));
        node->next = head; node->value = i * (int)threadIdx.x; head = node;
    }
    int sum = 0;
    while (head) { Node *next = head->next; sum += head->value; free(head); head = next; }
    int *big = new int[2000];
    big[threadIdx.x] = sum;
    out[blockIdx.x * blockDim.x + threadIdx.x] = big[threadIdx.x];
    delete[] big;
}

extern "C" __global__ void out_of_bounds(int *data, int at) { data[at + threadIdx.x] = 1; }

extern "C" __global__ void endless(volatile int *flag) { while (*flag == 0) {} }
