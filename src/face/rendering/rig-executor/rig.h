// The rig as the executor holds it: sizes and constants from TypeScript, layers as they are sampled. One rig a module
// instance.
#ifndef RIG_H
#define RIG_H

#include "../../../signal/wasm/simd.h"

/** FACE_PARAMETERS of shared/face-parameters.ts, and the inputs of src/face/rig-graph/rig-inputs.ts: the parameters and one
 *  product behind them, roundedJaw. Rigs of earlier versions take the first parameters only. Places of those that are
 *  used by name. */
enum { MOST_PARAMETERS = 33, MOST_INPUTS = MOST_PARAMETERS + 1, JAW = 1, BLINK_LEFT = 10, BLINK_RIGHT = 11 };
enum { EARLIER_PARAMETERS = 21, LIDS_RAISED = 27 };
/** Largest side of a region, px; the manifest of an .imx allows no more. */
enum { MOST_SIDE = 1024 };
/** Blink closures whose lid shift is stored for each eye: 1/4, 2/4, 3/4 and 1; with expressions, then a raised lid. */
enum { CLOSURES = 4 };
/** Tongue, lower teeth, upper teeth, from back to front. */
enum { INTERIOR_LAYERS = 3 };
enum { X, Y, AXES };

/** In pixels of the region; a multiple of 8 each. */
typedef struct {
  i32 x, y, width, height;
} Box;

/** Grid of a layer's displacements and the inputs that move the layer. */
typedef struct {
  i32 columns, rows, input_count, inputs[MOST_INPUTS];
} FieldShape;

/** Written by rig-executor.ts as one array of int32 in this order; see src/face/rig-graph/rig-shape.ts. */
typedef struct {
  i32 region_px, parameter_count;
  Box eyes, eyes_source, mouth, mouth_source, interior;
  FieldShape head, jaw;
  /** Inputs that light the head's skin. */
  i32 light_count, lights[MOST_INPUTS];
} Shape;

/** Constants of the graph's writer, as one array of float32 in this order; see rig-executor.ts. */
typedef struct {
  f32 roundness[MOST_INPUTS], dusk[MOST_INPUTS], black[3];
  f32 least_slope, most_slope, head_steps, jaw_steps;
  f32 darkest, upper_lip_shade, lower_lip_shade, contact_shade;
  f32 most_light, black_luma;
} Tuning;

/** Where the region begins in a frame. A row of U or V has half the bytes of one of Y. */
typedef struct {
  u8 *y, *u, *v;
  i32 stride;
} Target;

extern Shape shape;
extern Tuning tuning;
extern Target target;
/** The inputs of the frame that is being rendered. */
extern f32 inputs[MOST_INPUTS];
/** Displacement of the head at each block of the region, px: from the place shown to the place in the photo. */
extern f32 *head_x, *head_y;

/** Takes zeroed memory, at a multiple of 16, with a vector more behind it. Traps if there is none. */
void *take(i32 bytes);

/** A number stored as float16. */
f32 from_half(u16 bits);

static inline i32 half_side(void) { return shape.region_px / 2; }
static inline i32 input_count(void) { return shape.parameter_count + 1; }
static inline i32 has_expressions(void) { return shape.parameter_count > EARLIER_PARAMETERS; }
/** Lid shifts that are stored for each eye. */
static inline i32 lid_shifts(void) { return CLOSURES + has_expressions(); }
static inline f32 clamp01(f32 value) { return value > 0 ? (value < 1 ? value : 1) : 0; }

// Each takes tensors in the layout of src/face/rig-graph/rig-data.ts and keeps nothing of the memory that they lie in.
void load_head(const u8 *planes);
void load_head_field(const u16 *halves);
void load_jaw_field(const u16 *halves);
void load_light(const u16 *halves);
void load_lid_field(const u16 *halves);
void load_gaze(const f32 *weights);
void load_eyeballs(const u8 *planes);
void load_eye_openings(const u8 *plane);
void load_lids(const u8 *planes);
void load_upper_lip(const u8 *planes);
void load_lower_lip(const u8 *planes);
void load_interior_corners(const f32 *weights);
void load_interior(const u8 *planes);
void load_cavity(const f32 *colour);
void load_dark(i32 first, const f32 *colour, i32 count);

/** Renders the whole region but the mouth's box, and leaves head_x and head_y. */
void render_head(void);
/** Renders the mouth's box; needs head_x and head_y. */
void render_mouth(void);
/** Renders eyeballs and lids over the head. */
void render_eyes(void);

/** Makes skin lighter or darker, once all else is rendered. */
void render_light(void);

/** Teeth and tongue over the dark, at two blocks of the interior: `column` and `row` in its blocks. luma: four pixels of
 *  each block; returns U, V of both, with rounding. */
f32x4 interior_blocks(i32 column, i32 row, f32x4 luma[2]);
/** Once a frame, before interior_blocks. */
void move_interior(void);

#endif
