// Functions of device code only (mappings/device_only.csv), called by the host: one call for each overload that CUDA has.
#include <hip/hip_runtime.h>
#include <hip/hip_bf16.h>
#include <hip/hip_fp16.h>

inline auto call0(const __hip_bfloat16 a0) { return __bfloat162bfloat162(a0); } //~ refused: 5.7
inline auto call1(const __hip_bfloat16 a0) { return __bfloat162char_rz(a0); } //~ refused
inline auto call2(const __hip_bfloat16 a0) { return __bfloat162int_rz(a0); } //~ refused
inline auto call3(const __hip_bfloat16 a0) { return __bfloat162ll_rz(a0); } //~ refused
inline auto call4(const __hip_bfloat16 a0) { return __bfloat162short_rz(a0); } //~ refused
inline auto call5(const __hip_bfloat16 a0) { return __bfloat162uchar_rz(a0); } //~ refused
inline auto call6(const __hip_bfloat16 a0) { return __bfloat162uint_rz(a0); } //~ refused
inline auto call7(const __hip_bfloat16 a0) { return __bfloat162ull_rz(a0); } //~ refused
inline auto call8(const __hip_bfloat16 a0) { return __bfloat162ushort_rz(a0); } //~ refused
inline auto call9(const __hip_bfloat16 a0) { return __bfloat16_as_short(a0); } //~ refused: 5.7
inline auto call10(const __hip_bfloat16 a0) { return __bfloat16_as_ushort(a0); } //~ refused: 5.7
inline auto call11(unsigned int a0) { return __brev(a0); } //~ refused
inline auto call12(int a0) { return __clz(a0); } //~ refused
inline auto call13(const double a0) { return __double2half(a0); } //~ refused
inline auto call14(double a0) { return __double2hiint(a0); } //~ refused
inline auto call15(double a0) { return __double_as_longlong(a0); } //~ refused
inline auto call16(int a0) { return __ffs(a0); } //~ refused
inline auto call17(float a0) { return __float2int_rn(a0); } //~ refused
inline auto call18(float a0) { return __float_as_int(a0); } //~ refused
inline auto call19(float a0, float a1) { return __fmul_rn(a0, a1); } //~ refused
inline auto call20(const __half a0) { return __habs(a0); } //~ refused: 5.7
inline auto call21(const __hip_bfloat16 a0) { return __habs(a0); } //~ refused: 5.7
inline auto call23(const __half a0, const __half a1) { return __hadd(a0, a1); } //~ refused: 5.7
inline auto call24(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hadd(a0, a1); } //~ refused: 5.7
inline auto call26(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hadd2_sat(a0, a1); } //~ refused
inline auto call28(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hadd_sat(a0, a1); } //~ refused
inline auto call29(const __half a0) { return __half2char_rz(a0); } //~ refused
inline auto call30(const __half a0) { return __half2int_rz(a0); } //~ refused
inline auto call31(const __half a0) { return __half2ll_rz(a0); } //~ refused
inline auto call32(const __half a0) { return __half2short_rz(a0); } //~ refused
inline auto call33(const __half a0) { return __half2uchar_rz(a0); } //~ refused
inline auto call34(const __half a0) { return __half2uint_rz(a0); } //~ refused
inline auto call35(const __half a0) { return __half2ull_rz(a0); } //~ refused
inline auto call36(const __half a0) { return __half2ushort_rz(a0); } //~ refused
inline auto call37(const __half a0) { return __half_as_short(a0); } //~ refused: 5.7
inline auto call38(const __half a0) { return __half_as_ushort(a0); } //~ refused: 5.7
inline auto call39(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __halves2bfloat162(a0, a1); } //~ refused: 5.7
inline auto call54(const __half a0, const __half a1) { return __hdiv(a0, a1); } //~ refused: 5.7
inline auto call55(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hdiv(a0, a1); } //~ refused: 5.7
inline auto call56(const __half a0, const __half a1) { return __heq(a0, a1); } //~ refused: 5.7
inline auto call57(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __heq(a0, a1); } //~ refused: 5.7
inline auto call58(const __half2 a0, const __half2 a1) { return __heq2_mask(a0, a1); } //~ refused
inline auto call59(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __heq2_mask(a0, a1); } //~ refused
inline auto call60(const __half a0, const __half a1) { return __hequ(a0, a1); } //~ refused: 5.7
inline auto call61(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hequ(a0, a1); } //~ refused: 5.7
inline auto call63(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hequ2(a0, a1); } //~ refused
inline auto call64(const __half2 a0, const __half2 a1) { return __hequ2_mask(a0, a1); } //~ refused
inline auto call65(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hequ2_mask(a0, a1); } //~ refused
inline auto call66(const __half a0, const __half a1) { return __hge(a0, a1); } //~ refused: 5.7
inline auto call67(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hge(a0, a1); } //~ refused: 5.7
inline auto call68(const __half2 a0, const __half2 a1) { return __hge2_mask(a0, a1); } //~ refused
inline auto call69(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hge2_mask(a0, a1); } //~ refused
inline auto call70(const __half a0, const __half a1) { return __hgeu(a0, a1); } //~ refused: 5.7
inline auto call71(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hgeu(a0, a1); } //~ refused: 5.7
inline auto call73(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hgeu2(a0, a1); } //~ refused
inline auto call74(const __half2 a0, const __half2 a1) { return __hgeu2_mask(a0, a1); } //~ refused
inline auto call75(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hgeu2_mask(a0, a1); } //~ refused
inline auto call76(const __half a0, const __half a1) { return __hgt(a0, a1); } //~ refused: 5.7
inline auto call77(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hgt(a0, a1); } //~ refused: 5.7
inline auto call80(const __half2 a0, const __half2 a1) { return __hgt2_mask(a0, a1); } //~ refused
inline auto call81(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hgt2_mask(a0, a1); } //~ refused
inline auto call82(const __half a0, const __half a1) { return __hgtu(a0, a1); } //~ refused: 5.7
inline auto call83(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hgtu(a0, a1); } //~ refused: 5.7
inline auto call85(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hgtu2(a0, a1); } //~ refused
inline auto call86(const __half2 a0, const __half2 a1) { return __hgtu2_mask(a0, a1); } //~ refused
inline auto call87(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hgtu2_mask(a0, a1); } //~ refused
inline auto call88(const __hip_bfloat162 a0) { return __high2bfloat16(a0); } //~ refused: 5.7
inline auto call89(const __hip_bfloat162 a0) { return __high2bfloat162(a0); } //~ refused: 5.7
inline auto call90(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __highs2bfloat162(a0, a1); } //~ refused: 5.7
inline auto call91(int a0, int a1) { return __hiloint2double(a0, a1); } //~ refused
inline auto call94(const __half a0) { return __hisnan(a0); } //~ refused: 5.7
inline auto call95(const __hip_bfloat16 a0) { return __hisnan(a0); } //~ refused: 5.7
inline auto call98(const __half a0, const __half a1) { return __hle(a0, a1); } //~ refused: 5.7
inline auto call99(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hle(a0, a1); } //~ refused: 5.7
inline auto call100(const __half2 a0, const __half2 a1) { return __hle2_mask(a0, a1); } //~ refused
inline auto call101(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hle2_mask(a0, a1); } //~ refused
inline auto call102(const __half a0, const __half a1) { return __hleu(a0, a1); } //~ refused: 5.7
inline auto call103(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hleu(a0, a1); } //~ refused: 5.7
inline auto call105(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hleu2(a0, a1); } //~ refused
inline auto call106(const __half2 a0, const __half2 a1) { return __hleu2_mask(a0, a1); } //~ refused
inline auto call107(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hleu2_mask(a0, a1); } //~ refused
inline auto call108(const __half a0, const __half a1) { return __hlt(a0, a1); } //~ refused: 5.7
inline auto call109(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hlt(a0, a1); } //~ refused: 5.7
inline auto call110(const __half2 a0, const __half2 a1) { return __hlt2_mask(a0, a1); } //~ refused
inline auto call111(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hlt2_mask(a0, a1); } //~ refused
inline auto call112(const __half a0, const __half a1) { return __hltu(a0, a1); } //~ refused: 5.7
inline auto call113(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hltu(a0, a1); } //~ refused: 5.7
inline auto call115(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hltu2(a0, a1); } //~ refused
inline auto call116(const __half2 a0, const __half2 a1) { return __hltu2_mask(a0, a1); } //~ refused
inline auto call117(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hltu2_mask(a0, a1); } //~ refused
inline auto call118(const __half a0, const __half a1) { return __hmax(a0, a1); } //~ refused: 5.7
inline auto call119(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hmax(a0, a1); } //~ refused: 5.7
inline auto call120(const __half2 a0, const __half2 a1) { return __hmax2(a0, a1); } //~ refused
inline auto call122(const __half2 a0, const __half2 a1) { return __hmax2_nan(a0, a1); } //~ refused
inline auto call123(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hmax2_nan(a0, a1); } //~ refused
inline auto call125(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hmax_nan(a0, a1); } //~ refused
inline auto call126(const __half a0, const __half a1) { return __hmin(a0, a1); } //~ refused: 5.7
inline auto call127(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hmin(a0, a1); } //~ refused: 5.7
inline auto call128(const __half2 a0, const __half2 a1) { return __hmin2(a0, a1); } //~ refused
inline auto call130(const __half2 a0, const __half2 a1) { return __hmin2_nan(a0, a1); } //~ refused
inline auto call131(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hmin2_nan(a0, a1); } //~ refused
inline auto call133(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hmin_nan(a0, a1); } //~ refused
inline auto call134(const __half a0, const __half a1) { return __hmul(a0, a1); } //~ refused: 5.7
inline auto call135(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hmul(a0, a1); } //~ refused: 5.7
inline auto call137(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hmul2_sat(a0, a1); } //~ refused
inline auto call139(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hmul_sat(a0, a1); } //~ refused
inline auto call144(const __half2 a0, const __half2 a1) { return __hne2_mask(a0, a1); } //~ refused
inline auto call145(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hne2_mask(a0, a1); } //~ refused
inline auto call146(const __half a0) { return __hneg(a0); } //~ refused: 5.7
inline auto call147(const __hip_bfloat16 a0) { return __hneg(a0); } //~ refused: 5.7
inline auto call148(const __half a0, const __half a1) { return __hneu(a0, a1); } //~ refused: 5.7
inline auto call149(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hneu(a0, a1); } //~ refused: 5.7
inline auto call151(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hneu2(a0, a1); } //~ refused
inline auto call152(const __half2 a0, const __half2 a1) { return __hneu2_mask(a0, a1); } //~ refused
inline auto call153(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hneu2_mask(a0, a1); } //~ refused
inline auto call154(const __half a0, const __half a1) { return __hsub(a0, a1); } //~ refused: 5.7
inline auto call155(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hsub(a0, a1); } //~ refused: 5.7
inline auto call157(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __hsub2_sat(a0, a1); } //~ refused
inline auto call159(const __hip_bfloat16 a0, const __hip_bfloat16 a1) { return __hsub_sat(a0, a1); } //~ refused
inline auto call160(const int a0) { return __int2half_rn(a0); } //~ refused: 5.7 6.4
inline auto call161(int a0) { return __int_as_float(a0); } //~ refused
inline auto call162(const char * a0) { return __ldg(a0); } //~ refused
inline auto call163(const char2 * a0) { return __ldg(a0); } //~ refused
inline auto call164(const char4 * a0) { return __ldg(a0); } //~ refused
inline auto call165(const double * a0) { return __ldg(a0); } //~ refused
inline auto call166(const double2 * a0) { return __ldg(a0); } //~ refused
inline auto call167(const float * a0) { return __ldg(a0); } //~ refused
inline auto call168(const float2 * a0) { return __ldg(a0); } //~ refused
inline auto call169(const float4 * a0) { return __ldg(a0); } //~ refused
inline auto call170(const int * a0) { return __ldg(a0); } //~ refused
inline auto call171(const int2 * a0) { return __ldg(a0); } //~ refused
inline auto call172(const int4 * a0) { return __ldg(a0); } //~ refused
inline auto call173(const long * a0) { return __ldg(a0); } //~ refused
inline auto call174(const long long * a0) { return __ldg(a0); } //~ refused
inline auto call175(const longlong2 * a0) { return __ldg(a0); } //~ refused
inline auto call176(const short * a0) { return __ldg(a0); } //~ refused
inline auto call177(const short2 * a0) { return __ldg(a0); } //~ refused
inline auto call178(const short4 * a0) { return __ldg(a0); } //~ refused
inline auto call179(const signed char * a0) { return __ldg(a0); } //~ refused
inline auto call180(const uchar2 * a0) { return __ldg(a0); } //~ refused
inline auto call181(const uchar4 * a0) { return __ldg(a0); } //~ refused
inline auto call182(const uint2 * a0) { return __ldg(a0); } //~ refused
inline auto call183(const uint4 * a0) { return __ldg(a0); } //~ refused
inline auto call184(const ulonglong2 * a0) { return __ldg(a0); } //~ refused
inline auto call185(const unsigned char * a0) { return __ldg(a0); } //~ refused
inline auto call186(const unsigned int * a0) { return __ldg(a0); } //~ refused
inline auto call187(const unsigned long * a0) { return __ldg(a0); } //~ refused
inline auto call188(const unsigned long long * a0) { return __ldg(a0); } //~ refused
inline auto call189(const unsigned short * a0) { return __ldg(a0); } //~ refused
inline auto call190(const ushort2 * a0) { return __ldg(a0); } //~ refused
inline auto call191(const ushort4 * a0) { return __ldg(a0); } //~ refused
inline auto call192(const __half *const a0) { return __ldg(a0); } //~ refused
inline auto call194(const __hip_bfloat16 *const a0) { return __ldg(a0); } //~ refused
inline auto call195(const __hip_bfloat162 *const a0) { return __ldg(a0); } //~ refused
inline auto call196(const long long a0) { return __ll2half_rn(a0); } //~ refused
inline auto call197(const __hip_bfloat162 a0) { return __low2bfloat16(a0); } //~ refused: 5.7
inline auto call198(const __hip_bfloat162 a0) { return __low2bfloat162(a0); } //~ refused: 5.7
inline auto call199(const __hip_bfloat162 a0, const __hip_bfloat162 a1) { return __lows2bfloat162(a0, a1); } //~ refused: 5.7
inline auto call200(int a0, int a1) { return __mulhi(a0, a1); } //~ refused
inline auto call201(unsigned int a0) { return __popc(a0); } //~ refused
inline auto call202(float a0) { return __saturatef(a0); } //~ refused
inline auto call203(const short a0) { return __short2half_rn(a0); } //~ refused
inline auto call204(const short a0) { return __short_as_bfloat16(a0); } //~ refused: 5.7
inline auto call205(const short a0) { return __short_as_half(a0); } //~ refused: 5.7
inline auto call206(const unsigned int a0) { return __uint2half_rn(a0); } //~ refused
inline auto call207(const unsigned long long a0) { return __ull2half_rn(a0); } //~ refused
inline auto call208(const unsigned short a0) { return __ushort2half_rn(a0); } //~ refused
inline auto call209(const unsigned short a0) { return __ushort_as_bfloat16(a0); } //~ refused: 5.7
inline auto call210(const unsigned short a0) { return __ushort_as_half(a0); } //~ refused: 5.7
inline auto call211(double a0) { return cospi(a0); } //~ refused
inline auto call212(const float a0) { return cospi(a0); } //~ refused
inline auto call213(float a0) { return cospif(a0); } //~ refused
inline auto call214(double a0) { return cyl_bessel_i0(a0); } //~ refused
inline auto call215(const float a0) { return cyl_bessel_i0(a0); } //~ refused
inline auto call216(float a0) { return cyl_bessel_i0f(a0); } //~ refused
inline auto call217(double a0) { return cyl_bessel_i1(a0); } //~ refused
inline auto call218(const float a0) { return cyl_bessel_i1(a0); } //~ refused
inline auto call219(float a0) { return cyl_bessel_i1f(a0); } //~ refused
inline auto call220(double a0) { return erfcinv(a0); } //~ refused
inline auto call221(const float a0) { return erfcinv(a0); } //~ refused
inline auto call222(float a0) { return erfcinvf(a0); } //~ refused
inline auto call223(double a0) { return erfcx(a0); } //~ refused
inline auto call224(const float a0) { return erfcx(a0); } //~ refused
inline auto call225(float a0) { return erfcxf(a0); } //~ refused
inline auto call226(double a0) { return erfinv(a0); } //~ refused
inline auto call227(const float a0) { return erfinv(a0); } //~ refused
inline auto call228(float a0) { return erfinvf(a0); } //~ refused
inline auto call229(float a0, float a1) { return fdividef(a0, a1); } //~ refused
inline auto call230(const long long a0, const long long a1) { return llmax(a0, a1); } //~ refused
inline auto call231(const long long a0, const long long a1) { return llmin(a0, a1); } //~ refused
inline auto call232(double a0, double a1, double a2) { return norm3d(a0, a1, a2); } //~ refused
inline auto call233(float a0, float a1, float a2) { return norm3df(a0, a1, a2); } //~ refused
inline auto call234(double a0, double a1, double a2, double a3) { return norm4d(a0, a1, a2, a3); } //~ refused
inline auto call235(float a0, float a1, float a2, float a3) { return norm4df(a0, a1, a2, a3); } //~ refused
inline auto call236(double a0) { return normcdf(a0); } //~ refused
inline auto call237(const float a0) { return normcdf(a0); } //~ refused
inline auto call238(float a0) { return normcdff(a0); } //~ refused
inline auto call239(double a0) { return normcdfinv(a0); } //~ refused
inline auto call240(const float a0) { return normcdfinv(a0); } //~ refused
inline auto call241(float a0) { return normcdfinvf(a0); } //~ refused
inline auto call242(int a0, const float * a1) { return normf(a0, a1); } //~ refused
inline auto call243(double a0) { return rcbrt(a0); } //~ refused
inline auto call244(const float a0) { return rcbrt(a0); } //~ refused
inline auto call245(float a0) { return rcbrtf(a0); } //~ refused
inline auto call246(double a0, double a1) { return rhypot(a0, a1); } //~ refused
inline auto call247(float a0, float a1) { return rhypotf(a0, a1); } //~ refused
inline auto call248(int a0, const double * a1) { return rnorm(a0, a1); } //~ refused
inline auto call249(double a0, double a1, double a2) { return rnorm3d(a0, a1, a2); } //~ refused
inline auto call250(float a0, float a1, float a2) { return rnorm3df(a0, a1, a2); } //~ refused
inline auto call251(double a0, double a1, double a2, double a3) { return rnorm4d(a0, a1, a2, a3); } //~ refused
inline auto call252(float a0, float a1, float a2, float a3) { return rnorm4df(a0, a1, a2, a3); } //~ refused
inline auto call253(int a0, const float * a1) { return rnormf(a0, a1); } //~ refused
inline auto call254(double a0) { return rsqrt(a0); } //~ refused
inline auto call255(const float a0) { return rsqrt(a0); } //~ refused
inline auto call256(float a0) { return rsqrtf(a0); } //~ refused
inline auto call257(const float a0, float *const a1, float *const a2) { return sincospi(a0, a1, a2); } //~ refused
inline auto call258(double a0, double * a1, double * a2) { return sincospi(a0, a1, a2); } //~ refused
inline auto call259(float a0, float * a1, float * a2) { return sincospif(a0, a1, a2); } //~ refused
inline auto call260(double a0) { return sinpi(a0); } //~ refused
inline auto call261(const float a0) { return sinpi(a0); } //~ refused
inline auto call262(float a0) { return sinpif(a0); } //~ refused
inline auto call263(const unsigned long long a0, const unsigned long long a1) { return ullmax(a0, a1); } //~ refused
inline auto call264(const unsigned long long a0, const unsigned long long a1) { return ullmin(a0, a1); } //~ refused
inline auto call265(const unsigned int a0, const unsigned int a1) { return umax(a0, a1); } //~ refused
inline auto call266(const unsigned int a0, const unsigned int a1) { return umin(a0, a1); } //~ refused
