// The attributes of an audio byte stream, parsed once at the edge.

/** How the bytes of a stream are to be read. */
export interface StreamFormat {
  sampleRateHz: number;
  channels: number;
}

/** What the engine's resampler takes. */
const MIN_SAMPLE_RATE_HZ = 8_000;
const MAX_SAMPLE_RATE_HZ = 192_000;
const MAX_CHANNELS = 32;

/** Format of a stream from its attributes `sample_rate` and `num_channels` (decimal strings), or a sentence saying what is wrong
 *  with them. Never throws: a bad stream is an everyday event that must not end the avatar session. */
export function parseStreamFormat(attributes: Record<string, string> | undefined): StreamFormat | string {
  const sampleRateHz = wholeNumber(attributes?.sample_rate);
  const channels = wholeNumber(attributes?.num_channels);
  if (sampleRateHz === undefined) return "attribute sample_rate is missing or not a whole number";
  if (channels === undefined) return "attribute num_channels is missing or not a whole number";
  if (sampleRateHz < MIN_SAMPLE_RATE_HZ || sampleRateHz > MAX_SAMPLE_RATE_HZ) {
    return `sample_rate must be ${MIN_SAMPLE_RATE_HZ} to ${MAX_SAMPLE_RATE_HZ}`;
  }
  if (channels < 1 || channels > MAX_CHANNELS) return `num_channels must be 1 to ${MAX_CHANNELS}`;
  return { sampleRateHz, channels };
}

function wholeNumber(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,9}$/.test(text) ? Number(text) : undefined;
}
