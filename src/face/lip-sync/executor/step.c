// The audio-to-viseme network on one processor thread: 40 ms of audio in, the logits of its two halves out. The same
// network as models/lip-sync/lip-sync.onnx; lip-sync-graph.ts takes the weights from there.
#include "network.h"

/** Full scale is 1. Audio of 16 bits is louder only by the overshoot of a filter. */
static const f32 LOUDEST = 8;

/** Parameters, written by the loader. */
EXPORT f32 lift_weights[WIDTH * FEATURES];
EXPORT f32 lift_bias[WIDTH];
EXPORT f32 answer_weights[LOGITS * WIDTH];
EXPORT f32 answer_bias[LOGITS];
extern u16 halves[];

/** The next hop, in [-1, 1], and the answer to it. */
EXPORT f32 hop[HOP];
EXPORT f32 logits[LOGITS];

/** Converts the first `count` of `halves`. */
EXPORT void unpack(f32 *to, i32 count) {
  for (i32 i = 0; i < count; i++) to[i] = from_half(halves[i]);
}

/** Bytes of a stream. */
EXPORT i32 stream_bytes(void) { return sizeof(Stream); }

/** Clears the state of a stream. */
EXPORT void reset(Stream *stream) { __builtin_memset(stream, 0, sizeof *stream); }

/** Sum of products; `count` is a multiple of eight. */
static f32 dot(const f32 *a, const f32 *b, i32 count) {
  vec even = four(0), odd = four(0);
  for (i32 k = 0; k < count; k += 8) {
    even = plus(even, times(wasm_v128_load(a + k), wasm_v128_load(b + k)));
    odd = plus(odd, times(wasm_v128_load(a + k + 4), wasm_v128_load(b + k + 4)));
  }
  return sum_lanes(plus(even, odd));
}

/** Appends `hop`. What is no number becomes silence: it would stay in the layers for seconds. */
static void take_hop(f32 *audio) {
  __builtin_memcpy(audio, audio + HOP, CONTEXT * sizeof(f32));
  for (i32 k = 0; k < HOP; k += 4) {
    const vec samples = wasm_v128_load(hop + k);
    const vec numbers = wasm_v128_and(samples, wasm_f32x4_eq(samples, samples));
    const vec limited = wasm_f32x4_pmax(wasm_f32x4_pmin(numbers, four(LOUDEST)), four(-LOUDEST));
    wasm_v128_store(audio + CONTEXT + k, limited);
  }
}

/** Runs the network on `hop`; the answer is in `logits`. */
EXPORT void step(Stream *stream) {
  f32 features[FRAMES][FEATURES], x[FRAMES][WIDTH], normal[WIDTH];
  take_hop(stream->audio);
  analyse(stream->audio, features[0]);
  for (i32 frame = 0; frame < FRAMES; frame++) {
    for (i32 row = 0; row < WIDTH; row++) {
      x[frame][row] = lift_bias[row] + dot(lift_weights + row * FEATURES, features[frame], FEATURES);
    }
  }
  for (i32 layer = 0, at = 0; layer < LAYERS; at += ring_length(layer), layer++) {
    run_layer(layer, stream->oldest + layer, stream->frames + at, stream->scales + at, x);
  }
  // The logits of both halves come from the newest frame, which has the most context.
  normalise(x[FRAMES - 1], LAYERS, normal);
  for (i32 row = 0; row < LOGITS; row++) {
    logits[row] = answer_bias[row] + dot(answer_weights + row * WIDTH, normal, WIDTH);
  }
}
