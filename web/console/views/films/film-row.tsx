// A film in the list: its state, and once it is done a player in its place.
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { TalkingVideo } from "../../../../sdk/client/index.ts";
import { atOwnOrigin } from "../../../shared/at-own-origin.ts";
import { Badge, type Tone } from "../../controls/badge.tsx";
import { Reason } from "../../controls/reason.tsx";
import { ViewLink } from "../../controls/view-link.tsx";
import { useFormats, useTexts } from "../../texts/texts-context.ts";

const TONES: Readonly<Record<TalkingVideo["status"], Tone>> = {
  processing: "busy",
  completed: "good",
  failed: "wrong",
};

export interface FilmRowProps {
  film: TalkingVideo;
  agentName: string;
  onDelete(): void;
}

export function FilmRow({ film, agentName, onDelete }: FilmRowProps): ReactElement {
  const { films, shell } = useTexts();
  const formats = useFormats();
  const [isOpen, setOpen] = useState(false);
  const time = formats.time(film.created_at);
  const { video_url: url, subtitles_url: subtitles, status } = film;
  return (
    <li>
      <div>
        <span className="film-agent" dir="auto">
          <ViewLink part={film.agent_code} to="agents" words={agentName} />
        </span>
        <p className="row">
          <span role="status">
            <Badge tone={TONES[status]} words={films.states[status]} />
          </span>
          <span className="fine">{time}</span>
          <span className="fine">{film.model}</span>
        </p>
        <FilmState film={film} />
      </div>
      <div className="row film-actions">
        {url && (
          <>
            <Button
              aria-expanded={isOpen}
              aria-label={isOpen ? films.hide : films.playFilm(agentName, time)}
              onPress={() => setOpen(!isOpen)}
            >
              {isOpen ? films.hide : films.play}
            </Button>
            <a
              aria-label={films.downloadFilm(agentName, time)}
              className="button"
              download={`${film.job_id}.mp4`}
              href={atOwnOrigin(url)}
            >
              {films.download}
            </a>
            {subtitles && (
              <a className="button" download={`${film.job_id}.vtt`} href={atOwnOrigin(subtitles)}>
                {films.subtitles}
              </a>
            )}
          </>
        )}
        <Button aria-label={films.deleteFilm(agentName, time)} onPress={onDelete}>
          {shell.delete}
        </Button>
      </div>
      {url && isOpen && <FilmPlayer subtitles={subtitles} url={url} />}
    </li>
  );
}

function FilmState({ film }: { film: TalkingVideo }): ReactElement {
  const { films } = useTexts();
  const formats = useFormats();
  if (film.status === "processing") {
    const words = films.progress(formats.percent(film.progress));
    return (
      <p className="row">
        <progress aria-label={words} max={1} value={film.progress} />
        <span className="fine">{words}</span>
      </p>
    );
  }
  if (film.status === "failed") {
    return <Reason message={film.error?.message ?? ""} note={films.refunded} />;
  }
  return (
    <>
      <p className="fine">
        {[
          formats.duration(film.duration_seconds ?? 0),
          ...(film.width && film.height ? [`${film.width} × ${film.height}`] : []),
          films.cost(formats.credits(film.credits_charged ?? 0)),
        ].join(" · ")}
      </p>
      {film.warnings?.map(({ code, message }) => (
        <p className="fine" key={code}>
          {message}
        </p>
      ))}
    </>
  );
}

function FilmPlayer({ url, subtitles }: { url: string; subtitles?: string }): ReactElement {
  const { films } = useTexts();
  const [isBroken, setBroken] = useState(false);
  if (isBroken) return <p role="alert">{films.unplayable}</p>;
  return (
    // biome-ignore lint/a11y/useMediaCaption: a recording whose words are not known has no subtitles
    <video autoPlay className="film-player" controls onError={() => setBroken(true)} playsInline src={atOwnOrigin(url)}>
      {subtitles && <track default kind="subtitles" label={films.subtitles} src={atOwnOrigin(subtitles)} />}
    </video>
  );
}
