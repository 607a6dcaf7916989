// Lets voices be heard, one or several in turn, and keeps the last recording for a download.
import { useCallback, useEffect, useRef, useState } from "react";
import type { Voice } from "../../../../sdk/client/index.ts";
import { useSound } from "../../controls/use-sound.ts";
import { useConsole } from "../../data/console-context.ts";
import { isDesigned, useVoicePreview } from "../../data/voices.ts";

export interface Words {
  /** Empty: each voice's own line. */
  text: string;
  /** ISO 639-1 code. */
  language: string;
}

export interface Hearing {
  /** These voices, one after the other, in place of what plays now. */
  hear(voices: readonly Voice[]): void;
  stop(): void;
  /** Id of the voice that speaks; null for none. */
  playing: string | null;
  error: unknown;
  /** What was said last. */
  last: { voice: Voice; audio: Blob } | null;
}

export function useHearing({ text, language }: Words): Hearing {
  const { client } = useConsole();
  const preview = useVoicePreview();
  const sound = useSound();
  const [last, setLast] = useState<Hearing["last"]>(null);
  const queue = useRef<readonly Voice[]>([]);
  const words = text.trim();

  async function record(voice: Voice, signal: AbortSignal): Promise<Blob> {
    const name = isDesigned(voice.id) ? { voice_code: voice.id } : { voice: voice.id };
    const audio =
      words === ""
        ? await preview(voice.id, signal)
        : await (await client.speech.synthesize({ text: words, language, ...name }, { signal })).blob();
    setLast({ voice, audio });
    return audio;
  }

  function begin([first, ...rest]: readonly Voice[]): void {
    queue.current = rest;
    if (first) sound.play(first.id, (signal) => record(first, signal));
  }

  // The next one speaks when one has ended; a failure ends the round.
  const { playing, error } = sound;
  const next = useRef(begin);
  next.current = begin;
  useEffect(() => {
    if (playing === null && error === undefined && queue.current.length > 0) next.current(queue.current);
  }, [playing, error]);

  const stop = useCallback(() => {
    queue.current = [];
    sound.stop();
  }, [sound.stop]);
  return { hear: begin, stop, playing, error, last };
}
