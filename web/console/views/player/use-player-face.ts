// The face of the player: one on a stage, which says recordings.
import { type RefObject, useEffect, useRef, useState } from "react";
import { fetchBytes } from "../../../../sdk/engine/tab/face/fetch-bytes.ts";
import { LocalFace } from "../../../local/local-face.ts";
import type { SampleFace } from "../../../shared/sample-faces.ts";
import { Stage } from "../../../shared/stage/stage.ts";

export interface PlayerFace {
  /** Whether there is a face to speak with. */
  isOpen: boolean;
  /** Whether it broke. */
  hasFailed: boolean;
  /** Each rejects with the reason. */
  openBundle(name: string, bundle: Uint8Array): Promise<void>;
  openSample(sample: SampleFace): Promise<void>;
  /** Speaks a recording in place of the one before. */
  say(file: ArrayBuffer, name: string): Promise<void>;
  /** Says the last one again; nothing without one. */
  again(): void;
  stop(): void;
}

export function usePlayerFace(host: RefObject<HTMLDivElement | null>): PlayerFace {
  const face = useRef<LocalFace | null>(null);
  const [isOpen, setOpen] = useState(false);
  const [hasFailed, setFailed] = useState(false);
  useEffect(() => {
    if (!host.current) return;
    const stage = new Stage({ host: host.current, face: document.createElement("canvas") });
    const made = new LocalFace(stage, {
      onMetrics: () => undefined,
      onFailure: () => setFailed(true),
      onSpoken: () => undefined,
    });
    face.current = made;
    return () => {
      made.clear();
      void made.audio.close();
      stage.root.remove();
    };
  }, [host]);
  async function open(order: Parameters<LocalFace["open"]>[0]): Promise<void> {
    if (!(await face.current?.open(order))) return;
    setOpen(true);
    setFailed(false);
  }
  return {
    isOpen,
    hasFailed,
    openBundle: (name, bundle) => open({ name, bundle }),
    openSample: ({ name, poster, bundle }) => open({ name, poster, bundle: fetchBytes(bundle) }),
    async say(file, name) {
      const made = face.current;
      if (made) made.say(await made.keep(file, name));
    },
    again() {
      const recording = face.current?.recording;
      if (recording) face.current?.say(recording);
    },
    stop: () => face.current?.clear(),
  };
}
