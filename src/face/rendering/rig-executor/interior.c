// What is behind the lips: tongue and teeth, flat boards that move as a whole, in front of the dark cavity.
#include "texture.h"

/** Colours and masks of the layers, in blocks of the interior's box. */
static Texture colours[INTERIOR_LAYERS], masks[INTERIOR_LAYERS];
/** Per input and layer, x and y: displacement at the four corners of the box, px. */
enum { CORNERS = 4, CORNER_NUMBERS = INTERIOR_LAYERS * AXES * CORNERS };
static f32 corner_basis[MOST_INPUTS][CORNER_NUMBERS];
/** Their sum for a frame. */
static f32 corners[INTERIOR_LAYERS][AXES][CORNERS];
/** Y, and U V U V, of the cavity. */
static f32x4 cavity_luma, cavity_chroma;

void load_interior_corners(const f32 *weights) {
  const f32 to_px[AXES] = {0.5f * shape.interior.width, 0.5f * shape.interior.height};
  for (i32 input = 0; input < input_count(); input++)
    for (i32 i = 0; i < CORNER_NUMBERS; i++) corner_basis[input][i] = *weights++ * to_px[i / CORNERS % AXES];
}

void load_interior(const u8 *planes) {
  const Box box = shape.interior;
  const i32 plane = (box.width + 1) * (box.height + 1);
  for (i32 layer = 0; layer < INTERIOR_LAYERS; layer++, planes += 4 * plane) {
    const u8 *mask = planes + 3 * plane;
    colours[layer] = create_blocks(planes, planes + plane, planes + 2 * plane, box);
    masks[layer] = create_blocks(mask, mask, mask, box);
  }
}

void load_cavity(const f32 *colour) {
  // Four times Y, then U and V, each with the half that a conversion to bytes needs.
  cavity_luma = splat(colour[0] - 0.5f);
  cavity_chroma = (f32x4){colour[4], colour[5], colour[4], colour[5]} - 0.5f;
}

void move_interior(void) {
  f32 *to = &corners[0][0][0];
  for (i32 i = 0; i < CORNER_NUMBERS; i++) {
    f32 sum = 0;
    for (i32 input = 0; input < input_count(); input++) sum += inputs[input] * corner_basis[input][i];
    to[i] = sum;
  }
}

/** Displacement of a layer at blocks whose share of the way across the box is `across`, and down `down`. */
static inline f32x4 shift_of(const f32 corner[CORNERS], f32x4 across, f32 down) {
  const f32 left = corner[0] + (corner[2] - corner[0]) * down, right = corner[1] + (corner[3] - corner[1]) * down;
  return left + (right - left) * across;
}

f32x4 interior_blocks(i32 column, i32 row, f32x4 luma[2]) {
  const Box box = shape.interior;
  const f32 step = 1.0f / (box.width / 2 - 1), down = (f32)row / (box.height / 2 - 1);
  const f32x4 across = series(column * step, step);
  f32x4 chroma = cavity_chroma;
  luma[0] = luma[1] = cavity_luma;
  for (i32 layer = 0; layer < INTERIOR_LAYERS; layer++) {
    const Texture *mask = &masks[layer], *colour = &colours[layer];
    const f32x4 x = series(box.x + 2 * column, 2) + shift_of(corners[layer][X], across, down);
    const f32x4 y = (f32)(box.y + 2 * row) + shift_of(corners[layer][Y], across, down);
    const Places places = locate(mask, x, y);
    // Both textures have the same layout.
    const i32x4 at = offsets(mask, &places, 8);
    const Sample8 mask0 = sample8(mask, &places, at, 0), mask1 = sample8(mask, &places, at, 1);
    if (!any_bit(mask0.last | mask1.last)) continue;
    const Sample8 colour0 = sample8(colour, &places, at, 0), colour1 = sample8(colour, &places, at, 1);
    luma[0] = mix(luma[0], scaled(colour0.first, COLOUR), scaled(mask0.first, MASK));
    luma[1] = mix(luma[1], scaled(colour1.first, COLOUR), scaled(mask1.first, MASK));
    chroma = mix(chroma, scaled(chroma_of(colour0.last, colour1.last), COLOUR),
                 scaled(chroma_of(mask0.last, mask1.last), MASK));
  }
  return chroma;
}
