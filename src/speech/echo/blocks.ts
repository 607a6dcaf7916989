// Sizes that the parts of the echo check share. All audio is mono at 16 kHz, −1 to 1.

/** Samples of a millisecond. */
export const SAMPLES_PER_MS = 16;
/** Samples that are processed at a time: 10 ms, so that blocks of 10, 20, 30 and 40 ms are not delayed. */
export const BLOCK_SAMPLES = 160;
/** Samples of a transform: the block and the one before it. */
export const FRAME_SAMPLES = 2 * BLOCK_SAMPLES;
/** Values of a spectrum, 50 Hz apart. */
export const BINS = BLOCK_SAMPLES + 1;
