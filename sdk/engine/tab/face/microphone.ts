// The visitor's microphone, in pieces of 20 ms.
import { tapAudio } from "./tap-audio.ts";

export interface Microphone {
  /** Switches it off. Idempotent. */
  close(): void;
}

/** Opens the microphone: `onAudio` gets mono int16 at the context's rate. Rejects if the visitor or the browser
 *  refuses. */
export async function listenTo(audio: AudioContext, onAudio: (samples: Int16Array) => void): Promise<Microphone> {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: { channelCount: 1, echoCancellation: true } });
  const switchOff = () => {
    for (const track of stream.getTracks()) track.stop();
  };
  try {
    const untap = await tapAudio(audio.createMediaStreamSource(stream), onAudio);
    let isOpen = true;
    return {
      close() {
        if (!isOpen) return;
        isOpen = false;
        untap();
        switchOff();
      },
    };
  } catch (error) {
    switchOff();
    throw error;
  }
}
