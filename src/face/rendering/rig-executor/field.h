// Displacement fields: how far each cell of a coarse grid moves, and the inverse, which sampling needs.
#ifndef FIELD_H
#define FIELD_H

#include "rig.h"

/** Places along one axis that a row or column of cells is resized to: the cell before each, and how far on towards the
 *  next. */
typedef struct {
  i32 *cell;
  f32 *fraction;
} Axis;

/** x and y of a cell always stand side by side. */
typedef struct {
  FieldShape grid;
  /** Cells that each active input moves, in cells: [input][cell][x, y]. */
  f32 *basis;
  /** Their sum for a frame. */
  f32 *sum;
  /** Four numbers a cell, with a border as a texture's: x, y, and the reciprocal slopes along x and y. */
  f32 *slopes;
  /** The inverse, px, each row with its last cell repeated. */
  f32 *inverse;
  /** Size of a cell, px. */
  f32 cell_x, cell_y;
  /** Newton steps. */
  i32 steps;
  /** 1 if places outside the grid take the nearest cell, 0 if they fade to zero. */
  i32 repeats_border;
  Axis across, down;
} Field;

/** The head's field; head.c loads it and updates it once a frame. */
extern Field head_field;

/** Linear resizing of `cells` to `places` with half-pixel centres, as Resize does it. Each fraction is there `copies`
 *  times. */
Axis create_axis(i32 cells, i32 places, i32 copies);

/** Numbers from one row of the inverse to the next. */
i32 inverse_stride(const Field *field);

/** halves: [input][x, y][row][column] in halves of `box`. places_across, places_down: what resize_row makes. */
Field create_field(const FieldShape *grid, const u16 *halves, Box box, i32 places_across, i32 places_down);

/** Sums the field for the frame's inputs and inverts it. */
void update_field(const Field *field);

/** One row of the inverse resized along both axes, px; x and y apart. */
void resize_row(const Field *field, i32 row, i32 count, f32 *to_x, f32 *to_y);

/** Two rows of twice as many places as the `count` of row `row`, as linear resizing to twice the size gives them.
 *  stride: numbers from a row to the next; rows: how many there are. */
void double_rows(const f32 *plane, i32 stride, i32 row, i32 rows, i32 count, f32 *upper, f32 *lower);

#endif
