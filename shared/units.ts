// Timing of audio and video. Source: the contract (25 fps) and the lip sync model (16 kHz).

/** Frames per second. */
export const FRAME_RATE_FPS = 25;
/** Duration of one frame, and of one hop of audio, in ms. */
export const HOP_MS = 40;
/** Sample rate of the audio that lip sync, speech recognition, speech detection and echo check take. */
export const SPEECH_SAMPLE_RATE_HZ = 16_000;
/** The same for a millisecond. */
export const LIP_SYNC_SAMPLES_PER_MS = SPEECH_SAMPLE_RATE_HZ / 1000;
/** Samples in one hop at that rate. */
export const LIP_SYNC_HOP_SAMPLES = 640;
/** Sample rate of published audio: the rate of Opus, so that nothing is resampled twice. */
export const PLAYOUT_SAMPLE_RATE_HZ = 48_000;
