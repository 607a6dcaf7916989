// The workers: where they run, what they hold, and what they can still take.
import type { ReactElement } from "react";
import { Badge } from "../../controls/badge.tsx";
import { EmptyView } from "../../controls/empty-view.tsx";
import { Panel } from "../../controls/page.tsx";
import { type Column, Table } from "../../controls/table.tsx";
import { useNow } from "../../controls/use-now.ts";
import type { OperatorOverview } from "../../data/operator-overview.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { NotAll } from "./not-all.tsx";

type Worker = OperatorOverview["workers"]["listed"][number];

export function WorkersPanel({ seen }: { seen: OperatorOverview }): ReactElement {
  const { operator } = useTexts();
  const formats = useFormats();
  const { listed, total } = seen.workers;
  if (total === 0) return <EmptyView words={operator.noWorkers} />;
  const free = listed.reduce((sum, worker) => sum + freeSlots(worker), 0);
  return (
    <Panel title={operator.workersTitle}>
      <p>
        {operator.workers(total)}. {operator.room(formats.number(free))}.
      </p>
      <WorkerTable workers={listed} />
      <NotAll listed={listed.length} total={total} />
    </Panel>
  );
}

function WorkerTable({ workers }: { workers: readonly Worker[] }): ReactElement {
  const { operator } = useTexts();
  const formats = useFormats();
  const nowMs = useNow(1_000);
  const number = (value: number | null) => (value === null ? "–" : formats.credits(value));
  const held = (taken: number | null, most: number | null) =>
    taken === null || most === null ? "–" : operator.ofMost(formats.number(taken), formats.number(most));
  const columns: Column<Worker>[] = [
    { title: operator.host, cell: ({ host, id }) => <span className="long">{host ?? id.slice(0, 8)}</span> },
    { title: operator.state, cell: (worker) => <WorkerState worker={worker} /> },
    { title: operator.streamed, cell: ({ sessions, max_sessions: most }) => held(sessions, most), isNumber: true },
    {
      title: operator.light,
      cell: ({ light_sessions: light, max_light_sessions: most }) => held(light, most),
      isNumber: true,
    },
    { title: operator.gpu, cell: ({ max_gpu_sessions: most }) => number(most), isNumber: true },
    {
      title: operator.freeCores,
      cell: ({ cores, free_cores: free }) => held(free && round(free), cores),
      isNumber: true,
    },
    {
      title: operator.sessionCores,
      cell: ({ session_cores: streamed, light_session_cores: light }) =>
        streamed === null || light === null
          ? "–"
          : operator.coresEach(formats.percent(streamed), formats.percent(light)),
    },
    { title: operator.version, cell: ({ version }) => version ?? "–" },
    { title: operator.lastReport, cell: ({ last_seen_at: at }) => formats.age(at, nowMs) },
  ];
  return <Table columns={columns} keyOf={({ id }) => id} label={operator.workersTitle} rows={workers} />;
}

function WorkerState({ worker }: { worker: Worker }): ReactElement {
  const { operator } = useTexts();
  if (worker.is_draining) return <Badge tone="busy" words={operator.drains} />;
  if (freeSlots(worker) === 0) return <Badge tone="busy" words={operator.full} />;
  return <Badge tone="good" words={operator.takes} />;
}

function freeSlots({ is_draining: isDraining, max_sessions: most, sessions }: Worker): number {
  return isDraining ? 0 : Math.max(0, most - sessions);
}

function round(cores: number): number {
  return Math.round(cores * 10) / 10;
}
