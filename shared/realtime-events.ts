// Bounds of the events that a realtime caller may send, the same in the relay and in the worker.

/** A minute of audio, or an image of three megabytes, in base64. */
export const MAX_EVENT_BYTES = 4 * 1024 * 1024 + 64 * 1024;
/** Of an event, what is in no string: 128 tools with their schemas have a third of it. */
export const MAX_STRUCTURE_BYTES = 64 * 1024;

/** The `error` event of a larger one. */
export const EVENT_TOO_LARGE = {
  code: "event_too_large",
  message: "An event has at most 4 MiB, and at most 64 KiB outside its strings.",
} as const;
