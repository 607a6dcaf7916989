// Light and shade of expressions, on the head's grid: what a smile does to a cheek. They are part of the skin, so they
// are looked up where the skin that is shown lies in the photo. See lightField in src/face/rig-graph/graph-head.ts.
#include "field.h"
#include "texture.h"

/** Cells of border: one before, two behind, as a texture's. */
enum { BORDER = 3 };

/** Cells, in rows and columns of the grid with its border; nothing lies outside. */
typedef struct {
  i32 left, top, right, bottom;
} Cells;

/** Per light: how much lighter each cell is, a share of its brightness; and which cells are lit at all. */
static f32 *basis;
static Cells extents[MOST_INPUTS];
/** Their sum for a frame, with a border of zeros. */
static f32 *on_skin;
/** The same where it is shown, each row with its last cell repeated. */
static f32 *shown;
/** Per row of cells: the first and the last column that is lit; none if the last is below the first. */
static i32 *first_lit, *last_lit;
static Axis across, down;
/** A row between two. */
static f32 mixed[MOST_SIDE + 16];

static i32 columns_and_border(void) { return shape.head.columns + BORDER; }
static i32 cells_in_row(void) { return shape.head.columns + 4; }

static void widen(Cells *extent, i32 column, i32 row) {
  if (column < extent->left) extent->left = column;
  if (column > extent->right) extent->right = column;
  if (row < extent->top) extent->top = row;
  if (row > extent->bottom) extent->bottom = row;
}

void load_light(const u16 *halves) {
  const i32 columns = shape.head.columns, rows = shape.head.rows;
  basis = take(4 * shape.light_count * columns * rows);
  on_skin = take(4 * columns_and_border() * (rows + BORDER));
  shown = take(4 * cells_in_row() * rows);
  first_lit = take(4 * rows);
  last_lit = take(4 * rows);
  across = create_axis(columns, shape.region_px, 1);
  down = create_axis(rows, shape.region_px, 1);
  f32 *to = basis;
  for (i32 light = 0; light < shape.light_count; light++) {
    extents[light] = (Cells){columns, rows, -1, -1};
    for (i32 row = 0; row < rows; row++)
      for (i32 column = 0; column < columns; column++, to++) {
        *to = from_half(*halves++);
        if (*to != 0) widen(&extents[light], column + 1, row + 1);
      }
  }
}

/** Adds up the lights of the frame. Returns what is lit. */
static Cells sum_lights(void) {
  const i32 columns = shape.head.columns, rows = shape.head.rows, stride = columns_and_border();
  Cells lit = {columns, rows, -1, -1};
  for (i32 light = 0; light < shape.light_count; light++) {
    const f32 value = inputs[shape.lights[light]];
    const Cells extent = extents[light];
    if (value == 0 || extent.right < extent.left) continue;
    if (lit.right < lit.left)
      for (i32 i = 0; i < stride * (rows + BORDER); i++) on_skin[i] = 0;
    widen(&lit, extent.left, extent.top);
    widen(&lit, extent.right, extent.bottom);
    for (i32 row = extent.top; row <= extent.bottom; row++) {
      const f32 *from = basis + (light * rows + row - 1) * columns - 1;
      f32 *to = on_skin + row * stride;
      for (i32 column = extent.left; column <= extent.right; column++) to[column] += value * from[column];
    }
  }
  return lit;
}

/** Looks the sum up where the head's displacement leads from each cell. */
static void look_up(Cells lit) {
  const i32 columns = shape.head.columns, rows = shape.head.rows, stride = columns_and_border();
  const f32 most = tuning.most_light, to_column = 1 / head_field.cell_x, to_row = 1 / head_field.cell_y;
  for (i32 row = 0; row < rows; row++) {
    const f32 *shift = head_field.inverse + row * inverse_stride(&head_field);
    f32 *to = shown + row * cells_in_row();
    first_lit[row] = columns;
    last_lit[row] = -1;
    for (i32 column = 0; column < columns; column++, shift += AXES) {
      // Places count from the border, so the first cell is at 1.
      const f32 x = column + 1 + shift[X] * to_column, y = row + 1 + shift[Y] * to_row;
      to[column] = 0;
      // What is no number is not inside either.
      if (!(x > lit.left - 1 && x < lit.right + 1 && y > lit.top - 1 && y < lit.bottom + 1)) continue;
      const i32 whole_x = (i32)x, whole_y = (i32)y;
      const f32 *corner = on_skin + whole_y * stride + whole_x;
      const f32 part_x = x - whole_x, part_y = y - whole_y;
      const f32 upper = corner[0] + (corner[1] - corner[0]) * part_x;
      const f32 lower = corner[stride] + (corner[stride + 1] - corner[stride]) * part_x;
      const f32 light = upper + (lower - upper) * part_y;
      to[column] = light > -most ? (light < most ? light : most) : -most;
      if (column < first_lit[row]) first_lit[row] = column;
      last_lit[row] = column;
    }
    to[columns] = to[columns - 1];
  }
}

/** Lights one line of pixels. */
static void light_line(i32 y) {
  const i32 side = shape.region_px, columns = shape.head.columns, cell = down.cell[y];
  const i32 next = cell + 1 < shape.head.rows ? cell + 1 : cell;
  const i32 first = first_lit[cell] < first_lit[next] ? first_lit[cell] : first_lit[next];
  const i32 last = last_lit[cell] > last_lit[next] ? last_lit[cell] : last_lit[next];
  if (last < first) return;
  // A cell reaches to the middles of its neighbours.
  const i32 from = (first > 0 ? (first - 1) * side / columns : 0) & -4;
  const i32 end = last + 2 < columns ? ((last + 2) * side / columns + 3) & -4 : side;
  const f32 *above = shown + cell * cells_in_row(), *below = shown + next * cells_in_row();
  const f32x4 share = splat(down.fraction[y]), black = splat(tuning.black_luma), none = splat(0), most = splat(255);
  for (i32 column = first > 0 ? first - 1 : 0; column <= last + 2 && column <= columns; column += 4)
    store_f32x4(mixed + column, mix(load_f32x4(above + column), load_f32x4(below + column), share));
  u8 *line = target.y + y * target.stride;
  for (i32 x = from; x < end && x < side; x += 4) {
    const i32 *cells = across.cell + x;
    const f32x4 first_pairs = zip_low(load_f32x4(mixed + cells[0]), load_f32x4(mixed + cells[1]));
    const f32x4 last_pairs = zip_low(load_f32x4(mixed + cells[2]), load_f32x4(mixed + cells[3]));
    const f32x4 left = join_low(first_pairs, last_pairs), right = join_high(first_pairs, last_pairs);
    if (!any_bit((left != 0) | (right != 0))) continue;
    const f32x4 luma = to_f32x4(load_bytes4(line + x));
    const f32x4 light = mix(left, right, load_f32x4(across.fraction + x));
    store_bytes4(line + x, rounded_colour(clamp(luma + (luma - black) * light, none, most)));
  }
}

void render_light(void) {
  if (!has_expressions()) return;
  const Cells lit = sum_lights();
  if (lit.right < lit.left) return;
  look_up(lit);
  for (i32 y = 0; y < shape.region_px; y++) light_line(y);
}
