// How loud a live track is, for the ring that follows the visitor's voice.
import { audioLevel } from "../../sdk/engine/tab/face/audio-level.ts";
import { tapAudio } from "../../sdk/engine/tab/face/tap-audio.ts";

/** Share of the last level that stays after 20 ms: the ring rises with the voice and falls in about 200 ms. */
const FALL = 0.85;

/** Calls `onLevel` with 0 (silent) to 1 (loud), fifty times a second. Returns what ends it, with a last level of 0. A
 *  browser that runs no audio worklets shows no level. */
export function followLevel(track: MediaStreamTrack, onLevel: (level: number) => void): () => void {
  const audio = new AudioContext();
  let isOver = false;
  let level = 0;
  const tapped = tapAudio(audio.createMediaStreamSource(new MediaStream([track])), (samples) => {
    if (isOver) return;
    level = Math.max(audioLevel(samples), FALL * level);
    onLevel(level);
  }).catch(() => undefined);
  return () => {
    if (isOver) return;
    isOver = true;
    onLevel(0);
    void tapped.then(() => audio.close());
  };
}
