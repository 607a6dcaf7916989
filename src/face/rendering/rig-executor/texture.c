// Textures from the planes of a file.
#include "texture.h"

/** Zero texels before and behind each row and column. */
enum { BEFORE = 1, BEHIND = 2 };

Texture create_texture(i32 columns, i32 rows, i32 texel_bytes, i32 x, i32 y) {
  const i32 row_bytes = (BEFORE + columns + BEHIND) * texel_bytes;
  u8 *texels = take(row_bytes * (BEFORE + rows + BEHIND));
  return (Texture){texels, row_bytes, x - BEFORE, y - BEFORE, columns + BEFORE, rows + BEFORE};
}

/** The first texel of a row inside the border. */
static u8 *row_of(const Texture *texture, i32 row, i32 texel_bytes) {
  return texture->texels + (row + BEFORE) * texture->row_bytes + BEFORE * texel_bytes;
}

Texture interleave(const u8 *planes, Box box, const u8 *channels, i32 channel_count, i32 texel_bytes) {
  const Texture texture = create_texture(box.width, box.height, texel_bytes, box.x, box.y);
  for (i32 k = 0; k < channel_count; k++) {
    const u8 *from = planes + channels[k] * box.width * box.height;
    for (i32 row = 0; row < box.height; row++) {
      u8 *to = row_of(&texture, row, texel_bytes) + k;
      for (i32 column = 0; column < box.width; column++) to[column * texel_bytes] = *from++;
    }
  }
  return texture;
}

/** Mean of a pixel, its right, lower and lower right neighbours: whole, and 256ths. */
static void mean_of_block(const u8 *at, i32 stride, u8 *whole, u8 *rest) {
  const i32 sum = at[0] + at[1] + at[stride] + at[stride + 1];
  *whole = (u8)(sum >> 2);
  *rest = (u8)((sum & 3) << 6);
}

static void put_chroma(u8 *to, const u8 *u, const u8 *v, i32 stride) {
  mean_of_block(u, stride, &to[0], &to[2]);
  mean_of_block(v, stride, &to[1], &to[3]);
}

Texture create_blocks(const u8 *luma, const u8 *u, const u8 *v, Box box) {
  const Texture texture = create_texture(box.width, box.height, 8, box.x, box.y);
  const i32 stride = box.width + 1;
  for (i32 row = 0; row < box.height; row++) {
    u8 *to = row_of(&texture, row, 8);
    for (i32 column = 0; column < box.width; column++, to += 8) {
      const i32 at = row * stride + column;
      to[0] = luma[at];
      to[1] = luma[at + 1];
      to[2] = luma[at + stride];
      to[3] = luma[at + stride + 1];
      put_chroma(to + 4, u + at, v + at, stride);
    }
  }
  return texture;
}

Texture create_block_chroma(const u8 *u, const u8 *v, Box box) {
  const Texture texture = create_texture(box.width, box.height, 4, box.x, box.y);
  const i32 stride = box.width + 1;
  for (i32 row = 0; row < box.height; row++) {
    u8 *to = row_of(&texture, row, 4);
    for (i32 column = 0; column < box.width; column++, to += 4) {
      const i32 at = row * stride + column;
      put_chroma(to, u + at, v + at, stride);
    }
  }
  return texture;
}
