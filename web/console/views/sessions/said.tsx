// One message of a transcript: when, by whom, and for an answer how long it took.
import { memo, type ReactElement } from "react";
import type { ConversationMessage } from "../../../../sdk/client/index.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";

export interface SaidProps {
  message: ConversationMessage;
  /** Time since the start of the session. */
  offset: string;
}

export const Said = memo(function Said({ message: said, offset }: SaidProps): ReactElement {
  const { sessions: texts } = useTexts();
  const formats = useFormats();
  const { role, message, timestamp, latency } = said;
  return (
    <li className={role}>
      <p className="fine">
        <time dateTime={timestamp} title={formats.time(timestamp)}>
          {offset}
        </time>{" "}
        {texts.roles[role]}
      </p>
      <p className="words" dir="auto">
        {message}
      </p>
      {latency !== null && <Latency latency={latency} />}
    </li>
  );
});

function Latency({ latency }: { latency: NonNullable<ConversationMessage["latency"]> }): ReactElement {
  const { sessions: texts } = useTexts();
  const formats = useFormats();
  const { is_typed: isTyped, text_ms, decided_ms, words_ms, sound_ms } = latency;
  const parts: [string, number | null][] = [
    ...(isTyped
      ? []
      : ([
          [texts.wordsKnown, text_ms],
          [texts.turnOver, decided_ms],
        ] as [string, number][])),
    [texts.firstWords, words_ms],
  ];
  const told = parts.flatMap(([name, ms]) => (ms === null ? [] : [`${name} ${formats.latency(ms)}`]));
  return (
    <p className="fine latency">
      {sound_ms !== null && <strong>{texts.heardAfter(formats.latency(sound_ms))}</strong>}{" "}
      <span>{told.join(" · ")}</span>
    </p>
  );
}
