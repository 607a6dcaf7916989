// The residual layers: dilated causal convolutions with three taps. They are most of the network, and reading their
// weights is most of its cost: 16 bits each, and both frames of a hop share each weight that is read.
//
// A row of weights has a scale, and so has each frame: eight products and four sums take one instruction.
#include "network.h"

enum {
  /** Rows that are summed together; their weights lie together, eight columns at a time. */
  ROWS = 4,
  /** Columns whose products are summed in 32 bits before they become floats. */
  BLOCK = 64,
};

/** Distance between the three taps of a layer, frames of 20 ms. */
static const i32 DISTANCES[LAYERS] = {1, 2, 4, 8, 16, 32, 1, 4};
/** Largest magnitude of a weight. Frames need the other bits more: their values differ more from each other. */
static const f32 LARGEST_WEIGHT = 16383;
static const i32 LARGEST_INT16 = 32767;
static const u32 LARGEST_INT32 = 2147483647;
static const f32 NORM_EPSILON = 1e-5f;

/** Parameters, written by the loader; the last norm is the one before the answer. */
EXPORT f32 norm_weights[(LAYERS + 1) * WIDTH];
EXPORT f32 norm_bias[(LAYERS + 1) * WIDTH];
EXPORT f32 mix_bias[LAYERS * WIDTH];
/** Where the loader puts a matrix of 16-bit floats before `pack_layer` or `unpack`. */
EXPORT u16 halves[WIDTH * COLUMNS];

static int16_t weights[LAYERS][WIDTH * COLUMNS];
static f32 row_scales[LAYERS][WIDTH];
/** Largest value in 16 bits of a layer's frames at which no sum of a block exceeds 32 bits. */
static f32 largest_inputs[LAYERS];

i32 ring_length(i32 layer) { return 2 * DISTANCES[layer] + FRAMES; }

f32 from_half(u16 half) {
  const u32 exponent = (half >> 10) & 31, fraction = half & 1023;
  // Subnormal numbers have the exponent of the smallest normal ones, and no leading one.
  union { u32 bits; f32 value; } scale = {.bits = ((exponent == 0 ? 1 : exponent) + 127 - 25) << 23};
  const f32 magnitude = (f32)(exponent == 0 ? fraction : fraction + 1024) * scale.value;
  return half & 0x8000 ? -magnitude : magnitude;
}

/** Four 16-bit floats. Their exponents are 112 lower than those of 32-bit floats with the same bits. */
static inline vec from_halves(const u16 *halves_at) {
  const vec bits = wasm_u32x4_load16x4(halves_at);
  const vec magnitude = wasm_i32x4_shl(wasm_v128_and(bits, wasm_i32x4_splat(0x7fff)), 13);
  const vec sign = wasm_i32x4_shl(wasm_v128_and(bits, wasm_i32x4_splat(0x8000)), 16);
  return wasm_v128_or(times(magnitude, four(0x1p112f)), sign);
}

/** Rounds a row of `halves` to integers; returns its scale. */
static f32 quantise_row(const u16 *row, i32 *to) {
  vec largest = four(0);
  for (i32 k = 0; k < COLUMNS; k += 4) largest = wasm_f32x4_pmax(largest, wasm_f32x4_abs(from_halves(row + k)));
  largest = wasm_f32x4_pmax(largest, wasm_i32x4_shuffle(largest, largest, 2, 3, 0, 1));
  largest = wasm_f32x4_pmax(largest, wasm_i32x4_shuffle(largest, largest, 1, 0, 3, 2));
  const f32 most = wasm_f32x4_extract_lane(largest, 0);
  const vec factor = four(most > 0 ? LARGEST_WEIGHT / most : 0);
  for (i32 k = 0; k < COLUMNS; k += 4) {
    wasm_v128_store(to + k, wasm_i32x4_trunc_sat_f32x4(wasm_f32x4_nearest(times(from_halves(row + k), factor))));
  }
  return most / LARGEST_WEIGHT;
}

/** Largest sum of magnitudes that meet in one 32-bit sum of a row: a lane takes two of eight columns. */
static u32 largest_sum_of(const i32 *row) {
  u32 largest = 1;
  for (i32 first = 0; first < COLUMNS; first += BLOCK) {
    vec low = wasm_i32x4_splat(0), high = low;
    for (i32 k = first; k < first + BLOCK; k += 8) {
      low = wasm_i32x4_add(low, wasm_i32x4_abs(wasm_v128_load(row + k)));
      high = wasm_i32x4_add(high, wasm_i32x4_abs(wasm_v128_load(row + k + 4)));
    }
    const vec sums = wasm_i32x4_add(wasm_i32x4_shuffle(low, high, 0, 2, 4, 6), wasm_i32x4_shuffle(low, high, 1, 3, 5, 7));
    for (i32 lane = 0; lane < 4; lane++) {
      const u32 sum = ((const u32 *)&sums)[lane];
      if (sum > largest) largest = sum;
    }
  }
  return largest;
}

/** Takes the matrix of a layer, [WIDTH][COLUMNS], from `halves`. */
EXPORT void pack_layer(i32 layer) {
  u32 largest_sum = 1;
  for (i32 row = 0; row < WIDTH; row++) {
    i32 values[COLUMNS];
    row_scales[layer][row] = quantise_row(halves + row * COLUMNS, values);
    int16_t *to = weights[layer] + (row - row % ROWS) * COLUMNS + row % ROWS * 8;
    for (i32 k = 0; k < COLUMNS; k += 8) {
      const vec low = wasm_v128_load(values + k), high = wasm_v128_load(values + k + 4);
      wasm_v128_store(to + k * ROWS, wasm_i16x8_narrow_i32x4(low, high));
    }
    const u32 sum = largest_sum_of(values);
    if (sum > largest_sum) largest_sum = sum;
  }
  const u32 largest = LARGEST_INT32 / largest_sum;
  largest_inputs[layer] = (f32)(largest < (u32)LARGEST_INT16 ? largest : (u32)LARGEST_INT16);
}

f32 normalise(const f32 *x, i32 layer, f32 *to) {
  vec sum = four(0), squares = four(0), most = four(0);
  for (i32 k = 0; k < WIDTH; k += 4) sum = plus(sum, wasm_v128_load(x + k));
  const vec mean = four(sum_lanes(sum) / WIDTH);
  for (i32 k = 0; k < WIDTH; k += 4) {
    const vec distance = minus(wasm_v128_load(x + k), mean);
    squares = plus(squares, times(distance, distance));
  }
  const vec scale = four(1 / __builtin_sqrtf(sum_lanes(squares) / WIDTH + NORM_EPSILON));
  const f32 *weight = norm_weights + layer * WIDTH, *bias = norm_bias + layer * WIDTH;
  for (i32 k = 0; k < WIDTH; k += 4) {
    const vec distance = times(minus(wasm_v128_load(x + k), mean), scale);
    const vec value = plus(times(distance, wasm_v128_load(weight + k)), wasm_v128_load(bias + k));
    const vec positive = wasm_f32x4_pmax(four(0), value);
    wasm_v128_store(to + k, positive);
    most = wasm_f32x4_pmax(most, positive);
  }
  most = wasm_f32x4_pmax(most, wasm_i32x4_shuffle(most, most, 2, 3, 0, 1));
  most = wasm_f32x4_pmax(most, wasm_i32x4_shuffle(most, most, 1, 0, 3, 2));
  return wasm_f32x4_extract_lane(most, 0);
}

/** Rounds a frame with values from 0 to `most` to integers from 0 to `largest`; returns its scale. */
static f32 quantise_frame(const f32 *frame, f32 most, f32 largest, int16_t *to) {
  const vec factor = four(most > 0 ? largest / most : 0);
  for (i32 k = 0; k < WIDTH; k += 8) {
    const vec low = wasm_f32x4_nearest(times(wasm_v128_load(frame + k), factor));
    const vec high = wasm_f32x4_nearest(times(wasm_v128_load(frame + k + 4), factor));
    const vec low_int = wasm_i32x4_trunc_sat_f32x4(low), high_int = wasm_i32x4_trunc_sat_f32x4(high);
    wasm_v128_store(to + k, wasm_i16x8_narrow_i32x4(low_int, high_int));
  }
  return most / largest;
}

/** What a layer reads: a frame for each tap of each frame of the hop. */
typedef struct {
  const int16_t *frame;
  f32 scale;
} Input;

/** Products of four rows with the inputs of both frames, summed over the taps; the rows' scales are not applied. `row`:
 *  the packed weights of the rows. */
static inline void multiply_rows(const int16_t *row, const Input inputs[TAPS][FRAMES], f32 products[ROWS][FRAMES]) {
  vec all[ROWS][FRAMES];
  for (i32 r = 0; r < ROWS; r++) all[r][0] = all[r][1] = four(0);
  for (i32 tap = 0; tap < TAPS; tap++) {
    const Input first = inputs[tap][0], second = inputs[tap][1];
    for (i32 block = 0; block < WIDTH; block += BLOCK) {
      vec sums[ROWS][FRAMES];
      for (i32 r = 0; r < ROWS; r++) sums[r][0] = sums[r][1] = wasm_i32x4_splat(0);
      for (i32 k = block; k < block + BLOCK; k += 8, row += 8 * ROWS) {
        const vec x = wasm_v128_load(first.frame + k), y = wasm_v128_load(second.frame + k);
        for (i32 r = 0; r < ROWS; r++) {
          const vec weight = wasm_v128_load(row + 8 * r);
          sums[r][0] = wasm_i32x4_add(sums[r][0], wasm_i32x4_dot_i16x8(weight, x));
          sums[r][1] = wasm_i32x4_add(sums[r][1], wasm_i32x4_dot_i16x8(weight, y));
        }
      }
      for (i32 r = 0; r < ROWS; r++) {
        all[r][0] = plus(all[r][0], times(wasm_f32x4_convert_i32x4(sums[r][0]), four(first.scale)));
        all[r][1] = plus(all[r][1], times(wasm_f32x4_convert_i32x4(sums[r][1]), four(second.scale)));
      }
    }
  }
  for (i32 r = 0; r < ROWS; r++) {
    for (i32 frame = 0; frame < FRAMES; frame++) products[r][frame] = sum_lanes(all[r][frame]);
  }
}

void run_layer(i32 layer, i32 *oldest, int16_t (*ring)[WIDTH], f32 *scales, f32 x[FRAMES][WIDTH]) {
  const i32 length = ring_length(layer), distance = DISTANCES[layer];
  for (i32 frame = 0; frame < FRAMES; frame++) {
    f32 normal[WIDTH];
    const f32 most = normalise(x[frame], layer, normal);
    const i32 newest = (*oldest + 2 * distance + frame) % length;
    scales[newest] = quantise_frame(normal, most, largest_inputs[layer], ring[newest]);
  }
  Input inputs[TAPS][FRAMES];
  for (i32 tap = 0; tap < TAPS; tap++) {
    for (i32 frame = 0; frame < FRAMES; frame++) {
      const i32 at = (*oldest + tap * distance + frame) % length;
      inputs[tap][frame] = (Input){ring[at], scales[at]};
    }
  }
  for (i32 row = 0; row < WIDTH; row += ROWS) {
    f32 products[ROWS][FRAMES];
    multiply_rows(weights[layer] + row * COLUMNS, inputs, products);
    for (i32 r = 0; r < ROWS; r++) {
      const f32 scale = row_scales[layer][row + r], bias = mix_bias[layer * WIDTH + row + r];
      for (i32 frame = 0; frame < FRAMES; frame++) x[frame][row + r] += products[r][frame] * scale + bias;
    }
  }
  *oldest = (*oldest + FRAMES) % length;
}
