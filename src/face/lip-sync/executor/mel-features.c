// Log-mel features. The graph has the DFT as a matrix of 400 x 514; here it is a fast Fourier transform, in which the
// four lanes of a vector are the four windows of a hop.
#include "network.h"

enum {
  WINDOW = 400,
  STEP = 160,
  /** Points of the complex transform: half of the 512 real ones. */
  POINTS = 256,
  BINS = POINTS + 1,
  TURN = 2 * POINTS,
};

static const f32 MEL_FLOOR = 1e-6f;

/** Parameters, written by the loader: the window, cosines of 2 pi k / 512, and for each mel band its first bin, its
 *  number of bins and their weights, one band after the other. */
EXPORT f32 window_shape[WINDOW];
EXPORT f32 cosines[TURN];
EXPORT i32 mel_first[MELS];
EXPORT i32 mel_count[MELS];
EXPORT f32 mel_weights[2 * BINS];

static inline f32 cosine(i32 k) { return cosines[k & (TURN - 1)]; }
static inline f32 sine(i32 k) { return cosines[(k - TURN / 4) & (TURN - 1)]; }

/** One pass of the transform, radix 4, in the order of Stockham, which needs no reordering. Source: T. Stockham,
 *  High-speed convolution and correlation, 1966. */
static void pass(i32 length, i32 stride, const vec *re, const vec *im, vec *re_to, vec *im_to) {
  const i32 quarter = length / 4, apart = stride * quarter;
  for (i32 p = 0; p < quarter; p++) {
    const i32 turn = TURN / length * p;
    for (i32 q = 0; q < stride; q++) {
      const i32 from = q + stride * p, to = q + 4 * stride * p;
      const vec ar = re[from], br = re[from + apart], cr = re[from + 2 * apart], dr = re[from + 3 * apart];
      const vec ai = im[from], bi = im[from + apart], ci = im[from + 2 * apart], di = im[from + 3 * apart];
      const vec even_r = plus(ar, cr), even_i = plus(ai, ci), odd_r = plus(br, dr), odd_i = plus(bi, di);
      const vec across_r = minus(ar, cr), across_i = minus(ai, ci);
      // -i (b - d)
      const vec turned_r = minus(bi, di), turned_i = minus(dr, br);
      re_to[to] = plus(even_r, odd_r);
      im_to[to] = plus(even_i, odd_i);
      const vec r[3] = {plus(across_r, turned_r), minus(even_r, odd_r), minus(across_r, turned_r)};
      const vec i[3] = {plus(across_i, turned_i), minus(even_i, odd_i), minus(across_i, turned_i)};
      for (i32 k = 1; k < 4; k++) {
        const vec c = four(cosine(k * turn)), s = four(sine(k * turn));
        re_to[to + k * stride] = plus(times(r[k - 1], c), times(i[k - 1], s));
        im_to[to + k * stride] = minus(times(i[k - 1], c), times(r[k - 1], s));
      }
    }
  }
}

/** Power of the windows' 257 bins. */
static void power_of(const f32 *audio, vec *power) {
  static vec re[POINTS], im[POINTS], other_re[POINTS], other_im[POINTS];
  for (i32 n = 0; n < WINDOW; n++) {
    const f32 *at = audio + n;
    const vec samples = wasm_f32x4_make(at[0], at[STEP], at[2 * STEP], at[3 * STEP]);
    // Even samples are the real part of the points, odd samples the imaginary part.
    (n & 1 ? im : re)[n >> 1] = times(samples, four(window_shape[n]));
  }
  for (i32 n = WINDOW / 2; n < POINTS; n++) re[n] = im[n] = four(0);
  pass(256, 1, re, im, other_re, other_im);
  pass(64, 4, other_re, other_im, re, im);
  pass(16, 16, re, im, other_re, other_im);
  pass(4, 64, other_re, other_im, re, im);
  const vec half = four(0.5f);
  for (i32 k = 0; k < BINS; k++) {
    const i32 here = k & (POINTS - 1), mirror = (POINTS - k) & (POINTS - 1);
    const vec even_r = times(plus(re[here], re[mirror]), half), even_i = times(minus(im[here], im[mirror]), half);
    const vec odd_r = times(plus(im[here], im[mirror]), half), odd_i = times(minus(re[mirror], re[here]), half);
    const vec c = four(cosine(k)), s = four(sine(k));
    const vec real = plus(even_r, plus(times(odd_r, c), times(odd_i, s)));
    const vec imaginary = plus(even_i, minus(times(odd_i, c), times(odd_r, s)));
    power[k] = plus(times(real, real), times(imaginary, imaginary));
  }
}

/** Natural logarithm of four positive normal numbers, within 1e-6: with x = 2^e (1 + f) and s = f / (2 + f), it is
 *  e log 2 + 2 (s + s^3 / 3 + s^5 / 5 + ...). */
static vec logarithm(vec x) {
  // 0x3f3504f3 is the square root of a half: f lies between -0.29 and 0.41.
  const vec exponent = wasm_i32x4_shr(wasm_i32x4_sub(x, wasm_i32x4_splat(0x3f3504f3)), 23);
  const vec f = minus(wasm_i32x4_sub(x, wasm_i32x4_shl(exponent, 23)), four(1));
  const vec s = wasm_f32x4_div(f, plus(f, four(2))), z = times(s, s);
  vec series = plus(times(z, four(1.f / 9)), four(1.f / 7));
  series = plus(times(z, series), four(1.f / 5));
  series = plus(times(z, series), four(1.f / 3));
  series = plus(times(z, series), four(1));
  return plus(times(wasm_f32x4_convert_i32x4(exponent), four(0.693147181f)), times(four(2), times(s, series)));
}

void analyse(const f32 *audio, f32 *features) {
  static vec power[BINS];
  power_of(audio, power);
  const f32 *weight = mel_weights;
  for (i32 mel = 0; mel < MELS; mel++) {
    vec sum = four(MEL_FLOOR);
    const vec *bins = power + mel_first[mel];
    for (i32 k = 0; k < mel_count[mel]; k++) sum = plus(sum, times(bins[k], four(*weight++)));
    const vec feature = times(plus(logarithm(sum), four(4)), four(0.25f));
    features[mel] = wasm_f32x4_extract_lane(feature, 0);
    features[MELS + mel] = wasm_f32x4_extract_lane(feature, 1);
    features[2 * MELS + mel] = wasm_f32x4_extract_lane(feature, 2);
    features[3 * MELS + mel] = wasm_f32x4_extract_lane(feature, 3);
  }
}
