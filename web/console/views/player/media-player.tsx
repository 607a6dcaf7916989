// A film or recording with the browser's own controls, and its facts.
import { type ReactElement, type SyntheticEvent, useState } from "react";
import { Facts } from "../../controls/facts.tsx";
import { useFormats, useTexts } from "../../texts/texts-context.ts";

export interface MediaPlayerProps {
  kind: "film" | "recording";
  name: string;
  url: string;
  facts: readonly (readonly [string, string])[];
  /** The browser cannot play it. */
  onProblem(): void;
}

export function MediaPlayer({ kind, name, url, facts, onProblem }: MediaPlayerProps): ReactElement {
  const { player } = useTexts();
  const formats = useFormats();
  const [known, setKnown] = useState<readonly (readonly [string, string])[]>([]);
  function learn({ currentTarget: media }: SyntheticEvent<HTMLMediaElement>): void {
    const { duration } = media;
    const isFilm = media instanceof HTMLVideoElement && media.videoWidth > 0;
    setKnown([
      // Endless for files that do not tell.
      ...(Number.isFinite(duration) ? ([[player.length, formats.duration(duration)]] as const) : []),
      ...(isFilm
        ? ([[player.picture, `${formats.number(media.videoWidth)} × ${formats.number(media.videoHeight)} px`]] as const)
        : []),
    ]);
  }
  const shared = { src: url, controls: true, "aria-label": name, onError: onProblem, onLoadedMetadata: learn };
  return (
    <>
      {kind === "film" ? (
        <video {...shared} className="player-film" playsInline />
      ) : (
        <audio {...shared} className="player-recording" />
      )}
      <Facts facts={[...facts, ...known]} />
    </>
  );
}
