// The inner loop of the resampler: each output sample is a sum of input samples, weighted by the filter of its phase.
#include "../../wasm/simd.h"

enum {
  /** Most samples of a call. */
  MOST_INPUT = 16384,
  MOST_OUTPUT = 16384,
};

/** Input and output of a call. The samples after the input are finite: they are multiplied by the zeros that fill the
 *  filters up to whole vectors. */
EXPORT f32 input[MOST_INPUT];
EXPORT f32 output[MOST_OUTPUT];

/** Writes `count` output samples. The first lies `remainder` / `output_rate` after the input sample at which its filter
 *  begins, number `start` of `input`. filters: for each of `phases` phases, `stride` weights, a multiple of four. */
EXPORT void resample(const f32 *filters, i32 stride, i32 phases, i32 start, i32 remainder, i32 input_rate,
                     i32 output_rate, i32 count) {
  const i32 whole_step = input_rate / output_rate, step = input_rate % output_rate;
  const double phases_per_unit = (double)phases / output_rate;
  for (i32 k = 0; k < count; k++) {
    const i32 phase = (i32)(remainder * phases_per_unit + 0.5);
    // The last phase of all is the first one of the next sample.
    const f32 *filter = filters + (phase == phases ? 0 : phase) * stride;
    const f32 *samples = input + start + (phase == phases);
    vec sum = wasm_f32x4_splat(0), other = sum;
    i32 tap = 0;
    for (; tap + 8 <= stride; tap += 8) {
      sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_v128_load(filter + tap), wasm_v128_load(samples + tap)));
      other = wasm_f32x4_add(other, wasm_f32x4_mul(wasm_v128_load(filter + tap + 4), wasm_v128_load(samples + tap + 4)));
    }
    if (tap < stride) {
      sum = wasm_f32x4_add(sum, wasm_f32x4_mul(wasm_v128_load(filter + tap), wasm_v128_load(samples + tap)));
    }
    sum = wasm_f32x4_add(sum, other);
    sum = wasm_f32x4_add(sum, wasm_i32x4_shuffle(sum, sum, 2, 3, 0, 1));
    output[k] = wasm_f32x4_extract_lane(sum, 0) + wasm_f32x4_extract_lane(sum, 1);
    start += whole_step;
    remainder += step;
    if (remainder >= output_rate) {
      remainder -= output_rate;
      start += 1;
    }
  }
}
