// Types of the part of wav-decoder that we use; the package has none.
declare module "wav-decoder" {
  namespace wavDecoder {
    interface AudioData {
      numberOfChannels: number;
      length: number;
      sampleRate: number;
      /** One float32 array in [−1, 1] for each channel. */
      channelData: Float32Array[];
    }
  }
  const wavDecoder: {
    decode: {
      /** `symmetric`: integers are divided by 2^(bits − 1) on both sides of zero. Throws TypeError or RangeError for
       *  files that it cannot read. */
      sync(buffer: ArrayBuffer, options: { symmetric: boolean }): wavDecoder.AudioData;
    };
  };
  export default wavDecoder;
}
