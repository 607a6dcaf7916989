// See field.h, and src/face/rig-graph/graph-displacement.ts for what is computed.
#include "field.h"

/** Cells of border: one before, two behind, as a texture's. */
enum { BORDER = 3 };
/** Space behind a row of the inverse: a repeated cell, and what vectors write beyond. */
enum { BEHIND_ROW = 4 };

Axis create_axis(i32 cells, i32 places, i32 copies) {
  const Axis axis = {take(4 * places), take(4 * copies * places)};
  for (i32 i = 0; i < places; i++) {
    f32 at = (i + 0.5f) * cells / places - 0.5f;
    if (at < 0) at = 0;
    if (at > cells - 1) at = cells - 1;
    axis.cell[i] = (i32)at;
    for (i32 copy = 0; copy < copies; copy++) axis.fraction[copies * i + copy] = at - (i32)at;
  }
  return axis;
}

i32 inverse_stride(const Field *field) { return AXES * (field->grid.columns + BEHIND_ROW); }

Field create_field(const FieldShape *grid, const u16 *halves, Box box, i32 places_across, i32 places_down) {
  const i32 columns = grid->columns, rows = grid->rows, cells = columns * rows;
  Field field = {.grid = *grid, .cell_x = (f32)box.width / columns, .cell_y = (f32)box.height / rows};
  field.basis = take(8 * cells * grid->input_count);
  field.sum = take(8 * cells);
  field.slopes = take(16 * (columns + BORDER) * (rows + BORDER));
  field.inverse = take(8 * (columns + BEHIND_ROW) * rows);
  field.across = create_axis(columns, places_across, AXES);
  field.down = create_axis(rows, places_down, 1);
  const f32 to_cells[AXES] = {0.5f * columns, 0.5f * rows};
  for (i32 input = 0; input < grid->input_count; input++) {
    for (i32 axis = X; axis < AXES; axis++) {
      f32 *to = field.basis + 2 * input * cells + axis;
      for (i32 cell = 0; cell < cells; cell++) to[2 * cell] = from_half(*halves++) * to_cells[axis];
    }
  }
  return field;
}

/** Adds up the cells of all inputs that are not zero, four inputs at a time: a quarter of the passes over the sum. */
static void sum_inputs(const Field *field) {
  const i32 count = 2 * field->grid.columns * field->grid.rows;
  i32 moving[MOST_INPUTS + 3], moving_count = 0;
  for (i32 k = 0; k < field->grid.input_count; k++)
    if (inputs[field->grid.inputs[k]] != 0) moving[moving_count++] = k;
  for (i32 i = 0; i < count; i += 4) store_f32x4(field->sum + i, splat(0));
  for (i32 first = 0; first < moving_count; first += 4) {
    const f32 *basis[4];
    f32 value[4];
    for (i32 k = 0; k < 4; k++) {
      const i32 is_there = first + k < moving_count, input = moving[is_there ? first + k : first];
      basis[k] = field->basis + input * count;
      value[k] = is_there ? inputs[field->grid.inputs[input]] : 0;
    }
    for (i32 i = 0; i < count; i += 4) {
      const f32x4 front = load_f32x4(basis[0] + i) * value[0] + load_f32x4(basis[1] + i) * value[1];
      const f32x4 back = load_f32x4(basis[2] + i) * value[2] + load_f32x4(basis[3] + i) * value[3];
      store_f32x4(field->sum + i, load_f32x4(field->sum + i) + (front + back));
    }
  }
}

/** Puts each cell's displacement and 1 / (1 + slope) side by side; the slope by central differences, at the edge with
 *  the cell itself for what lies outside. */
static void measure_slopes(const Field *field) {
  const i32 columns = field->grid.columns, rows = field->grid.rows, stride = 4 * (columns + BORDER);
  const f32x4 least = splat(tuning.least_slope), most = splat(tuning.most_slope);
  for (i32 row = 0; row < rows; row++) {
    const f32 *here = field->sum + 2 * row * columns;
    const f32 *above = row > 0 ? here - 2 * columns : here, *below = row + 1 < rows ? here + 2 * columns : here;
    f32 *to = field->slopes + (row + 1) * stride + 4;
    for (i32 column = 0; column < columns; column++, to += 4) {
      const i32 left = column > 0 ? column - 1 : 0, right = column + 1 < columns ? column + 1 : column;
      const f32x4 next = {0, 0, here[2 * right + X], below[2 * column + Y]};
      const f32x4 last = {0, 0, here[2 * left + X], above[2 * column + Y]};
      const f32x4 reciprocal = 1.0f / clamp(1.0f + 0.5f * (next - last), least, most);
      const f32x4 own = (f32x4)wasm_v128_load64_zero(here + 2 * column);
      store_f32x4(to, __builtin_shufflevector(own, reciprocal, 0, 1, 6, 7));
    }
  }
}

/** What lies at a place between four cells, `at` being the upper left one: its share to the right and downwards. */
static inline f32x4 between(const f32 *at, i32 stride, f32x4 across, f32x4 down) {
  const f32x4 upper = mix(load_f32x4(at), load_f32x4(at + 4), across);
  const f32x4 lower = mix(load_f32x4(at + stride), load_f32x4(at + stride + 4), across);
  return mix(upper, lower, down);
}

/** d with d(x) + f(x + d(x)) = 0: begins with -f / slope, then Newton steps, four cells at a time. */
static void invert(const Field *field) {
  const i32 columns = field->grid.columns, rows = field->grid.rows, stride = 4 * (columns + BORDER);
  // Places count from the border, so the first cell is at 1.
  const f32x4 low = splat(field->repeats_border ? 1 : 0);
  const f32x4 high_x = splat(columns + 1 - field->repeats_border), high_y = splat(rows + 1 - field->repeats_border);
  const f32x4 to_px = {field->cell_x, field->cell_y, field->cell_x, field->cell_y};
  for (i32 row = 0; row < rows; row++) {
    const f32 *own = field->slopes + (row + 1) * stride + 4;
    f32 *to = field->inverse + 2 * row * (columns + BEHIND_ROW);
    // The last four cells of a row may reach beyond it: what they write there is overwritten below, or by the next row.
    for (i32 column = 0; column < columns; column += 4) {
      const f32 *cells = own + 4 * column;
      const f32x4 a = load_f32x4(cells), b = load_f32x4(cells + 4), c = load_f32x4(cells + 8), d = load_f32x4(cells + 12);
      // x and y of two cells each.
      f32x4 first = -(join_low(a, b) * join_high(a, b)), second = -(join_low(c, d) * join_high(c, d));
      for (i32 step = 0; step < field->steps; step++) {
        const f32x4 x = clamp(series(column + 1, 1) + firsts(first, second), low, high_x);
        const f32x4 y = clamp(splat(row + 1) + seconds(first, second), low, high_y);
        const f32x4 whole_x = floor_f32x4(x), whole_y = floor_f32x4(y), across = x - whole_x, down = y - whole_y;
        const i32x4 cell = to_i32x4(whole_y * (f32)(columns + BORDER) + whole_x);
        f32x4 there[4];
        for (i32 k = 0; k < 4; k++) {
          const f32x4 right = (f32x4)splat_lane((i32x4)across, k), below = (f32x4)splat_lane((i32x4)down, k);
          there[k] = between(field->slopes + 4 * cell[k], stride, right, below);
        }
        first -= (first + join_low(there[0], there[1])) * join_high(there[0], there[1]);
        second -= (second + join_low(there[2], there[3])) * join_high(there[2], there[3]);
      }
      store_f32x4(to + 2 * column, first * to_px);
      store_f32x4(to + 2 * column + 4, second * to_px);
    }
    to[2 * columns + X] = to[2 * columns - 2 + X];
    to[2 * columns + Y] = to[2 * columns - 2 + Y];
  }
}

void update_field(const Field *field) {
  sum_inputs(field);
  measure_slopes(field);
  invert(field);
}

/** A row between two, before it is resized across: rows are at most as long as the region is wide. */
static f32 resized[2 * MOST_SIDE + 16];

void resize_row(const Field *field, i32 row, i32 count, f32 *to_x, f32 *to_y) {
  const i32 columns = field->grid.columns, stride = 2 * (columns + BEHIND_ROW), cell = field->down.cell[row];
  const f32 *above = field->inverse + cell * stride, *below = cell + 1 < field->grid.rows ? above + stride : above;
  const f32x4 share = splat(field->down.fraction[row]);
  for (i32 i = 0; i < 2 * columns + 2; i += 4)
    store_f32x4(resized + i, mix(load_f32x4(above + i), load_f32x4(below + i), share));
  const i32 *cells = field->across.cell;
  const f32 *fractions = field->across.fraction;
  for (i32 i = 0; i < count; i += 4) {
    f32x4 pair[4];
    for (i32 k = 0; k < 4; k++) pair[k] = load_f32x4(resized + 2 * cells[i + k]);
    const f32x4 first = mix(join_low(pair[0], pair[1]), join_high(pair[0], pair[1]), load_f32x4(fractions + 2 * i));
    const f32x4 second = mix(join_low(pair[2], pair[3]), join_high(pair[2], pair[3]), load_f32x4(fractions + 2 * i + 4));
    store_f32x4(to_x + i, firsts(first, second));
    store_f32x4(to_y + i, seconds(first, second));
  }
}

void double_rows(const f32 *plane, i32 stride, i32 row, i32 rows, i32 count, f32 *upper, f32 *lower) {
  const f32 *own = plane + row * stride;
  const f32 *above = row > 0 ? own - stride : own, *below = row + 1 < rows ? own + stride : own;
  // A quarter of the neighbour in both directions. One number before the row repeats its first one.
  const f32x4 quarter = splat(0.25f);
  f32 *line = resized + 4;
  for (i32 which = 0; which < 2; which++) {
    const f32 *other = which == 0 ? above : below;
    f32 *to = which == 0 ? upper : lower;
    for (i32 i = 0; i < count; i += 4) store_f32x4(line + i, mix(load_f32x4(own + i), load_f32x4(other + i), quarter));
    line[-1] = line[0];
    line[count] = line[count - 1];
    for (i32 i = 0; i < count; i += 4) {
      const f32x4 here = load_f32x4(line + i);
      const f32x4 even = mix(here, load_f32x4(line + i - 1), quarter), odd = mix(here, load_f32x4(line + i + 1), quarter);
      store_f32x4(to + 2 * i, zip_low(even, odd));
      store_f32x4(to + 2 * i + 4, zip_high(even, odd));
    }
  }
}
