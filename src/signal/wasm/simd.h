// SIMD vocabulary of the WebAssembly modules: vectors of 128 bits on which C's own operators work lane by lane, and
// what the operators lack. Nothing of a C library.
#ifndef OPEN_AVATAR_SIMD_H
#define OPEN_AVATAR_SIMD_H

#include <stdint.h>
#include <wasm_simd128.h>

typedef uint8_t u8;
typedef int16_t i16;
typedef uint16_t u16;
typedef int32_t i32;
typedef uint32_t u32;
typedef float f32;

/** 16 bytes of any kind, as intrinsics take them. */
typedef v128_t vec;
typedef f32 f32x4 __attribute__((vector_size(16)));
typedef i32 i32x4 __attribute__((vector_size(16)));
typedef u32 u32x4 __attribute__((vector_size(16)));
typedef i16 i16x8 __attribute__((vector_size(16)));
typedef u16 u16x8 __attribute__((vector_size(16)));
typedef u8 u8x16 __attribute__((vector_size(16)));

/** Marks what TypeScript may call; all else is hidden. */
#define EXPORT __attribute__((visibility("default")))

// Vectors lie at any address.
static inline f32x4 load_f32x4(const f32 *from) { return (f32x4)wasm_v128_load(from); }
static inline void store_f32x4(f32 *to, f32x4 value) { wasm_v128_store(to, (vec)value); }
/** Eight bytes as 16-bit numbers. */
static inline i16x8 load_bytes8(const u8 *from) { return (i16x8)wasm_u16x8_load8x8(from); }
/** Four bytes as 32-bit numbers. */
static inline i32x4 load_bytes4(const u8 *from) {
  return (i32x4)wasm_u32x4_extend_low_u16x8(wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(from)));
}

static inline f32x4 splat(f32 value) { return (f32x4){value, value, value, value}; }
static inline i32x4 splat_i32(i32 value) { return (i32x4){value, value, value, value}; }
/** One lane in all lanes. `k` is known once loops are unrolled; then this is one shuffle, and nothing leaves the vector. */
static inline i32x4 splat_lane(i32x4 value, i32 k) {
  switch (k) {
    case 0: return __builtin_shufflevector(value, value, 0, 0, 0, 0);
    case 1: return __builtin_shufflevector(value, value, 1, 1, 1, 1);
    case 2: return __builtin_shufflevector(value, value, 2, 2, 2, 2);
    default: return __builtin_shufflevector(value, value, 3, 3, 3, 3);
  }
}
/** from, from + step, from + 2 step, from + 3 step. */
static inline f32x4 series(f32 from, f32 step) { return (f32x4){from, from + step, from + 2 * step, from + 3 * step}; }

/** Lanes between `low` and `high`. A lane that is not a number becomes `low`. */
static inline f32x4 clamp(f32x4 value, f32x4 low, f32x4 high) {
  return (f32x4)wasm_f32x4_pmin((vec)high, wasm_f32x4_pmax((vec)low, (vec)value));
}
static inline f32x4 floor_f32x4(f32x4 value) { return (f32x4)wasm_f32x4_floor((vec)value); }
static inline f32x4 to_f32x4(i32x4 value) { return __builtin_convertvector(value, f32x4); }
/** Cuts towards zero; what 32 bits cannot hold becomes the nearest that they can, and what is no number becomes 0. */
static inline i32x4 to_i32x4(f32x4 value) { return (i32x4)wasm_i32x4_trunc_sat_f32x4((vec)value); }
/** `under` where share is 0, `over` where it is 1. */
static inline f32x4 mix(f32x4 under, f32x4 over, f32x4 share) { return under + (over - under) * share; }
/** Sums of products of neighbouring pairs. */
static inline i32x4 dot_pairs(i16x8 a, i16x8 b) { return (i32x4)wasm_i32x4_dot_i16x8((vec)a, (vec)b); }
static inline int any_bit(i32x4 value) { return wasm_v128_any_true((vec)value); }

// a0 b0 a1 b1 …, of the lower and of the upper halves.
static inline i16x8 zip_low_i16(i16x8 a, i16x8 b) { return __builtin_shufflevector(a, b, 0, 8, 1, 9, 2, 10, 3, 11); }
static inline i16x8 zip_high_i16(i16x8 a, i16x8 b) { return __builtin_shufflevector(a, b, 4, 12, 5, 13, 6, 14, 7, 15); }
static inline f32x4 zip_low(f32x4 a, f32x4 b) { return __builtin_shufflevector(a, b, 0, 4, 1, 5); }
static inline f32x4 zip_high(f32x4 a, f32x4 b) { return __builtin_shufflevector(a, b, 2, 6, 3, 7); }
// a0 a1 b0 b1, and a2 a3 b2 b3.
static inline f32x4 join_low(f32x4 a, f32x4 b) { return __builtin_shufflevector(a, b, 0, 1, 4, 5); }
static inline f32x4 join_high(f32x4 a, f32x4 b) { return __builtin_shufflevector(a, b, 2, 3, 6, 7); }
static inline i32x4 join_low_i32(i32x4 a, i32x4 b) { return __builtin_shufflevector(a, b, 0, 1, 4, 5); }
static inline i32x4 join_high_i32(i32x4 a, i32x4 b) { return __builtin_shufflevector(a, b, 2, 3, 6, 7); }
// a0 a2 b0 b2, and a1 a3 b1 b3: of pairs, the first and the second of each.
static inline f32x4 firsts(f32x4 a, f32x4 b) { return __builtin_shufflevector(a, b, 0, 2, 4, 6); }
static inline f32x4 seconds(f32x4 a, f32x4 b) { return __builtin_shufflevector(a, b, 1, 3, 5, 7); }

/** Eight numbers as bytes; below 0 becomes 0, above 255 becomes 255. The upper half is a copy of the lower. */
static inline vec to_bytes8(i32x4 low, i32x4 high) {
  const vec words = wasm_i16x8_narrow_i32x4((vec)low, (vec)high);
  return wasm_u8x16_narrow_i16x8(words, words);
}
static inline void store_bytes4(u8 *to, i32x4 value) { wasm_v128_store32_lane(to, to_bytes8(value, value), 0); }

#endif
