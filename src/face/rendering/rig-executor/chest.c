// Breathing shoulders: the same bytes as chest-motion.ts writes, eight at a time.
#include "../../../signal/wasm/simd.h"

/** Bytes of a word: the unit in which runs are counted. */
enum { WORD = 4 };

/** Two neighbouring rows mixed, eight bytes each, widened: `above` and `below` are 256ths that sum to 256. */
static inline vec mix_rows(vec upper, vec lower, vec above, vec below) {
  const vec half = wasm_i16x8_splat(128);
  const vec sum = wasm_i16x8_add(wasm_i16x8_mul(upper, above), wasm_i16x8_mul(lower, below));
  return wasm_u16x8_shr(wasm_i16x8_add(sum, half), 8);
}

/** Moves the runs of one plane from `still` to `frame`. runs: `run_count` times first word, word after the last, level,
 *  counted from the first byte of a frame. offsets, fractions: of each level, how many words away its upper row begins,
 *  and 256ths of the lower row. stride: bytes of a row. */
EXPORT void move_chest(const u8 *still, u8 *frame, const i32 *runs, i32 run_count, i32 stride, const i32 *offsets,
                       const i32 *fractions) {
  for (i32 run = 0; run < run_count; run++) {
    const i32 end = WORD * runs[3 * run + 1], level = runs[3 * run + 2];
    const u8 *upper = still + WORD * offsets[level], *lower = upper + stride;
    const vec below = wasm_i16x8_splat((int16_t)fractions[level]);
    const vec above = wasm_i16x8_splat((int16_t)(256 - fractions[level]));
    i32 at = WORD * runs[3 * run];
    for (; at + 8 <= end; at += 8) {
      const vec mixed = mix_rows(wasm_u16x8_load8x8(upper + at), wasm_u16x8_load8x8(lower + at), above, below);
      wasm_v128_store64_lane(frame + at, wasm_u8x16_narrow_i16x8(mixed, mixed), 0);
    }
    if (at < end) {
      const vec above_row = wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(upper + at));
      const vec below_row = wasm_u16x8_extend_low_u8x16(wasm_v128_load32_zero(lower + at));
      const vec mixed = mix_rows(above_row, below_row, above, below);
      wasm_v128_store32_lane(frame + at, wasm_u8x16_narrow_i16x8(mixed, mixed), 0);
    }
  }
}
