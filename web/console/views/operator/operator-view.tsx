// What runs on the installation: parts, capacity, workers, sessions with what each costs, rooms, queue and versions.
import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { Badge } from "../../controls/badge.tsx";
import { Facts } from "../../controls/facts.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useConsole } from "../../data/console-context.ts";
import type { OperatorOverview } from "../../data/operator-overview.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { QueuePanel, RoomsPanel } from "./rooms-and-queue.tsx";
import { SessionsPanel } from "./sessions-panel.tsx";
import { WorkersPanel } from "./workers-panel.tsx";
import "./style.css";

const REFRESH_MS = 5_000;

export default function OperatorView(): ReactElement {
  const { operator } = useTexts();
  const { consoleClient } = useConsole();
  const overview = useQuery({
    queryKey: ["workers", "overview"],
    queryFn: () => consoleClient.operator(),
    // Free cores, queue and credits change without a word in the stream of changes.
    refetchInterval: REFRESH_MS,
  });
  return (
    <Page lead={operator.lead} title={operator.title}>
      <QueryResult query={overview}>{(seen) => <Overview seen={seen} />}</QueryResult>
    </Page>
  );
}

function Overview({ seen }: { seen: OperatorOverview }): ReactElement {
  return (
    <div className="operator">
      <PartsPanel seen={seen} />
      <WorkersPanel seen={seen} />
      <SessionsPanel sessions={seen.sessions} />
      <QueuePanel queue={seen.queue} />
      <RoomsPanel rooms={seen.rooms} />
    </div>
  );
}

const PARTS = ["database", "livekit", "workers", "relays"] as const;
const PROGRAMS = ["api", "node", "postgres", "livekit"] as const;

function PartsPanel({ seen }: { seen: OperatorOverview }): ReactElement {
  const { operator } = useTexts();
  const formats = useFormats();
  const { checks, versions, workers } = seen;
  const ofWorkers = [...new Set(workers.listed.flatMap(({ version }) => version ?? []))];
  return (
    <Panel title={operator.checks}>
      <Facts
        facts={PARTS.map((part) => {
          const state = checks[part];
          // Avatar sessions do not need a relay.
          const tone = state === "ok" ? "good" : part === "relays" || state === "unknown" ? "quiet" : "wrong";
          return [operator.parts[part], <Badge key={part} tone={tone} words={operator.states[state]} />] as const;
        })}
      />
      <h3>{operator.versions}</h3>
      <Facts
        facts={[
          ...PROGRAMS.map((name) => [operator.versionNames[name], versions[name] ?? "–"] as const),
          [operator.workerVersions, ofWorkers.join(", ") || "–"] as const,
        ]}
      />
      {ofWorkers.length > 1 && <p>{operator.mixed}</p>}
      <p className="fine">{operator.asOf(formats.clock(seen.at))}</p>
    </Panel>
  );
}
