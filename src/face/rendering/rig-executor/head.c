// The head: everything but lower lip and chin, lids and eyeballs. One position a block of 2 x 2 pixels.
#include "field.h"
#include "texture.h"

/** Pixels that the texture reaches beyond the region; see headBox in src/face/rig-graph/rig-shape.ts. */
enum { RIM = 2 };

Field head_field;
static Texture luma, chroma;

void load_head_field(const u16 *halves) {
  const i32 side = shape.region_px;
  head_field = create_field(&shape.head, halves, (Box){0, 0, side, side}, half_side(), half_side());
  head_field.steps = (i32)tuning.head_steps;
  head_x = take(4 * half_side() * half_side());
  head_y = take(4 * half_side() * half_side());
}

void load_head(const u8 *planes) {
  const i32 side = shape.region_px + 2 * RIM, stored = side + 1, plane = stored * stored;
  static const u8 first[] = {0};
  luma = interleave(planes, (Box){-RIM, -RIM, stored, stored}, first, 1, 1);
  chroma = create_block_chroma(planes + plane, planes + 2 * plane, (Box){-RIM, -RIM, side, side});
}

/** Blocks from..end-1 of a row of blocks; both are multiples of 4. */
static void render_blocks(i32 row, i32 from, i32 end) {
  const f32 *shift_x = head_x + row * half_side(), *shift_y = head_y + row * half_side();
  u8 *upper = target.y + 2 * row * target.stride, *lower = upper + target.stride;
  u8 *to_u = target.u + row * target.stride / 2, *to_v = target.v + row * target.stride / 2;
  const f32 y = 2 * row;
  for (i32 block = from; block < end; block += 4) {
    const Places places =
        locate(&chroma, series(2 * block, 2) + load_f32x4(shift_x + block), y + load_f32x4(shift_y + block));
    const i32x4 in_chroma = offsets(&chroma, &places, 4), in_luma = offsets(&luma, &places, 1);
    i32x4 pixels[4], colours[4];
    for (i32 k = 0; k < 4; k++) {
      pixels[k] = rounded(sample_block_of_plane(&luma, &places, in_luma, k));
      colours[k] = sample4(&chroma, &places, in_chroma, k);
    }
    const vec first = wasm_i16x8_narrow_i32x4((vec)pixels[0], (vec)pixels[1]);
    const vec second = wasm_i16x8_narrow_i32x4((vec)pixels[2], (vec)pixels[3]);
    const u8x16 bytes = (u8x16)wasm_u8x16_narrow_i16x8(first, second);
    const vec lines = (vec)__builtin_shufflevector(bytes, bytes, 0, 1, 4, 5, 8, 9, 12, 13, 2, 3, 6, 7, 10, 11, 14, 15);
    wasm_v128_store64_lane(upper + 2 * block, lines, 0);
    wasm_v128_store64_lane(lower + 2 * block, lines, 1);
    const u8x16 mixed = (u8x16)to_bytes8(rounded(chroma_of(colours[0], colours[1])),
                                         rounded(chroma_of(colours[2], colours[3])));
    const vec apart = (vec)__builtin_shufflevector(mixed, mixed, 0, 2, 4, 6, 1, 3, 5, 7, 0, 0, 0, 0, 0, 0, 0, 0);
    wasm_v128_store32_lane(to_u + block, apart, 0);
    wasm_v128_store32_lane(to_v + block, apart, 1);
  }
}

void render_head(void) {
  const i32 half = half_side();
  const i32 mouth_from = shape.mouth.y / 2, mouth_end = (shape.mouth.y + shape.mouth.height) / 2;
  update_field(&head_field);
  for (i32 row = 0; row < half; row++) {
    // A row of displacements is used while it is in the cache.
    resize_row(&head_field, row, half, head_x + row * half, head_y + row * half);
    const i32 has_mouth = row >= mouth_from && row < mouth_end;
    render_blocks(row, 0, has_mouth ? shape.mouth.x / 2 : half);
    if (has_mouth) render_blocks(row, (shape.mouth.x + shape.mouth.width) / 2, half);
  }
}
