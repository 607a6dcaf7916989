// WebRTC for Node, loaded with the first call that needs it: 26 MB of native code, and 10 MB of memory.
import { createRequire } from "node:module";

/** Ten milliseconds of audio, interleaved. */
export interface AudioData {
  samples: Int16Array;
  sampleRate: number;
  channelCount: number;
}

/** The parts of the package that the relay uses. */
export interface Wrtc {
  RTCPeerConnection: new (
    configuration: RTCConfiguration & { portRange?: { min: number; max: number } },
  ) => RTCPeerConnection;
  nonstandard: {
    /** Takes exactly 10 ms at a time. */
    RTCAudioSource: new () => {
      createTrack(): MediaStreamTrack;
      onData(data: AudioData & { bitsPerSample: 16; numberOfFrames: number }): void;
    };
    RTCAudioSink: new (
      track: MediaStreamTrack,
    ) => {
      ondata: ((data: AudioData) => void) | null;
      stop(): void;
    };
  };
}

let loaded: Wrtc | undefined;

/** Throws if there is no build of it for this machine. */
export function loadWrtc(): Wrtc {
  loaded ??= createRequire(import.meta.url)("@roamhq/wrtc") as Wrtc;
  return loaded;
}
