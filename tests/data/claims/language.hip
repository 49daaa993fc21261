// What the headers and the compiler make of what rules claim. A mark says that the line before it is
// refused, by all releases or by those it names; all other lines compile. Read by tests/compiler.rs.
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>
#include <hip/hip_runtime.h>

// device-only-function
void h1(float* f, double* d) { (void)__brev(1); } //~ refused
void h2(float* f, double* d) { (void)__clz(1); } //~ refused
void h3(float* f, double* d) { (void)__double2hiint(1.0); } //~ refused
void h4(float* f, double* d) { (void)__double_as_longlong(1.0); } //~ refused
void h5(float* f, double* d) { (void)__ffs(1); } //~ refused
void h6(float* f, double* d) { (void)__float2int_rn(1.0f); } //~ refused
void h7(float* f, double* d) { (void)__float_as_int(1.0f); } //~ refused
void h8(float* f, double* d) { (void)__fmul_rn(1.0f, 1.0f); } //~ refused
void h9(float* f, double* d) { (void)__hiloint2double(1, 1); } //~ refused
void h10(float* f, double* d) { (void)__int_as_float(1); } //~ refused
void h11(float* f, double* d) { (void)__ldg(f); } //~ refused
void h12(float* f, double* d) { (void)__mulhi(1, 1); } //~ refused
void h13(float* f, double* d) { (void)__popc(1); } //~ refused
void h14(float* f, double* d) { (void)__saturatef(1.0f); } //~ refused
void h15(float* f, double* d) { (void)cospi(1.0); } //~ refused
void h16(float* f, double* d) { (void)cospif(1.0f); } //~ refused
void h17(float* f, double* d) { (void)cyl_bessel_i0(1.0); } //~ refused
void h18(float* f, double* d) { (void)cyl_bessel_i0f(1.0f); } //~ refused
void h19(float* f, double* d) { (void)cyl_bessel_i1(1.0); } //~ refused
void h20(float* f, double* d) { (void)cyl_bessel_i1f(1.0f); } //~ refused
void h21(float* f, double* d) { (void)erfcinv(1.0); } //~ refused
void h22(float* f, double* d) { (void)erfcinvf(1.0f); } //~ refused
void h23(float* f, double* d) { (void)erfcx(1.0); } //~ refused
void h24(float* f, double* d) { (void)erfcxf(1.0f); } //~ refused
void h25(float* f, double* d) { (void)erfinv(1.0); } //~ refused
void h26(float* f, double* d) { (void)erfinvf(1.0f); } //~ refused
void h27(float* f, double* d) { (void)fdividef(1.0f, 1.0f); } //~ refused
void h28(float* f, double* d) { (void)norm3d(1.0, 1.0, 1.0); } //~ refused
void h29(float* f, double* d) { (void)norm3df(1.0f, 1.0f, 1.0f); } //~ refused
void h30(float* f, double* d) { (void)norm4d(1.0, 1.0, 1.0, 1.0); } //~ refused
void h31(float* f, double* d) { (void)norm4df(1.0f, 1.0f, 1.0f, 1.0f); } //~ refused
void h32(float* f, double* d) { (void)normcdf(1.0f); } //~ refused
void h33(float* f, double* d) { (void)normcdff(1.0f); } //~ refused
void h34(float* f, double* d) { (void)normcdfinv(1.0); } //~ refused
void h35(float* f, double* d) { (void)normcdfinvf(1.0f); } //~ refused
void h36(float* f, double* d) { (void)rcbrt(1.0); } //~ refused
void h37(float* f, double* d) { (void)rcbrtf(1.0f); } //~ refused
void h38(float* f, double* d) { (void)rhypot(1.0, 1.0); } //~ refused
void h39(float* f, double* d) { (void)rhypotf(1.0f, 1.0f); } //~ refused
void h40(float* f, double* d) { (void)rnorm3d(1.0, 1.0, 1.0); } //~ refused
void h41(float* f, double* d) { (void)rnorm3df(1.0f, 1.0f, 1.0f); } //~ refused
void h42(float* f, double* d) { (void)rnorm4d(1.0, 1.0, 1.0, 1.0); } //~ refused
void h43(float* f, double* d) { (void)rnorm4df(1.0f, 1.0f, 1.0f, 1.0f); } //~ refused
void h44(float* f, double* d) { (void)rsqrt(1.0); } //~ refused
void h45(float* f, double* d) { (void)rsqrtf(1.0f); } //~ refused
void h46(float* f, double* d) { (void)sincospi(1.0, d, d); } //~ refused
void h47(float* f, double* d) { (void)sincospif(1.0f, f, f); } //~ refused
void h48(float* f, double* d) { (void)sinpi(1.0); } //~ refused
void h49(float* f, double* d) { (void)sinpif(1.0f); } //~ refused
void h49a(float* f, double* d) { (void)normf(1, f); } //~ refused
void h49b(float* f, double* d) { (void)rnormf(1, f); } //~ refused
void h49c(float* f, double* d) { (void)rnorm(1, d); } //~ refused
__host__ __device__ float h50(float x) { return rsqrtf(x); } //~ refused
template <class T> __host__ __device__ T h51(T x) { return rsqrtf(x); }
static __host__ __device__ float h52(float x) { return rsqrtf(x); } __global__ void k52(float* x) { x[0] = h52(x[0]); }

// wrong-side-call
int host_only() { return 1; }
__device__ int device_only() { return 1; }
constexpr int anywhere() { return 1; }
__host__ __device__ int b53() { return host_only(); } //~ refused
inline __host__ __device__ int b54() { return host_only(); }
__host__ __device__ int b55() { return anywhere(); }
int b56() { return device_only(); } //~ refused
__global__ void b56a(int* x) { x[0] = host_only(); } //~ refused
template <class T> __global__ void b56b(T* x) { x[0] = host_only(); } //~ refused

// coordinate-on-host, whole-coordinate
__host__ __device__ int c57() { return threadIdx.x; } //~ refused
inline __host__ __device__ int c58() { return threadIdx.x; }
__global__ void c59() { uint3 t = threadIdx; (void)t; } //~ refused

// kernel-signature: what is not refused is read wrongly, and a long double differs in size
__global__ int s60() { return 1; } //~ refused
__host__ __global__ void s61() {} //~ refused
__global__ void s62(float& x) { x = 1; }
__global__ void s63(int n, ...) {}
__global__ void s64(long double x) {}
__global__ void s65() { static_assert(sizeof(long double) == 8, ""); } //~ refused
__global__ void s66() { static_assert(sizeof(long double) == 16, ""); } //~ refused

// device-launch, host-only-language, inline-conflict
__global__ void child() {}
__global__ void l68() { child<<<1, 1>>>(); } //~ refused
__global__ void l69() { try { } catch (...) { } } //~ refused
__global__ void l70() { throw 1; } //~ refused
__device__ __noinline__ __forceinline__ int l71(int x) { return x; }

// device-heap, virtual-function, system-scope
__global__ void m72(int** p) { p[0] = new int[4]; delete[] p[1]; free(malloc(1)); }
struct S73 { __device__ virtual int f() { return 1; } }; __global__ void m73(S73* s, int* x) { x[0] = s->f(); }
__global__ void m74(int* x) { atomicAdd_system(x, 1); __threadfence_system(); }

// device-variable-on-host, constant-write, constant-template: all compile, which is the trouble
__device__ int v75; void w75() { v75 = 1; }
__constant__ int v76[4]; __global__ void w76() { v76[0] = 1; }
template <class T> __constant__ T v77;

// missing-atomic-overload
__global__ void a78(__half* x) { atomicAdd(x, x[1]); } //~ refused
__global__ void a79(__half2* x) { atomicAdd(x, x[1]); } //~ refused
__global__ void a80(__hip_bfloat16* x) { atomicAdd(x, x[1]); } //~ refused
__global__ void a81(unsigned short* x) { atomicCAS(x, (unsigned short)0, (unsigned short)1); } //~ refused: 5.7 6.4

// unsigned-bit-count
__global__ void u82() { static_assert(decltype(__popc(1))(-1) < 0, ""); } //~ refused
__global__ void u83() { static_assert(decltype(__popcll(1))(-1) < 0, ""); } //~ refused
__global__ void u84() { static_assert(decltype(__ffs(1))(-1) < 0, ""); } //~ refused: 5.7

// device-pointer-arithmetic
hipDeviceptr_t d89(hipDeviceptr_t x) { return x + 4; } //~ refused
size_t d90(hipDeviceptr_t x) { return x % 4; } //~ refused
hipDeviceptr_t d91(hipDeviceptr_t x) { return static_cast<char*>(x) + 4; }

// obsolete-hip
__global__ void o92(hipLaunchParm lp) { HIP_DYNAMIC_SHARED(float, x) x[0] = 1; }

// names without counterpart
__global__ void n93() { __prof_trigger(1); } //~ refused
__global__ void n94() { __trap(); } //~ refused
__global__ void n95(float* x) { x[0] = __fadd_rd(x[1], x[2]); } //~ refused
__global__ void n96(unsigned* x) { atomicInc_system(x, 1u); } //~ refused

// what is taken although documents doubt it
template <class... A, class... B> __global__ void packs(A... a, B... b) {}
template <class... A> __global__ void not_last(A... a, int n) {}
void launches() { not_last<int><<<1, 1>>>(1, 2); }
__global__ void counts(int* x) { x[0] = __syncthreads_count(x[1]) + __syncthreads_and(1) + __syncthreads_or(1); }
__global__ void bessel(float* x, double* y) { x[0] = cyl_bessel_i0f(x[1]); y[0] = cyl_bessel_i1(y[1]); }
__global__ void kind() { static_assert(std::is_same<decltype(isnan(1.0f)), bool>::value, ""); }
__global__ void surface(hipSurfaceObject_t s, int* x) { surf2Dread(x, s, 0, 0); }
__global__ void largest(long long* x) { atomicMax(x, 3ll); }
static_assert(std::is_same<hipDevice_t, int>::value, "");
__global__ void half_shuffle(__half* x) { x[0] = __shfl(x[1], 0); }

// ambiguous-bit-search
__global__ void search_int(int* x) { x[0] = __ffsll(x[1]); } //~ refused
__global__ void search_long(unsigned long* x) { x[0] = __ffsll(x[1]); } //~ refused
__global__ void search_cast(unsigned long* x) { x[0] = __ffsll(static_cast<long long>(x[1])); }

// empty-half-assignment
__device__ void e111(half2* p) { half2 x; x = {}; *p = x; } //~ refused
__device__ void e112(half* p) { half x; x = {}; *p = x; } //~ refused
__device__ void e113(__hip_bfloat16* p) { __hip_bfloat16 x; x = {}; *p = x; } //~ refused: 6.4 7.2
__device__ void e114(half2* p) { half2 x; x = half2{}; *p = x; }
__device__ void e115(half* p) { half x = {}; x = half{}; *p = x; }
__device__ void e116(__hip_bfloat16* p) { __hip_bfloat16 x; x = __hip_bfloat16{}; *p = x; }

// bare-bfloat16
__device__ __hip_bfloat16 b119(__hip_bfloat16 a, __hip_bfloat16 b) { return a + b; } //~ refused: 5.7
__device__ float b120(__hip_bfloat16 a) { return float(a); } //~ refused: 5.7
__device__ __hip_bfloat16 b121(__hip_bfloat16 a, __hip_bfloat16 b) { return __hadd(a, b); }

// standard-limits: constant in kernels, and 0 for types that the standard library does not know
#include <limits>
__global__ void limits(int64_t* x, float* y) { *x = std::numeric_limits<int64_t>::lowest(); *y = std::numeric_limits<float>::infinity(); }
static_assert(!std::numeric_limits<__half>::is_specialized);
static_assert(std::numeric_limits<__half>::is_specialized); //~ refused

// constant-wave-size: row 28 of the table in `tests/wave_rows.rs`, which shows what programs do that compile
__global__ void w131(int* x) { constexpr int W = warpSize; x[0] = W; } //~ refused: 7.2
__global__ void w132(int* x) { int a[warpSize]; for (int i = 0; i < 4; ++i) a[i] = x[i]; x[0] = a[x[1]]; } //~ refused: 7.2
template <int LANES> __device__ int lanes() { return LANES; }
__global__ void w134(int* x) { x[0] = lanes<warpSize>(); } //~ refused: 7.2
__global__ void w135(int* x) { switch (x[0]) { case warpSize: x[0] = 1; } } //~ refused: 7.2
__global__ void w136(int* x) { static_assert(warpSize == 64, ""); } //~ refused: 7.2
__global__ void w137(int* x) { if (warpSize == 64) x[0] = 1; for (int i = 0; i < warpSize; ++i) x[i] = i; }

// undeclared-hip: what documents write and no header has
int u141(hipDeviceProp_t* p) { return p->executionUnitsPerMultiprocessor; } //~ refused
hipError_t u142(hipDeviceProp_t* p) { return hipDeviceGetProperties(p, 0); } //~ refused
void u143(hipDeviceProps* p); //~ refused
__global__ void __hip_launch_bounds(256) u144(int* x) { x[0] = 1; } //~ refused
__global__ void __launch_bounds(256) u145(int* x) { x[0] = 1; } //~ refused
__global void u146(int* x) { x[0] = 1; } //~ refused
__device__ int u147(unsigned x) { return __lastbit_u32_u32(x); } //~ refused
__device__ int u148(unsigned long long x) { return __lastbit_u32_u64(x); }
#if defined(HIP_ARCH_HAS_WARP_VOTE) || defined(HIP_ARCH_HAS_WARP_BALLOT) || defined(HIP_ARCH_HAS_DOUBLES)
#error the macros of the documents are defined
#endif
#if defined(__HIP_DEVICE_COMPILE__) && !(__HIP_ARCH_HAS_WARP_VOTE__ && __HIP_ARCH_HAS_WARP_BALLOT__)
#error the macros of the headers are not defined
#endif

// coordinate-write, whole-coordinate
__global__ void c157() { threadIdx.x = 3; } //~ refused
__device__ unsigned at(const uint3* thread);
__global__ void c159(unsigned* x) { x[0] = at(&threadIdx); } //~ refused
__global__ void c160(unsigned* x) { decltype(blockDim) size = blockDim; x[0] = size.x; }
__global__ void c161(unsigned* x) { static_assert(std::is_same<decltype(threadIdx), const uint3>::value, ""); } //~ refused

// kernel-signature: a result of no type, and what is read wrongly behind another name
__global__ s164(int* x) { x[0] = 1; } //~ refused
struct S165 { int a; long double b; }; __global__ void s165(S165 s) {}
typedef float& R166; __global__ void s166(R166 x) { x = 1; }

// wave-size-on-host, constant-wave-size
int w169() { return warpSize; } //~ refused: 7.2
__host__ __device__ int w170() { return warpSize; } //~ refused: 7.2
inline __host__ __device__ int w171() { return warpSize; }
__global__ void w172(int* x) { enum { LANES = warpSize }; x[0] = LANES; } //~ refused: 7.2

// device-variable-on-host: reading it compiles, too
int r175() { return v75 + 1; }

// sync-builtins-off, extra-reduce-type
__device__ unsigned long long m178(int x) { return __match_any(x); } //~ refused: 5.7 6.4
__device__ float m179(float x) { return __reduce_add_sync(~0ull, x); } //~ refused
__device__ long long m180(long long x) { return __reduce_max_sync(~0ull, x); } //~ refused

// What documents print wrongly: coordinates of kernels on the host, a type that is there, a ballot with a mask, a type that is not
dim3 e183() { return dim3(gridDim); } //~ refused
typedef struct dim3 { unsigned x, y, z; } dim3; //~ refused
__device__ unsigned long long e185() { return __ballot(1ull, 1); } //~ refused
__global__ void e186(hipGridLaunch launch) {} //~ refused
__global__ void e187(unsigned* x) { x[0] = atomicInc(x); } //~ refused
