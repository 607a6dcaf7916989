// What was sent to a webhook, as it is sent: each attempt, what the receiver answered, and when the next one is.
import type { ReactElement } from "react";
import type { WebhookDelivery } from "../../../../sdk/client/index.ts";
import { Badge, type Tone } from "../../controls/badge.tsx";
import { CopyButton } from "../../controls/copy-button.tsx";
import { Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { type Column, Table } from "../../controls/table.tsx";
import { useNow } from "../../controls/use-now.ts";
import { ViewLink } from "../../controls/view-link.tsx";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { useDeliveries } from "./use-webhooks.ts";

type Attempt = WebhookDelivery["attempt_log"][number];
type State = "delivered" | "waiting" | "retrying" | "gaveUp";

const TONES: Readonly<Record<State, Tone>> = {
  delivered: "good",
  waiting: "busy",
  retrying: "busy",
  gaveUp: "wrong",
};
const SECOND_MS = 1_000;

export interface DeliveriesProps {
  id: string;
  isSession: boolean;
  /** Only those about this avatar session. */
  sessionId?: string;
}

export function Deliveries({ id, isSession, sessionId }: DeliveriesProps): ReactElement {
  const { webhooks: texts } = useTexts();
  const deliveries = useDeliveries(id, sessionId);
  const newest = deliveries.data?.[0];
  return (
    <Panel title={texts.deliveries}>
      <p className="fine">{isSession ? texts.sessionRetries : texts.retries}</p>
      {sessionId !== undefined && (
        <p>
          {texts.ofSession} <ViewLink part={sessionId} to="sessions" words={sessionId} />
          {" · "}
          <ViewLink part="session" to="webhooks" words={texts.allDeliveries} />
        </p>
      )}
      <p className="fine" role="status">
        {newest ? texts.newest(newest.event_type, texts.states[stateOf(newest)]) : ""}
      </p>
      <QueryResult
        empty={<p>{sessionId === undefined ? texts.noDeliveries : texts.noneOfSession}</p>}
        isEmpty={(list) => list.length === 0}
        query={deliveries}
      >
        {(list) => (
          <ul className="rows">
            {list.map((delivery) => (
              <li key={delivery.id}>
                <DeliveryRow delivery={delivery} />
              </li>
            ))}
          </ul>
        )}
      </QueryResult>
    </Panel>
  );
}

function DeliveryRow({ delivery }: { delivery: WebhookDelivery }): ReactElement {
  const { webhooks: texts } = useTexts();
  const formats = useFormats();
  const state = stateOf(delivery);
  const columns: Column<Attempt>[] = [
    { title: texts.attempt, cell: ({ attempt }) => formats.number(attempt) },
    { title: texts.time, cell: ({ created_at: at }) => formats.clock(at) },
    { title: texts.answer, cell: ({ status_code: status, error }) => (status === null ? <bdi>{error}</bdi> : status) },
    { title: texts.taken, cell: ({ duration_ms: ms }) => formats.latency(ms), isNumber: true },
  ];
  return (
    <details className="delivery">
      <summary>
        <Badge tone={TONES[state]} words={texts.states[state]} /> <code>{delivery.event_type}</code>{" "}
        {delivery.is_test && <Badge tone="quiet" words={texts.isTest} />}{" "}
        <span className="fine">
          {formats.time(delivery.created_at)} · {texts.attempts(delivery.attempts)}
          {delivery.attempts > 0 && ` · ${texts.lastAnswer(delivery.status_code)}`}
        </span>{" "}
        {delivery.next_attempt_at !== null && <NextAttempt at={delivery.next_attempt_at} />}
      </summary>
      {delivery.attempt_log.length > 0 && (
        <Table
          columns={columns}
          keyOf={({ attempt }) => String(attempt)}
          label={texts.attemptsOf(delivery.event_type)}
          rows={delivery.attempt_log}
        />
      )}
      {state === "gaveUp" && <p>{delivery.is_test ? texts.testFailed : texts.gaveUpNote}</p>}
      <h3>{texts.body}</h3>
      <p className="fine">
        {texts.deliveryId} <code>evt_{delivery.id}</code>
      </p>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: it scrolls, also by keyboard */}
      <pre className="code wrapped" tabIndex={0}>
        <code>{delivery.body}</code>
      </pre>
      <CopyButton text={delivery.body} />
    </details>
  );
}

/** Counts down. Its clock is the browser's, so it says no more than "now" for times that are past. */
function NextAttempt({ at }: { at: string }): ReactElement {
  const { webhooks: texts } = useTexts();
  const nowMs = useNow(SECOND_MS);
  const seconds = Math.ceil((new Date(at).getTime() - nowMs) / SECOND_MS);
  return <span className="fine">{seconds > 0 ? texts.nextIn(seconds) : texts.nextNow}</span>;
}

function stateOf({ delivered, next_attempt_at: next, attempts }: WebhookDelivery): State {
  if (delivered) return "delivered";
  // A test is recorded before it is sent.
  if (next === null) return attempts === 0 ? "waiting" : "gaveUp";
  return attempts === 0 ? "waiting" : "retrying";
}
