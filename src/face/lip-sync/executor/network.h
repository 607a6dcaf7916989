// Sizes and state of the audio-to-viseme network, the same as in lab/training/lip-sync/network.py.
#ifndef OPEN_AVATAR_LIP_SYNC_NETWORK_H
#define OPEN_AVATAR_LIP_SYNC_NETWORK_H

#include "../../../signal/wasm/simd.h"

enum {
  /** Samples of a hop (40 ms at 16 kHz), and those before it that its first window covers. */
  HOP = 640,
  CONTEXT = 240,
  MELS = 64,
  /** Analysis windows, and frames of the network, in a hop: every 10 ms and every 20 ms. */
  WINDOWS = 4,
  FRAMES = 2,
  FEATURES = WINDOWS / FRAMES * MELS,
  WIDTH = 256,
  TAPS = 3,
  COLUMNS = TAPS * WIDTH,
  LAYERS = 8,
  LOGITS = 36,
  /** Frames that the layers keep: 2 x distance each, and the two of this hop. */
  KEPT = 2 * (1 + 2 + 4 + 8 + 16 + 32 + 1 + 4) + FRAMES * LAYERS,
};

/** State of one stream. All zero: a new stream. */
typedef struct {
  f32 audio[CONTEXT + HOP];
  /** The layers' normalised frames, a ring for each layer: 16 bits with a scale per frame. `oldest`: index in the ring. */
  i32 oldest[LAYERS];
  f32 scales[KEPT];
  int16_t frames[KEPT][WIDTH];
} Stream;

/** Log-mel features of a hop, [WINDOWS][MELS], from its samples and those before it, [CONTEXT + HOP]. */
void analyse(const f32 *audio, f32 *features);

/** Layer normalisation of a frame [WIDTH] with the parameters of a layer (LAYERS: those before the answer), negative
 *  values set to 0. Returns the largest value. */
f32 normalise(const f32 *x, i32 layer, f32 *to);

/** Adds to each frame of `x` what a layer makes of it and of earlier frames, and keeps the new frames. `ring` and
 *  `scales` are the layer's part of the stream. */
void run_layer(i32 layer, i32 *oldest, int16_t (*ring)[WIDTH], f32 *scales, f32 x[FRAMES][WIDTH]);

/** Frames in the ring of a layer. */
i32 ring_length(i32 layer);

/** The value of a 16-bit float that is neither infinite nor NaN. */
f32 from_half(u16 half);

/** Sum of the four lanes. */
static inline f32 sum_lanes(vec v) {
  v = wasm_f32x4_add(v, wasm_i32x4_shuffle(v, v, 2, 3, 0, 1));
  return wasm_f32x4_extract_lane(v, 0) + wasm_f32x4_extract_lane(v, 1);
}

static inline vec four(f32 value) { return wasm_f32x4_splat(value); }
static inline vec plus(vec a, vec b) { return wasm_f32x4_add(a, b); }
static inline vec minus(vec a, vec b) { return wasm_f32x4_sub(a, b); }
static inline vec times(vec a, vec b) { return wasm_f32x4_mul(a, b); }

#endif
