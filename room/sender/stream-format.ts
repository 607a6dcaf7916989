// The attributes of an audio byte stream, parsed once at the edge.

/** Format of the PCM data of a stream. */
export interface StreamFormat {
  sampleRateHz: number;
  channels: number;
}

/** Sample rates that the engine's resampler accepts. */
const MIN_SAMPLE_RATE_HZ = 8_000;
const MAX_SAMPLE_RATE_HZ = 192_000;
const MAX_CHANNELS = 32;

/** The format, or a sentence about what is wrong with the attributes. */
export type ParsedFormat = { format: StreamFormat; problem?: undefined } | { format?: undefined; problem: string };

/** Reads the attributes `sample_rate` and `num_channels` (decimal strings). Never throws, because one invalid stream
 *  must not end the avatar session. */
export function parseStreamFormat(attributes: Record<string, string> | undefined): ParsedFormat {
  const sampleRateHz = wholeNumber(attributes?.sample_rate);
  const channels = wholeNumber(attributes?.num_channels);
  if (sampleRateHz === undefined) return { problem: "attribute sample_rate is missing or not a whole number" };
  if (channels === undefined) return { problem: "attribute num_channels is missing or not a whole number" };
  if (sampleRateHz < MIN_SAMPLE_RATE_HZ || sampleRateHz > MAX_SAMPLE_RATE_HZ) {
    return { problem: `sample_rate must be ${MIN_SAMPLE_RATE_HZ} to ${MAX_SAMPLE_RATE_HZ}` };
  }
  if (channels < 1 || channels > MAX_CHANNELS) return { problem: `num_channels must be 1 to ${MAX_CHANNELS}` };
  return { format: { sampleRateHz, channels } };
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
