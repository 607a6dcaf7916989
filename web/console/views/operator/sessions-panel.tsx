// The sessions of all accounts that run, with what each costs.
import type { ReactElement } from "react";
import { Badge } from "../../controls/badge.tsx";
import { Panel } from "../../controls/page.tsx";
import { type Column, Table } from "../../controls/table.tsx";
import type { OperatorOverview } from "../../data/operator-overview.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { NotAll } from "./not-all.tsx";

type Sessions = OperatorOverview["sessions"];
type Session = Sessions["listed"][number];

export function SessionsPanel({ sessions: { listed, total } }: { sessions: Sessions }): ReactElement {
  const { operator } = useTexts();
  const formats = useFormats();
  const rate = listed.reduce((sum, session) => sum + session.credits_per_minute, 0);
  const columns: Column<Session>[] = [
    { title: operator.session, cell: ({ id }) => <code className="long">{id}</code> },
    {
      title: operator.state,
      cell: ({ status }) => <Badge tone={status === "live" ? "good" : "busy"} words={operator.status[status]} />,
    },
    { title: operator.account, cell: ({ email }) => <span className="long">{email}</span> },
    { title: operator.agent, cell: ({ agent_code: code }) => code ?? "–" },
    { title: operator.model, cell: ({ model }) => model },
    { title: operator.video, cell: ({ rendered_by: by }) => operator.renderedBy[by] },
    { title: operator.time, cell: ({ seconds }) => formats.duration(seconds), isNumber: true },
    { title: operator.cost, cell: ({ credits }) => formats.credits(credits), isNumber: true },
    { title: operator.rate, cell: ({ credits_per_minute: each }) => formats.credits(each), isNumber: true },
  ];
  return (
    <Panel title={operator.sessionsTitle}>
      {total === 0 ? (
        <p>{operator.noSessions}</p>
      ) : (
        <>
          <p>{operator.allRate(formats.credits(rate))}.</p>
          <Table columns={columns} keyOf={({ id }) => id} label={operator.sessionsTitle} rows={listed} />
          <NotAll listed={listed.length} total={total} />
        </>
      )}
    </Panel>
  );
}
