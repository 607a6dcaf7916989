// A session in the list. Rows are rendered again only when the service has told something new about them.
import { memo, type ReactElement } from "react";
import { Button } from "react-aria-components";
import { Link } from "wouter";
import type { ReportedSession } from "../../../../sdk/client/index.ts";
import { Badge } from "../../controls/badge.tsx";
import { Poster } from "../../controls/poster.tsx";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { CountedCredits, CountedSeconds, useRunningCost } from "./counting.tsx";
import { endInWords, STATE_TONES } from "./session-words.ts";

export interface SessionRowProps {
  session: ReportedSession;
  posterUrl: string | null;
  /** The same function for as long as the list is shown. */
  onEnd(id: string, name: string): void;
}

export const SessionRow = memo(function SessionRow({ session, posterUrl, onEnd }: SessionRowProps): ReactElement {
  const { sessions: texts } = useTexts();
  const formats = useFormats();
  const name = session.agent_name || session.agent_code || texts.photo;
  const cost = useRunningCost({
    seconds: session.minutes * 60,
    credits: session.credits,
    rate: session.burn_rate_cr_per_min,
    isCounting: session.status === "live",
  });
  const end = endInWords(texts, session.end_reason);
  return (
    <tr>
      <th data-title={texts.session} scope="row">
        <Link className="session-link" href={`/${session.id}`}>
          <Poster className="small" url={posterUrl} />
          <span>
            <bdi>{name}</bdi>
            <span className="fine">{session.id}</span>
          </span>
        </Link>
      </th>
      <td data-title={texts.state}>
        <span>
          <Badge tone={STATE_TONES[session.status]} words={texts.states[session.status]} />
          {end !== null && <span className="fine note">{end}</span>}
        </span>
      </td>
      <td data-title={texts.started}>
        <time dateTime={session.started}>{formats.time(session.started)}</time>
      </td>
      <td className="number" data-title={texts.length}>
        <CountedSeconds cost={cost} />
      </td>
      <td className="number" data-title={texts.credits}>
        <CountedCredits cost={cost} />
      </td>
      <td data-title={texts.action}>
        {session.status === "ended" ? (
          session.has_transcript && (
            <Link aria-label={texts.transcriptOf(name, session.id)} href={`/${session.id}`}>
              {texts.transcript}
            </Link>
          )
        ) : (
          <Button aria-label={texts.endOne(name, session.id)} onPress={() => onEnd(session.id, name)}>
            {texts.end}
          </Button>
        )}
      </td>
    </tr>
  );
});
