// What a session is, what it costs, and how its face looks.
import type { ReactElement, ReactNode } from "react";
import type { RuntimeSession } from "../../../../sdk/client/index.ts";
import { Badge } from "../../controls/badge.tsx";
import { Facts } from "../../controls/facts.tsx";
import { Panel } from "../../controls/page.tsx";
import { Poster } from "../../controls/poster.tsx";
import { ViewLink } from "../../controls/view-link.tsx";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { CountedCredits, CountedSeconds, useRunningCost } from "./counting.tsx";
import { endInWords, STATE_TONES } from "./session-words.ts";
import { Still } from "./still.tsx";

export interface SessionFactsProps {
  session: RuntimeSession;
  posterUrl: string | null;
}

export function SessionFacts({ session, posterUrl }: SessionFactsProps): ReactElement {
  const { sessions: texts } = useTexts();
  const formats = useFormats();
  const isLive = session.status === "live";
  const rate = session.burn_rate_cr_per_min;
  const cost = useRunningCost({
    seconds: session.billed_seconds,
    credits: session.credits,
    rate,
    isCounting: isLive,
  });
  const end = endInWords(texts, session.end_reason);
  const facts: [string, ReactNode][] = [
    [texts.state, <Badge key="state" tone={STATE_TONES[session.status]} words={texts.states[session.status]} />],
    ...(end === null ? [] : [[texts.endReason, end] as [string, ReactNode]]),
    ...(session.note === undefined ? [] : [[texts.note, session.note] as [string, ReactNode]]),
    [texts.length, <CountedSeconds cost={cost} key="length" />],
    [
      texts.credits,
      <span key="credits">
        <CountedCredits cost={cost} />
        {isLive && <span className="fine"> {texts.perMinute(formats.credits(rate))}</span>}
      </span>,
    ],
    [
      texts.agent,
      session.agent_id === null ? (
        texts.photo
      ) : (
        <ViewLink key="agent" part={session.agent_id} to="agents" words={session.agent_id} />
      ),
    ],
    [texts.model, session.model],
    [texts.room, <bdi key="room">{session.room_name}</bdi>],
    [texts.id, <code key="id">{session.session_id}</code>],
  ];
  return (
    <Panel
      actions={
        <ViewLink part="session" search={{ session: session.session_id }} to="webhooks" words={texts.deliveries} />
      }
      title={texts.session}
    >
      <div className="session-facts">
        {isLive && !session.is_self_hosted ? (
          <Still fallback={posterUrl} id={session.session_id} />
        ) : (
          <Poster className="session-face" url={posterUrl} />
        )}
        <Facts facts={facts} />
      </div>
    </Panel>
  );
}
