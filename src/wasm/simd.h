// SIMD vocabulary of the WebAssembly modules: 128-bit vectors with short names, and nothing of a C library.
#ifndef OPEN_AVATAR_SIMD_H
#define OPEN_AVATAR_SIMD_H

#include <stdint.h>
#include <wasm_simd128.h>

typedef uint8_t u8;
typedef uint16_t u16;
typedef int32_t i32;
typedef uint32_t u32;
typedef float f32;
/** 16 bytes: four f32 or i32, eight 16-bit or sixteen 8-bit numbers. */
typedef v128_t vec;

/** Marks what the loading TypeScript may call; all else is hidden. */
#define EXPORT __attribute__((visibility("default")))

#endif
