// Plays one short recording at a time.
import { useCallback, useEffect, useRef, useState } from "react";

export interface Sound {
  /** Plays what `fetchAudio` brings, in place of what plays now. Called by a press, which lets audio play. */
  play(id: string, fetchAudio: (signal: AbortSignal) => Promise<Blob>): void;
  stop(): void;
  /** Id of what is fetched or played; null for nothing. */
  playing: string | null;
  /** Why nothing is heard; undefined if something is, or was stopped. */
  error: unknown;
}

/** It falls silent when the component goes. */
export function useSound(): Sound {
  const [playing, setPlaying] = useState<string | null>(null);
  const [error, setError] = useState<unknown>();
  const end = useRef<() => void>(() => undefined);
  const stop = useCallback(() => {
    end.current();
    setPlaying(null);
  }, []);
  const play = useCallback((id: string, fetchAudio: (signal: AbortSignal) => Promise<Blob>) => {
    end.current();
    setPlaying(id);
    setError(undefined);
    const player = new Audio();
    const controller = new AbortController();
    let url: string | undefined;
    const finish = (problem?: unknown) => {
      if (controller.signal.aborted) return;
      end.current();
      setPlaying(null);
      setError(problem);
    };
    end.current = () => {
      controller.abort();
      player.pause();
      if (url !== undefined) URL.revokeObjectURL(url);
      url = undefined;
    };
    player.addEventListener("ended", () => finish());
    player.addEventListener("error", () => finish(player.error ?? new Error()));
    fetchAudio(controller.signal)
      .then(async (audio) => {
        if (controller.signal.aborted) return;
        url = URL.createObjectURL(audio);
        player.src = url;
        await player.play();
      })
      .catch(finish);
  }, []);
  useEffect(() => () => end.current(), []);
  return { play, stop, playing, error };
}
