// The mouth's box at every pixel: the interior, over it lower lip and chin, over them the head with the upper lip.
// Two blocks at a time: two lines of four pixels.
#include "field.h"
#include "texture.h"

/** Y, U, V and mask of a layer; its shade. The upper layer lies in the mouth's source, the lower one in its box. */
static Texture upper_lip, upper_shade, lower_lip, lower_shade;
static Field jaw;
/** Y, U, V of an interior that no light reaches. */
static f32 dark[3];
/** Light behind the lips in this frame. */
static f32 light;
/** Displacements at the pixels of two lines, px. */
static f32 upper_x[2][MOST_SIDE + 16], upper_y[2][MOST_SIDE + 16];
static f32 lower_x[2][MOST_SIDE + 16], lower_y[2][MOST_SIDE + 16];

/** A layer at two blocks. */
typedef struct {
  Places places[2];
  /** Y, U, V, mask of the eight pixels, line by line, times WEIGHT_ONE. */
  i32x4 pixels[8];
  /** Y and mask of each line. */
  f32x4 luma[2], mask[2];
  /** Sums over each block of Y, U, V, mask, times WEIGHT_ONE. */
  i32x4 sum[2];
} Layer;

/** Colours of two blocks: two lines of luma, and U V U V. */
typedef struct {
  f32x4 luma[2], chroma;
} Blocks;

static void load_lip(const u8 *planes, Box box, Texture *lip, Texture *shade) {
  static const u8 colours_and_mask[] = {0, 1, 2, 3}, only_shade[] = {4};
  *lip = interleave(planes, box, colours_and_mask, 4, 4);
  *shade = interleave(planes, box, only_shade, 1, 1);
}

void load_upper_lip(const u8 *planes) { load_lip(planes, shape.mouth_source, &upper_lip, &upper_shade); }
void load_lower_lip(const u8 *planes) { load_lip(planes, shape.mouth, &lower_lip, &lower_shade); }

void load_jaw_field(const u16 *halves) {
  jaw = create_field(&shape.jaw, halves, shape.mouth, shape.mouth.width, shape.mouth.height);
  jaw.steps = (i32)tuning.jaw_steps;
  jaw.repeats_border = 1;
}

void load_dark(i32 first, const f32 *colour, i32 count) {
  for (i32 k = 0; k < count; k++) dark[first + k] = colour[k] - 0.5f;
}

static inline void sample_layer(const Texture *texture, i32 x, i32 y, f32 *const shift_x, f32 *const shift_y,
                                Layer *layer) {
  for (i32 line = 0; line < 2; line++) {
    const f32 *own_x = shift_x + line * (MOST_SIDE + 16), *own_y = shift_y + line * (MOST_SIDE + 16);
    const i32 in_box = x - shape.mouth.x;
    const Places places = locate(texture, series(x, 1) + load_f32x4(own_x + in_box),
                                 (f32)(y + line) + load_f32x4(own_y + in_box));
    const i32x4 at = offsets(texture, &places, 4);
    for (i32 k = 0; k < 4; k++) layer->pixels[4 * line + k] = sample4(texture, &places, at, k);
    layer->places[line] = places;
  }
  const i32x4 *pixels = layer->pixels;
  layer->sum[0] = (pixels[0] + pixels[1]) + (pixels[4] + pixels[5]);
  layer->sum[1] = (pixels[2] + pixels[3]) + (pixels[6] + pixels[7]);
}

/** Luma and masks by line, for mixing. */
static inline void split_layer(Layer *layer) {
  for (i32 line = 0; line < 2; line++) {
    i32x4 channels[4];
    transpose(layer->pixels + 4 * line, channels);
    layer->luma[line] = scaled(channels[0], COLOUR);
    layer->mask[line] = scaled(channels[3], MASK);
  }
}

/** Means over two blocks: U V U V, and each block's mask twice. */
static inline f32x4 mean_chroma(const Layer *layer) {
  return scaled(__builtin_shufflevector(layer->sum[0], layer->sum[1], 1, 2, 5, 6), COLOUR / 4);
}
static inline f32x4 mean_mask(const Layer *layer) {
  return scaled(__builtin_shufflevector(layer->sum[0], layer->sum[1], 3, 3, 7, 7), MASK / 4);
}
/** Of two lines, each block's mean twice. */
static inline f32x4 block_mean(f32x4 upper, f32x4 lower) {
  const f32x4 sum = upper + lower;
  return (sum + __builtin_shufflevector(sum, sum, 1, 0, 3, 2)) * 0.25f;
}

/** Whether every pixel of a layer is opaque. */
static inline i32 hides_all(const Layer *layer) {
  const i32x4 *p = layer->pixels;
  for (i32 k = 0; k < 8; k++)
    if (p[k][3] < OPAQUE) return 0;
  return 1;
}

/** Stores a layer that hides all behind it. */
static inline void store_layer(const Layer *layer, u8 *y, u8 *u, u8 *v) {
  const i32x4 *p = layer->pixels;
  for (i32 line = 0; line < 2; line++) {
    const i32x4 luma = {p[4 * line][0], p[4 * line + 1][0], p[4 * line + 2][0], p[4 * line + 3][0]};
    store_bytes4(y + line * target.stride, rounded(luma));
  }
  const i32x4 sums = __builtin_shufflevector(layer->sum[0], layer->sum[1], 1, 5, 2, 6);
  const i32x4 means = (sums + 2 * WEIGHT_ONE) >> (WEIGHT_BITS + 2);
  const vec bytes = to_bytes8(means, means);
  wasm_v128_store16_lane(u, bytes, 0);
  wasm_v128_store16_lane(v, bytes, 1);
}

/** Light that passes a lip of some shade. */
static inline f32x4 passes(f32x4 shade, f32 strength) { return 1.0f - strength * shade; }

/** Puts the interior behind the lower lip, at pixels x.. and lines y, y + 1. */
static inline void show_interior(i32 x, i32 y, const Layer *lower, const f32x4 shade[2], f32x4 mean_shade, Blocks *lip) {
  f32x4 under[2], inner[2];
  for (i32 line = 0; line < 2; line++) under[line] = scaled(sample1(&lower_shade, &lower->places[line]), MASK);
  const f32x4 inner_chroma = interior_blocks((x - shape.interior.x) / 2, (y - shape.interior.y) / 2, inner);
  // Blocks come as four pixels each; lines are wanted.
  const f32x4 lines[2] = {join_low(inner[0], inner[1]), join_high(inner[0], inner[1])};
  for (i32 line = 0; line < 2; line++) {
    const f32x4 reached = passes(shade[line], tuning.upper_lip_shade) * passes(under[line], tuning.lower_lip_shade) * light;
    lip->luma[line] = mix(mix(splat(dark[0]), lines[line], reached), lip->luma[line], lower->mask[line]);
  }
  const f32x4 mean_under = block_mean(under[0], under[1]);
  const f32x4 reached = passes(mean_shade, tuning.upper_lip_shade) * passes(mean_under, tuning.lower_lip_shade) * light;
  const f32x4 behind = mix((f32x4){dark[1], dark[2], dark[1], dark[2]}, inner_chroma, reached);
  lip->chroma = mix(behind, lip->chroma, mean_mask(lower));
}

static inline i32 is_in_interior(i32 x, i32 y) {
  const Box box = shape.interior;
  return x >= box.x && x < box.x + box.width && y >= box.y && y < box.y + box.height;
}

/** Lower lip and what is behind it, under an upper layer that lets something through. */
static inline Blocks render_behind(i32 x, i32 y, const Layer *upper) {
  Layer lower;
  sample_layer(&lower_lip, x, y, lower_x[0], lower_y[0], &lower);
  split_layer(&lower);
  f32x4 shade[2];
  for (i32 line = 0; line < 2; line++) shade[line] = scaled(sample1(&upper_shade, &upper->places[line]), MASK);
  const f32x4 mean_shade = block_mean(shade[0], shade[1]);
  // The lower lip lies in the upper lip's shadow.
  const f32 *black = tuning.black, contact = tuning.contact_shade;
  Blocks lip;
  for (i32 line = 0; line < 2; line++)
    lip.luma[line] = mix(lower.luma[line], splat(black[0]), shade[line] * shade[line] * contact);
  lip.chroma = mix(mean_chroma(&lower), (f32x4){black[1], black[2], black[1], black[2]}, mean_shade * mean_shade * contact);
  if (is_in_interior(x, y) && !hides_all(&lower)) show_interior(x, y, &lower, shade, mean_shade, &lip);
  return lip;
}

/** A row of blocks, at line y of the region. */
static void render_row(i32 y) {
  const Box box = shape.mouth;
  const i32 half = half_side(), row = (y - box.y) / 2, first_block = box.y / 2 * half + box.x / 2;
  i32 has_lower_shift = 0;
  double_rows(head_x + first_block, half, row, box.height / 2, box.width / 2, upper_x[0], upper_x[1]);
  double_rows(head_y + first_block, half, row, box.height / 2, box.width / 2, upper_y[0], upper_y[1]);
  for (i32 x = box.x; x < box.x + box.width; x += 4) {
    const i32 in_chroma = y / 2 * target.stride / 2 + x / 2;
    u8 *to = target.y + y * target.stride + x, *u = target.u + in_chroma, *v = target.v + in_chroma;
    Layer upper;
    sample_layer(&upper_lip, x, y, upper_x[0], upper_y[0], &upper);
    if (hides_all(&upper)) {
      store_layer(&upper, to, u, v);
      continue;
    }
    for (i32 line = 0; line < 2 && !has_lower_shift; line++)
      resize_row(&jaw, y - box.y + line, box.width, lower_x[line], lower_y[line]);
    has_lower_shift = 1;
    split_layer(&upper);
    const Blocks behind = render_behind(x, y, &upper);
    for (i32 line = 0; line < 2; line++) {
      const f32x4 luma = mix(behind.luma[line], upper.luma[line], upper.mask[line]);
      store_bytes4(to + line * target.stride, rounded_colour(luma));
    }
    const i32x4 chroma = rounded_colour(mix(behind.chroma, mean_chroma(&upper), mean_mask(&upper)));
    u[0] = (u8)chroma[0], v[0] = (u8)chroma[1], u[1] = (u8)chroma[2], v[1] = (u8)chroma[3];
  }
}

void render_mouth(void) {
  const Box box = shape.mouth;
  light = 1;
  for (i32 input = 0; input < input_count(); input++) light += inputs[input] * tuning.dusk[input];
  light = light < tuning.darkest ? tuning.darkest : light > 1 ? 1 : light;
  update_field(&jaw);
  move_interior();
  for (i32 y = box.y; y < box.y + box.height; y += 2) render_row(y);
}
