// Indices of the face mesh. Left and right are as seen in the image. Source: MediaPipe's
// canonical face mesh.

/** Points of the face mesh proper. */
export const MESH_POINT_COUNT = 468;
/** Points of each iris: centre, then four on its rim. They follow the mesh: left eye first. */
const IRIS_POINT_COUNT = 5;
/** All points of `FaceLandmarks`. */
export const FACE_POINT_COUNT = MESH_POINT_COUNT + 2 * IRIS_POINT_COUNT;

/** Iris centres. */
export const LEFT_IRIS = 468;
export const RIGHT_IRIS = 473;

/** Corners of each eye, from left to right in the image. */
export const LEFT_EYE_CORNERS = Object.freeze([33, 133] as const);
export const RIGHT_EYE_CORNERS = Object.freeze([362, 263] as const);

/** The mesh point of each of the iris model's 71 contour points: lid rims, then rings around them, then the brow. */
export const LEFT_EYE_CONTOUR: readonly number[] = Object.freeze([
  33, 7, 163, 144, 145, 153, 154, 155, 133, 246, 161, 160, 159, 158, 157, 173, 130, 25, 110, 24, 23, 22, 26, 112, 243,
  247, 30, 29, 27, 28, 56, 190, 226, 31, 228, 229, 230, 231, 232, 233, 244, 113, 225, 224, 223, 222, 221, 189, 35, 124,
  46, 53, 52, 65, 143, 111, 117, 118, 119, 120, 121, 128, 245, 156, 70, 63, 105, 66, 107, 55, 193,
]);
export const RIGHT_EYE_CONTOUR: readonly number[] = Object.freeze([
  263, 249, 390, 373, 374, 380, 381, 382, 362, 466, 388, 387, 386, 385, 384, 398, 359, 255, 339, 254, 253, 252, 256,
  341, 463, 467, 260, 259, 257, 258, 286, 414, 446, 261, 448, 449, 450, 451, 452, 453, 464, 342, 445, 444, 443, 442,
  441, 413, 265, 353, 276, 283, 282, 295, 372, 340, 346, 347, 348, 349, 350, 357, 465, 383, 300, 293, 334, 296, 336,
  285, 417,
]);

/** That many contour points of an eye, the first ones, are the rims of its lids. */
export const LID_RIM_COUNT = 16;

/** Rim of the face, clockwise from the top of the forehead. */
export const FACE_OVAL: readonly number[] = Object.freeze([
  10, 338, 297, 332, 284, 251, 389, 356, 454, 323, 361, 288, 397, 365, 379, 378, 400, 377, 152, 148, 176, 149, 150, 136,
  172, 58, 132, 93, 234, 127, 162, 21, 54, 103, 67, 109,
]);

/** Outer lip rims from the left to the right corner of the mouth. */
export const UPPER_LIP_OUTER: readonly number[] = Object.freeze([61, 185, 40, 39, 37, 0, 267, 269, 270, 409, 291]);
export const LOWER_LIP_OUTER: readonly number[] = Object.freeze([61, 146, 91, 181, 84, 17, 314, 405, 321, 375, 291]);
