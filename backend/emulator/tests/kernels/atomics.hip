// Atomic sums of floats that gfx942, gfx950 and gfx12 have instructions for.
typedef unsigned int u32;

#if defined(__gfx1200__) || defined(__gfx1201__)
#define RETURN " th:TH_ATOMIC_RETURN"
#else
#define RETURN " sc0"
#endif

// Every lane adds 0.5, two halves (1.0 and 2.0), and two bfloats (1.0 and -1.0). What the first sum was comes back.
extern "C" __attribute__((global)) void add_all(float *sums, u32 *halves, u32 *bfloats, float *before) {
    int lane = __builtin_amdgcn_workitem_id_x();
    float half = 0.5f, old;
    u32 two_halves = 0x40003c00, two_bfloats = 0xbf803f80;
#if defined(__gfx1200__) || defined(__gfx1201__)
#define WAIT "\n s_wait_loadcnt 0x0"
#else
#define WAIT "\n s_waitcnt vmcnt(0)"
#endif
    asm volatile("global_atomic_add_f32 %0, %1, %2, off" RETURN WAIT : "=&v"(old) : "v"(sums), "v"(half) : "memory");
    asm volatile("global_atomic_pk_add_f16 %0, %1, off" : : "v"(halves), "v"(two_halves) : "memory");
    asm volatile("global_atomic_pk_add_bf16 %0, %1, off" : : "v"(bfloats), "v"(two_bfloats) : "memory");
    before[lane] = old;
}
