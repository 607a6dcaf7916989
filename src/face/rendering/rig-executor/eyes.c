// The eyes: eyeballs turned by the gaze in the openings between the lids, and the upper lids over them.
#include "field.h"
#include "texture.h"

/** Two eyes, a shift of the skin for each closure and for a raised lid. */
enum { MOST_LID_SHIFTS = 2 * (CLOSURES + 1) };

/** Bounds in the region of what a mask shows, px. A sample outside them is zero. */
typedef struct {
  f32 left, top, right, bottom;
} Extent;
/** Of the left and of the right half of the eyes' source: most of the box is neither lid nor eyeball. */
enum { HALVES = 2 };

static Texture ball, opening;
static Extent opening_extents[HALVES], lid_extents[HALVES];
/** Y of open and of shut lids, and the masks of left and right; at every pixel, because a closing lid stretches its
 *  skin so much that blocks would be visible as dots. */
static Texture lid_luma;
/** U, V of open lids, U, V of shut lids, both masks. */
static Texture lid_chroma;
/** Per input: how far the eyeballs move, px. */
static f32 gaze[MOST_INPUTS][AXES];
/** Shift of the skin at blocks of the eyes' box, [shift][block][x, y], px. */
static f32 *lid_basis;
/** The sum for a frame, with a border as a texture's. */
static f32 *lid_sum;
/** Where lids are sampled at blocks, the head's displacement included, px. */
static f32 *lid_x, *lid_y;
/** The same at the pixels of two lines. */
static f32 line_x[2][MOST_SIDE + 16], line_y[2][MOST_SIDE + 16];

static i32 block_columns(void) { return shape.eyes.width / 2; }
static i32 block_rows(void) { return shape.eyes.height / 2; }
/** Numbers from one row of lid_sum to the next. */
static i32 sum_stride(void) { return 2 * (block_columns() + 4); }

void load_gaze(const f32 *weights) {
  const f32 to_px[AXES] = {0.5f * shape.eyes_source.width, 0.5f * shape.eyes_source.height};
  for (i32 input = 0; input < input_count(); input++)
    for (i32 axis = X; axis < AXES; axis++) gaze[input][axis] = weights[AXES * input + axis] * to_px[axis];
}

void load_eyeballs(const u8 *planes) {
  const Box box = shape.eyes_source;
  const i32 plane = (box.width + 1) * (box.height + 1);
  ball = create_blocks(planes, planes + plane, planes + 2 * plane, box);
}

/** Widens the extents to the pixels of a mask that begins where the eyes' source does. A sample reaches one pixel, and
 *  that of a block another one. */
static void widen_extents(Extent extents[HALVES], const u8 *mask, i32 columns, i32 rows) {
  const Box box = shape.eyes_source;
  for (i32 row = 0; row < rows; row++) {
    for (i32 column = 0; column < columns; column++) {
      if (!*mask++) continue;
      Extent *extent = &extents[column * HALVES >= columns];
      const f32 x = box.x + column, y = box.y + row;
      if (x - 2 < extent->left) extent->left = x - 2;
      if (x + 2 > extent->right) extent->right = x + 2;
      if (y - 2 < extent->top) extent->top = y - 2;
      if (y + 2 > extent->bottom) extent->bottom = y + 2;
    }
  }
}

static void clear_extents(Extent extents[HALVES]) {
  for (i32 half = 0; half < HALVES; half++) extents[half] = (Extent){MOST_SIDE, MOST_SIDE, -1, -1};
}

/** Whether any of four places lies in one of the extents. */
static inline int is_touched(const Extent extents[HALVES], f32x4 x, f32x4 y) {
  i32x4 inside = splat_i32(0);
  for (i32 half = 0; half < HALVES; half++) {
    const Extent *extent = &extents[half];
    inside |= (x > extent->left) & (x < extent->right) & (y > extent->top) & (y < extent->bottom);
  }
  return any_bit(inside);
}

void load_eye_openings(const u8 *plane) {
  opening = create_blocks(plane, plane, plane, shape.eyes_source);
  clear_extents(opening_extents);
  widen_extents(opening_extents, plane, shape.eyes_source.width + 1, shape.eyes_source.height + 1);
}

void load_lids(const u8 *planes) {
  static const u8 luma[] = {0, 3, 6, 7}, chroma[] = {1, 2, 4, 5, 6, 7};
  const i32 columns = shape.eyes_source.width, rows = shape.eyes_source.height;
  clear_extents(lid_extents);
  widen_extents(lid_extents, planes + 6 * columns * rows, columns, rows);
  widen_extents(lid_extents, planes + 7 * columns * rows, columns, rows);
  lid_luma = interleave(planes, shape.eyes_source, luma, 4, 4);
  lid_chroma = interleave(planes, shape.eyes_source, chroma, 6, 8);
}

void load_lid_field(const u16 *halves) {
  const i32 blocks = block_columns() * block_rows();
  const f32 to_px[AXES] = {0.5f * shape.eyes.width, 0.5f * shape.eyes.height};
  lid_basis = take(4 * 2 * lid_shifts() * AXES * blocks);
  lid_sum = take(4 * sum_stride() * (block_rows() + 3));
  lid_x = take(4 * blocks);
  lid_y = take(4 * blocks);
  for (i32 shift = 0; shift < 2 * lid_shifts(); shift++)
    for (i32 axis = X; axis < AXES; axis++)
      for (i32 block = 0; block < blocks; block++)
        lid_basis[AXES * (shift * blocks + block) + axis] = from_half(*halves++) * to_px[axis];
}

/** Mixes the stored shifts linearly between closures; an open eye has none. A negative closure is a raised lid. Returns
 *  whether anything moves. */
static i32 sum_lid_shifts(f32 left, f32 right) {
  const i32 columns = block_columns(), rows = block_rows(), blocks = columns * rows;
  const i32 each = lid_shifts();
  f32 weights[MOST_LID_SHIFTS];
  i32 moves = 0;
  for (i32 shift = 0; shift < 2 * each; shift++) {
    const f32 closure = shift < each ? left : right;
    const i32 which = shift % each;
    const f32 distance = __builtin_fabsf(closure * CLOSURES - (which + 1));
    weights[shift] = which == CLOSURES ? (closure < 0 ? -closure : 0) : distance < 1 ? 1 - distance : 0;
    moves |= weights[shift] > 0;
  }
  for (i32 row = 0; row < rows && moves; row++) {
    f32 *to = lid_sum + (row + 1) * sum_stride() + AXES;
    for (i32 i = 0; i < AXES * columns; i += 4) {
      f32x4 sum = splat(0);
      for (i32 shift = 0; shift < 2 * each; shift++) {
        if (weights[shift] == 0) continue;
        sum += load_f32x4(lid_basis + AXES * (shift * blocks + row * columns) + i) * weights[shift];
      }
      store_f32x4(to + i, sum);
    }
  }
  return moves;
}

/** The head's displacement at each block, then the lids' own at the place that it leads to. */
static void move_lids(f32 left, f32 right) {
  const i32 columns = block_columns(), rows = block_rows(), half = half_side(), stride = sum_stride();
  const i32 moves = sum_lid_shifts(left, right);
  for (i32 row = 0; row < rows; row++) {
    const i32 in_head = (shape.eyes.y / 2 + row) * half + shape.eyes.x / 2;
    for (i32 block = 0; block < columns; block += 4) {
      f32x4 x = load_f32x4(head_x + in_head + block), y = load_f32x4(head_y + in_head + block);
      if (moves) {
        // In blocks from the border, so that the first one is at 1.
        const f32x4 at_x = clamp(series(block + 1, 1) + x * 0.5f, splat(0), splat(columns + 1));
        const f32x4 at_y = clamp((f32)(row + 1) + y * 0.5f, splat(0), splat(rows + 1));
        const f32x4 whole_x = floor_f32x4(at_x), whole_y = floor_f32x4(at_y);
        const f32x4 across = at_x - whole_x, down = at_y - whole_y;
        const i32x4 offset = to_i32x4(whole_y) * stride + to_i32x4(whole_x) * AXES;
        f32x4 pair[4];
        for (i32 k = 0; k < 4; k++) {
          const f32 *at = lid_sum + offset[k];
          pair[k] = mix(load_f32x4(at), load_f32x4(at + stride), (f32x4)splat_lane((i32x4)down, k));
        }
        const f32x4 share0 = __builtin_shufflevector(across, across, 0, 0, 1, 1);
        const f32x4 share1 = __builtin_shufflevector(across, across, 2, 2, 3, 3);
        const f32x4 first = mix(join_low(pair[0], pair[1]), join_high(pair[0], pair[1]), share0);
        const f32x4 second = mix(join_low(pair[2], pair[3]), join_high(pair[2], pair[3]), share1);
        x += firsts(first, second);
        y += seconds(first, second);
      }
      store_f32x4(lid_x + row * columns + block, x);
      store_f32x4(lid_y + row * columns + block, y);
    }
  }
}

/** Where a row of blocks of the eyes' box begins in the frame. */
static Target row_target(i32 row) {
  const i32 x = shape.eyes.x, block_row = shape.eyes.y / 2 + row, chroma = block_row * target.stride / 2 + x / 2;
  return (Target){target.y + 2 * block_row * target.stride + x, target.u + chroma, target.v + chroma, target.stride};
}

/** A row of blocks of the eyeballs; they move as a whole, so blocks are exact. */
static void render_balls(i32 row, f32 gaze_x, f32 gaze_y) {
  const Target to = row_target(row);
  const i32 block_row = shape.eyes.y / 2 + row, in_head = block_row * half_side() + shape.eyes.x / 2;
  for (i32 block = 0; block < block_columns(); block += 4) {
    const f32x4 x = series(shape.eyes.x + 2 * block, 2) + load_f32x4(head_x + in_head + block);
    const f32x4 y = (f32)(2 * block_row) + load_f32x4(head_y + in_head + block);
    if (!is_touched(opening_extents, x, y)) continue;
    const Places in_opening = locate(&opening, x, y);
    const i32x4 opening_at = offsets(&opening, &in_opening, 8);
    Sample8 mask[4];
    for (i32 k = 0; k < 4; k++) mask[k] = sample8(&opening, &in_opening, opening_at, k);
    if (!any_bit(mask[0].last | mask[1].last | mask[2].last | mask[3].last)) continue;
    const Places in_ball = locate(&ball, x - gaze_x, y - gaze_y);
    const i32x4 ball_at = offsets(&ball, &in_ball, 8);
    for (i32 k = 0; k < 4; k++) {
      const Sample8 sample = sample8(&ball, &in_ball, ball_at, k);
      u8 *upper = to.y + 2 * (block + k), *lower = upper + to.stride, *u = to.u + block + k, *v = to.v + block + k;
      const f32x4 behind = {upper[0], upper[1], lower[0], lower[1]};
      const i32x4 luma = rounded_colour(mix(behind, scaled(sample.first, COLOUR), scaled(mask[k].first, MASK)));
      upper[0] = (u8)luma[0], upper[1] = (u8)luma[1], lower[0] = (u8)luma[2], lower[1] = (u8)luma[3];
      const f32x4 colour = scaled(chroma_of(sample.last, sample.last), COLOUR);
      const f32x4 alpha = scaled(chroma_of(mask[k].last, mask[k].last), MASK);
      const i32x4 chroma = rounded_colour(mix((f32x4){*u, *v, 0, 0}, colour, alpha));
      *u = (u8)chroma[0], *v = (u8)chroma[1];
    }
  }
}

/** A lid over what lies behind: its open colour, and the change that closing makes, by the closure of each eye. */
static inline f32x4 over(f32x4 behind, f32x4 open, f32x4 shut, f32x4 left_mask, f32x4 right_mask, f32 left, f32 right) {
  const f32x4 closed = left_mask * left + right_mask * right;
  return mix(behind, open, left_mask + right_mask) + (shut - open) * closed;
}

static void render_lid_luma(i32 row, f32 left, f32 right) {
  const Target to = row_target(row);
  const i32 columns = block_columns(), rows = block_rows(), y = shape.eyes.y + 2 * row;
  double_rows(lid_x, columns, row, rows, columns, line_x[0], line_x[1]);
  double_rows(lid_y, columns, row, rows, columns, line_y[0], line_y[1]);
  for (i32 line = 0; line < 2; line++) {
    for (i32 x = 0; x < shape.eyes.width; x += 4) {
      const f32x4 at_x = series(shape.eyes.x + x, 1) + load_f32x4(line_x[line] + x);
      const f32x4 at_y = (f32)(y + line) + load_f32x4(line_y[line] + x);
      if (!is_touched(lid_extents, at_x, at_y)) continue;
      const Places places = locate(&lid_luma, at_x, at_y);
      const i32x4 at = offsets(&lid_luma, &places, 4);
      i32x4 pixels[4], lid[4];
      for (i32 k = 0; k < 4; k++) pixels[k] = sample4(&lid_luma, &places, at, k);
      transpose(pixels, lid);
      if (!any_bit(lid[2] | lid[3])) continue;
      u8 *pixel = to.y + line * to.stride + x;
      const f32x4 colour = over(to_f32x4(load_bytes4(pixel)), scaled(lid[0], COLOUR), scaled(lid[1], COLOUR),
                                scaled(lid[2], MASK), scaled(lid[3], MASK), left, right);
      store_bytes4(pixel, rounded_colour(colour));
    }
  }
}

/** Sampled at the middle of each block. */
static void render_lid_chroma(i32 row, f32 left, f32 right) {
  const Target to = row_target(row);
  const i32 columns = block_columns();
  const f32 middle_y = shape.eyes.y + 2 * row + 0.5f;
  for (i32 block = 0; block < columns; block += 4) {
    const f32x4 x = series(shape.eyes.x + 2 * block + 0.5f, 2) + load_f32x4(lid_x + row * columns + block);
    const f32x4 y = middle_y + load_f32x4(lid_y + row * columns + block);
    if (!is_touched(lid_extents, x, y)) continue;
    const Places places = locate(&lid_chroma, x, y);
    const i32x4 at = offsets(&lid_chroma, &places, 8);
    Sample8 lid[4];
    for (i32 k = 0; k < 4; k++) lid[k] = sample8(&lid_chroma, &places, at, k);
    if (!any_bit(lid[0].last | lid[1].last | lid[2].last | lid[3].last)) continue;
    for (i32 k = 0; k < 4; k++) {
      u8 *u = to.u + block + k, *v = to.v + block + k;
      const f32x4 colours = scaled(lid[k].first, COLOUR), masks = scaled(lid[k].last, MASK);
      const i32x4 chroma = rounded_colour(over((f32x4){*u, *v, 0, 0}, colours, join_high(colours, colours),
                                               splat(masks[0]), splat(masks[1]), left, right));
      *u = (u8)chroma[0], *v = (u8)chroma[1];
    }
  }
}

/** 0 open .. 1 shut; −1 is a raised lid. A blink shuts a raised lid all the way. */
static f32 closure_of(i32 blink) {
  const f32 shut = clamp01(inputs[blink]);
  return has_expressions() ? shut - clamp01(inputs[LIDS_RAISED]) * (1 - shut) : shut;
}

void render_eyes(void) {
  const f32 left = closure_of(BLINK_LEFT), right = closure_of(BLINK_RIGHT);
  const f32 left_shut = clamp01(left), right_shut = clamp01(right);
  f32 shift[AXES] = {0, 0};
  for (i32 input = 0; input < input_count(); input++)
    for (i32 axis = X; axis < AXES; axis++) shift[axis] += inputs[input] * gaze[input][axis];
  move_lids(left, right);
  for (i32 row = 0; row < block_rows(); row++) {
    render_balls(row, shift[X], shift[Y]);
    render_lid_luma(row, left_shut, right_shut);
    render_lid_chroma(row, left_shut, right_shut);
  }
}
