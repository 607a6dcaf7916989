// What TypeScript calls: lays a rig out in this module's memory, then renders frame after frame.
//
// Sizes are bounded and compared with the graph before they come here (match-rig.ts); contents are not. Every place is
// clamped before it is used, so contents cannot lead outside a texture.
#include "rig.h"

Shape shape;
Tuning tuning;
Target target;
f32 inputs[MOST_INPUTS];
f32 *head_x, *head_y;

/** Begins where the linker's data end; all behind it is free. */
extern u8 __heap_base;
static u8 *next_free;

enum { ALIGNMENT = 16, PAGE = 65536 };

void *take(i32 bytes) {
  if (!next_free) next_free = (u8 *)(((u32)&__heap_base + ALIGNMENT - 1) & -ALIGNMENT);
  u8 *taken = next_free;
  next_free = taken + ((bytes + 2 * ALIGNMENT - 1) & -ALIGNMENT);
  const i32 missing = (i32)((u32)next_free - __builtin_wasm_memory_size(0) * PAGE);
  if (missing > 0 && __builtin_wasm_memory_grow(0, (u32)(missing + PAGE - 1) / PAGE) == (u32)-1) __builtin_trap();
  return taken;
}

f32 from_half(u16 bits) {
  const u32 sign = (u32)(bits & 0x8000) << 16, exponent = bits >> 10 & 31, fraction = bits & 1023;
  union {
    u32 bits;
    f32 value;
  } made;
  if (exponent == 0) {
    const f32 small = fraction * 0x1p-24f;
    return sign ? -small : small;
  }
  made.bits = sign | (exponent == 31 ? 255u : exponent + 112) << 23 | fraction << 13;
  return made.value;
}

EXPORT Shape *shape_address(void) { return &shape; }
EXPORT i32 shape_numbers(void) { return sizeof(Shape) / sizeof(i32); }
EXPORT Tuning *tuning_address(void) { return &tuning; }
EXPORT i32 tuning_numbers(void) { return sizeof(Tuning) / sizeof(f32); }
/** Where the parameters of a frame are written before render_rig. */
EXPORT f32 *parameters_address(void) { return inputs; }
/** Takes memory for a frame or for tables; see take. */
EXPORT void *take_bytes(i32 bytes) { return take(bytes); }

/** Where the region begins in the frame that is rendered into. */
EXPORT void set_target(u8 *y, u8 *u, u8 *v, i32 stride) { target = (Target){y, u, v, stride}; }

/** Tensors of src/face/rig-graph/rig-data.ts, in the order of rig-executor.ts. */
enum Tensor {
  HEAD_FIELD,
  JAW_FIELD,
  LID_FIELD,
  GAZE,
  INTERIOR_CORNERS,
  HEAD,
  EYEBALLS,
  EYE_OPENINGS,
  LIDS,
  UPPER_LIP,
  LOWER_LIP,
  INTERIOR,
  CAVITY,
  DARK_LUMA,
  DARK_CHROMA,
  LIGHT,
};

/** Lays a tensor out for rendering. Shape and tuning must be set. */
EXPORT void load_tensor(enum Tensor tensor, const void *bytes) {
  switch (tensor) {
    case HEAD_FIELD: return load_head_field(bytes);
    case JAW_FIELD: return load_jaw_field(bytes);
    case LID_FIELD: return load_lid_field(bytes);
    case GAZE: return load_gaze(bytes);
    case INTERIOR_CORNERS: return load_interior_corners(bytes);
    case HEAD: return load_head(bytes);
    case EYEBALLS: return load_eyeballs(bytes);
    case EYE_OPENINGS: return load_eye_openings(bytes);
    case LIDS: return load_lids(bytes);
    case UPPER_LIP: return load_upper_lip(bytes);
    case LOWER_LIP: return load_lower_lip(bytes);
    case INTERIOR: return load_interior(bytes);
    case CAVITY: return load_cavity(bytes);
    case DARK_LUMA: return load_dark(0, bytes, 1);
    case DARK_CHROMA: return load_dark(1, bytes, 2);
    case LIGHT: return load_light(bytes);
  }
}

/** Renders the region for the parameters at parameters_address. */
EXPORT void render_rig(void) {
  f32 roundness = 0;
  for (i32 k = 0; k < shape.parameter_count; k++) roundness += inputs[k] * tuning.roundness[k];
  inputs[shape.parameter_count] = inputs[JAW] * clamp01(roundness);
  render_head();
  render_mouth();
  render_eyes();
  render_light();
}

/** Copies rows of `width` bytes between two frames of one stride. */
EXPORT void copy_rows(const u8 *from, u8 *to, i32 stride, i32 width, i32 rows) {
  for (i32 row = 0; row < rows; row++) __builtin_memcpy(to + row * stride, from + row * stride, (u32)width);
}
