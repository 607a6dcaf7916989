// Textures and how they are sampled.
//
// A texture is made of texels of one size, with a border of zero texels: one on the left and above, two on the right and
// below. So every place that is clamped to the texture has all four neighbours in memory, and what lies outside fades
// to zero, as GridSample's padding_mode "zeros" wants. Texels hold bytes:
//
//   1 byte   a plane of luma or of shade
//   4 bytes  a pixel (Y, U, V, mask), or the chroma of a block
//   8 bytes  a block of 2 x 2 pixels: four lumas or masks, and the chroma of the block
//
// The chroma of a block is U and V, rounded down, then their remainders in 256ths (of the mean of four pixels, the
// remainder is 0, 64, 128 or 192).
#ifndef TEXTURE_H
#define TEXTURE_H

#include "rig.h"

typedef struct {
  u8 *texels;
  i32 row_bytes;
  /** Place of a pixel = its position in the region - origin, clamped to 0..most. */
  f32 origin_x, origin_y, most_x, most_y;
} Texture;

/** Bits behind the point of a place, and of a weight. */
enum { PLACE_BITS = 12, WEIGHT_BITS = 14, WEIGHT_ONE = 1 << WEIGHT_BITS };
/** Samples are sums of bytes times weights. These make of them colours 0..255, and masks 0..1. */
static const f32 COLOUR = 1.0f / WEIGHT_ONE, MASK = 1.0f / (255.0f * WEIGHT_ONE);
/** A mask that hides all. */
enum { OPAQUE = 255 * WEIGHT_ONE };

/** Four places: texels, and weights of the texels on the left and on the right; the upper one's in the lower half of a
 *  lane, the lower one's in the upper half. */
typedef struct {
  i32x4 column, row, left, right;
} Places;

/** `columns` x `rows` texels of `texel_bytes` each for what lies at (x, y) in the region, all zero. */
Texture create_texture(i32 columns, i32 rows, i32 texel_bytes, i32 x, i32 y);
/** Fills texels of `texel_bytes` from planes: byte k of a texel from plane channels[k]. */
Texture interleave(const u8 *planes, Box box, const u8 *channels, i32 channel_count, i32 texel_bytes);
/** Blocks of a box from planes that reach one pixel further to the right and below: luma (or mask) and chroma. */
Texture create_blocks(const u8 *luma, const u8 *u, const u8 *v, Box box);
/** Only the chroma of blocks, in texels of four bytes. */
Texture create_block_chroma(const u8 *u, const u8 *v, Box box);

static inline Places locate(const Texture *texture, f32x4 x, f32x4 y) {
  const f32x4 zero = splat(0);
  x = clamp(x - texture->origin_x, zero, splat(texture->most_x));
  y = clamp(y - texture->origin_y, zero, splat(texture->most_y));
  // The sum of 2048 and a number below it has 12 bits behind its point: a conversion to fixed point in one addition.
  const i32x4 fixed_x = (i32x4)(x + 2048.0f) - 0x45000000, fixed_y = (i32x4)(y + 2048.0f) - 0x45000000;
  const i32 part = (1 << PLACE_BITS) - 1;
  const i32x4 across = fixed_x & part, down = fixed_y & part;
  const i32 cut = 2 * PLACE_BITS - WEIGHT_BITS;
  const i32x4 lower_right = (across * down + (1 << (cut - 1))) >> cut;
  const i32x4 right = across << (WEIGHT_BITS - PLACE_BITS), lower = down << (WEIGHT_BITS - PLACE_BITS);
  const i32x4 upper_right = right - lower_right, lower_left = lower - lower_right;
  const i32x4 upper_left = WEIGHT_ONE - right - lower_left;
  return (Places){fixed_x >> PLACE_BITS, fixed_y >> PLACE_BITS, upper_left | lower_left << 16,
                  upper_right | lower_right << 16};
}

/** Offsets of the upper left texels. */
static inline i32x4 offsets(const Texture *texture, const Places *places, i32 texel_bytes) {
  return places->row * texture->row_bytes + places->column * texel_bytes;
}

/** A texel of eight bytes: its first four and its last four, times WEIGHT_ONE. */
typedef struct {
  i32x4 first, last;
} Sample8;

static inline Sample8 sample8(const Texture *texture, const Places *places, i32x4 offset, i32 k) {
  const u8 *upper = texture->texels + offset[k], *lower = upper + texture->row_bytes;
  const i16x8 left = (i16x8)splat_lane(places->left, k), right = (i16x8)splat_lane(places->right, k);
  const i16x8 upper_left = load_bytes8(upper), upper_right = load_bytes8(upper + 8);
  const i16x8 lower_left = load_bytes8(lower), lower_right = load_bytes8(lower + 8);
  return (Sample8){
      dot_pairs(zip_low_i16(upper_left, lower_left), left) + dot_pairs(zip_low_i16(upper_right, lower_right), right),
      dot_pairs(zip_high_i16(upper_left, lower_left), left) + dot_pairs(zip_high_i16(upper_right, lower_right), right)};
}

/** A texel of four bytes, times WEIGHT_ONE. */
static inline i32x4 sample4(const Texture *texture, const Places *places, i32x4 offset, i32 k) {
  const u8 *upper = texture->texels + offset[k];
  const i16x8 above = load_bytes8(upper), below = load_bytes8(upper + texture->row_bytes);
  return dot_pairs(zip_low_i16(above, below), (i16x8)splat_lane(places->left, k)) +
         dot_pairs(zip_high_i16(above, below), (i16x8)splat_lane(places->right, k));
}

/** Texels of one byte at four places, times WEIGHT_ONE. */
static inline i32x4 sample1(const Texture *texture, const Places *places) {
  const i32x4 offset = offsets(texture, places, 1);
  i32x4 four;
  for (i32 k = 0; k < 4; k++) {
    const u8 *upper = texture->texels + offset[k], *lower = upper + texture->row_bytes;
    u16 above, below;
    __builtin_memcpy(&above, upper, 2);
    __builtin_memcpy(&below, lower, 2);
    four[k] = (i32)(above | (u32)below << 16);
  }
  const i32x4 low_bytes = splat_i32(0x00ff00ff);
  return dot_pairs((i16x8)(four & low_bytes), (i16x8)places->left) +
         dot_pairs((i16x8)((i32x4)((u32x4)four >> 8) & low_bytes), (i16x8)places->right);
}

/** Four lumas of a block of a plane, times WEIGHT_ONE, from the 3 x 3 pixels that its bilinear sample needs. */
static inline i32x4 sample_block_of_plane(const Texture *texture, const Places *places, i32x4 offset, i32 k) {
  const u8 *upper = texture->texels + offset[k];
  vec rows = wasm_v128_load32_zero(upper);
  rows = wasm_v128_load32_lane(upper + texture->row_bytes, rows, 1);
  rows = wasm_v128_load32_lane(upper + 2 * texture->row_bytes, rows, 2);
  // Upper and lower neighbour on the left of each of the four pixels, then those on the right.
  const vec pairs = (vec)__builtin_shufflevector((u8x16)rows, (u8x16)rows, 0, 4, 1, 5, 4, 8, 5, 9, 1, 5, 2, 6, 5, 9,
                                                       6, 10);
  return dot_pairs((i16x8)wasm_u16x8_extend_low_u8x16(pairs), (i16x8)splat_lane(places->left, k)) +
         dot_pairs((i16x8)wasm_u16x8_extend_high_u8x16(pairs), (i16x8)splat_lane(places->right, k));
}

/** U, V of two blocks from their chroma: U0 V0 U1 V1, times WEIGHT_ONE. */
static inline i32x4 chroma_of(i32x4 block0, i32x4 block1) {
  return join_low_i32(block0, block1) + (join_high_i32(block0, block1) >> 8);
}

/** Rounded bytes of samples. */
static inline i32x4 rounded(i32x4 sample) { return (sample + WEIGHT_ONE / 2) >> WEIGHT_BITS; }
/** Rounded bytes of colours 0..255. */
static inline i32x4 rounded_colour(f32x4 colour) { return to_i32x4(colour + 0.5f); }
static inline f32x4 scaled(i32x4 sample, f32 scale) { return to_f32x4(sample) * scale; }

/** Rows to columns: of four times (a, b, c, d), the four a, the four b and so on. */
static inline void transpose(const i32x4 in[4], i32x4 out[4]) {
  const f32x4 ab01 = zip_low((f32x4)in[0], (f32x4)in[1]), cd01 = zip_high((f32x4)in[0], (f32x4)in[1]);
  const f32x4 ab23 = zip_low((f32x4)in[2], (f32x4)in[3]), cd23 = zip_high((f32x4)in[2], (f32x4)in[3]);
  out[0] = (i32x4)join_low(ab01, ab23);
  out[1] = (i32x4)join_high(ab01, ab23);
  out[2] = (i32x4)join_low(cd01, cd23);
  out[3] = (i32x4)join_high(cd01, cd23);
}

#endif
