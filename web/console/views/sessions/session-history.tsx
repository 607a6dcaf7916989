// The states that a session has been in, one after the other.
import type { ReactElement } from "react";
import type { RuntimeSession } from "../../../../sdk/client/index.ts";
import { Panel } from "../../controls/page.tsx";
import type { Texts } from "../../texts/load-texts.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { endInWords } from "./session-words.ts";

const MINUTE_MS = 60_000;

interface Moment {
  at: string;
  words: string;
}

export function SessionHistory({ session }: { session: RuntimeSession }): ReactElement {
  const { sessions: texts } = useTexts();
  const formats = useFormats();
  const since = (at: string) => {
    const ms = Math.max(0, Date.parse(at) - Date.parse(session.started_at));
    return ms < MINUTE_MS ? formats.latency(ms) : formats.duration(ms / 1_000);
  };
  return (
    <Panel title={texts.history}>
      <ol className="rows">
        {momentsOf(session, texts).map(({ at, words }) => (
          <li key={words}>
            <div>{words}</div>
            <time className="fine" dateTime={at}>
              {formats.time(at)} · +{since(at)}
            </time>
          </li>
        ))}
      </ol>
      {session.dispatch_number > 1 && <p className="fine">{texts.workers(session.dispatch_number)}</p>}
    </Panel>
  );
}

function momentsOf(session: RuntimeSession, texts: Texts["sessions"]): Moment[] {
  const { started_at, live_at, vacant_since, ended_at, left_at, end_reason } = session;
  const moments: [string | null, string][] = [
    [started_at, texts.wasStarted],
    [live_at, texts.wasLive],
    [vacant_since, texts.isVacant],
    [ended_at, texts.wasEnded(endInWords(texts, end_reason))],
    [left_at, texts.hasLeft],
  ];
  return moments.flatMap(([at, words]) => (at === null ? [] : [{ at, words }]));
}
