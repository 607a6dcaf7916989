// A picture as WebRTC and video encoders take it.

/** I420, BT.601 limited range (Y 16–235, U and V 16–240), planes Y, U, V one after the other without padding: width × height × 3 / 2 bytes.
 *  Width and height are even. */
export interface I420Frame {
  data: Uint8Array;
  widthPx: number;
  heightPx: number;
}
