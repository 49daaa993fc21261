// Instructions on images: shapes, whole coordinates and samplers, floats and halves, one channel to four.

typedef float float4_ __attribute__((ext_vector_type(4)));
typedef _Float16 half4_ __attribute__((ext_vector_type(4)));
typedef int int4_ __attribute__((ext_vector_type(4)));

extern "C" __attribute__((global)) void flat(
    const __amdgpu_texture_t *images, const int4_ *samplers, float4_ *out, half4_ *halves, int x, int y, float u, float v) {
    const __amdgpu_texture_t image = images[0];
    out[0] = __builtin_amdgcn_image_load_2d_v4f32_i32(15, x, y, image, 0, 0);
    out[1] = __builtin_amdgcn_image_load_1d_v4f32_i32(6, x, image, 0, 0);
    out[2] = __builtin_amdgcn_image_sample_2d_v4f32_f32(15, u, v, image, samplers[0], 1, 0, 0);
    out[3].x = __builtin_amdgcn_image_load_2d_f32_i32(2, x, y, image, 0, 0);
    halves[0] = __builtin_amdgcn_image_load_2d_v4f16_i32(15, x, y, image, 0, 0);
    halves[1] = __builtin_amdgcn_image_load_1d_v4f16_i32(5, x, image, 0, 0);
    halves[2] = __builtin_amdgcn_image_sample_2d_v4f16_f32(7, u, v, image, samplers[0], 0, 0, 0);
    halves[3] = __builtin_amdgcn_image_sample_1d_v4f16_f32(8, u, image, samplers[1], 0, 0, 0);
    __builtin_amdgcn_image_store_2d_v4f32_i32(out[4], 15, x, y, image, 0, 0);
    __builtin_amdgcn_image_store_2d_v4f16_i32(halves[4], 3, x, y, image, 0, 0);
}

// gfx90a has neither volumes nor layers nor levels.
#if !defined(__gfx90a__)
extern "C" __attribute__((global)) void deep(
    const __amdgpu_texture_t *images, const int4_ *samplers, float4_ *out, half4_ *halves, int x, int y, int z, float u, float v) {
    const __amdgpu_texture_t image = images[0];
    out[0] = __builtin_amdgcn_image_load_3d_v4f32_i32(15, x, y, z, image, 0, 0);
    out[1] = __builtin_amdgcn_image_load_mip_2d_v4f32_i32(15, x, y, z, image, 0, 0);
    halves[0] = __builtin_amdgcn_image_load_2darray_v4f16_i32(11, x, y, z, image, 0, 0);
    halves[1] = __builtin_amdgcn_image_sample_3d_v4f16_f32(15, u, v, u, image, samplers[0], 0, 0, 0);
    __builtin_amdgcn_image_store_3d_v4f16_i32(halves[2], 15, x, y, z, image, 0, 0);
}
#endif
