// Numbers that both sound and picture depend on. Source: the contract (25 frames a second) and the hearing network (16
// kHz).

/** Frames per second. */
export const FRAME_RATE_FPS = 25;
/** Length of one picture, and of one hop of audio, in ms. */
export const HOP_MS = 40;
/** Sample rate that the hearing network listens at. */
export const HEARING_SAMPLE_RATE_HZ = 16_000;
/** Samples in one hop at the hearing rate. */
export const HEARING_HOP_SAMPLES = 640;
/** Sample rate of everything published into a room: Opus's own, so nothing is resampled twice. */
export const PLAYOUT_SAMPLE_RATE_HZ = 48_000;
