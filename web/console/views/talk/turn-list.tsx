// The turns of a conversation, the newest first: latencies, what was understood, and what the language model was told.
import type { ReactElement } from "react";
import type { ConversationTurn } from "../../../../sdk/client/index.ts";
import { Facts } from "../../controls/facts.tsx";
import { Problem } from "../../controls/problem.tsx";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import type { TurnRow } from "./use-turns.ts";

export interface TurnListProps {
  /** Oldest first. */
  rows: readonly TurnRow[];
  problem: unknown;
  retry(): void;
}

export function TurnList({ rows, problem, retry }: TurnListProps): ReactElement {
  const { talk } = useTexts();
  return (
    <>
      <Problem error={problem} retry={retry} />
      {rows.length === 0 ? (
        <p>{talk.noTurns}</p>
      ) : (
        <ol className="turns">
          {rows.toReversed().map((row) => (
            <Turn key={row.number} row={row} />
          ))}
        </ol>
      )}
    </>
  );
}

function Turn({ row: { number, text, heardMs, known } }: { row: TurnRow }): ReactElement {
  const { talk } = useTexts();
  const { latency, percent } = useFormats();
  const orNone = (ms: number | null | undefined) => (ms === null || ms === undefined ? "–" : latency(ms));
  const isSpoken = known !== undefined && !known.is_typed;
  const title = known?.is_typed === false ? talk.understood : talk.said;
  return (
    <li>
      <h3>{talk.turn(number)}</h3>
      <blockquote aria-label={title} dir="auto">
        {text || talk.unknownWords}
      </blockquote>
      <Facts
        facts={[
          ...(isSpoken && known.confidence !== null ? ([[talk.confidence, percent(known.confidence)]] as const) : []),
          ...(isSpoken
            ? ([
                [talk.textMs, latency(known.text_ms)],
                [talk.decidedMs, latency(known.decided_ms)],
              ] as const)
            : []),
          ...(known
            ? ([
                [talk.wordsMs, orNone(known.words_ms)],
                [talk.soundMs, orNone(known.sound_ms)],
              ] as const)
            : []),
          [talk.heardMs, orNone(heardMs)],
        ]}
      />
      {known && <Told told={known.told} />}
    </li>
  );
}

function Told({ told }: { told: ConversationTurn["told"] }): ReactElement {
  const { talk } = useTexts();
  if (told === null) return <p className="fine">{talk.notTold}</p>;
  return (
    <details>
      <summary>{told.instructions === null ? talk.toldNoModel : talk.told}</summary>
      {told.instructions !== null && (
        <>
          <h4>{talk.instructions}</h4>
          {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
          <pre className="code wrapped" dir="auto" tabIndex={0}>
            {told.instructions}
          </pre>
        </>
      )}
      <h4>{talk.history}</h4>
      {told.history.length === 0 ? (
        <p className="fine">{talk.noHistory}</p>
      ) : (
        <ol className="told">
          {told.history.map(({ role, text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <li key={index}>
              <span className="fine">{talk.roles[role]}</span> <span dir="auto">{text}</span>
            </li>
          ))}
        </ol>
      )}
      <h4>{talk.knowledge}</h4>
      {told.passages.length === 0 ? (
        <p className="fine">{talk.noKnowledge}</p>
      ) : (
        <ol className="told">
          {told.passages.map(({ file_name, heading, text }, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: the list never changes
            <li key={index}>
              <span className="fine" dir="auto">
                {[file_name, heading].filter(Boolean).join(" · ")}
              </span>
              <p dir="auto">{text}</p>
            </li>
          ))}
        </ol>
      )}
      {told.has_image && <p className="fine">{talk.withImage}</p>}
      {told.is_cut && <p className="fine">{talk.isCut}</p>}
    </details>
  );
}
