// Every change of the balance, with what it was for.
import { useInfiniteQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import type { CreditMovement } from "../../../../sdk/client/index.ts";
import { SelectField } from "../../controls/field.tsx";
import { LoadMore } from "../../controls/load-more.tsx";
import { Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { type Column, Table } from "../../controls/table.tsx";
import { ViewLink } from "../../controls/view-link.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { describeCode } from "./describe-code.ts";

const KINDS = ["charge", "refund", "top_up", "grant", "lapse"] as const;
type Kind = (typeof KINDS)[number] | "all";
const PAGE = 25;

/** `agentCode` undefined: of all agents, and of none. */
export function LedgerPanel({ agentCode }: { agentCode: string | undefined }): ReactElement {
  const { usage } = useTexts();
  const { client } = useConsole();
  const [kind, setKind] = useState<Kind>("all");
  const ledger = useInfiniteQuery({
    queryKey: ["credits", "ledger", kind, agentCode ?? ""],
    queryFn: ({ pageParam }) =>
      client.ledger.list({
        limit: PAGE,
        offset: pageParam,
        agent_code: agentCode,
        ...(kind !== "all" && { kind }),
      }),
    initialPageParam: 0,
    getNextPageParam: (last, pages) =>
      last.hasMore ? pages.reduce((sum, { items }) => sum + items.length, 0) : undefined,
    select: ({ pages }) => pages.flatMap(({ items }) => items),
  });
  return (
    <Panel title={usage.ledger}>
      <p className="fine">{usage.ledgerNote}</p>
      <div className="usage-choices">
        <SelectField
          choices={[
            { value: "all", words: usage.allKinds },
            ...KINDS.map((value) => ({ value, words: usage.kinds[value] })),
          ]}
          label={usage.kind}
          onChange={(chosen) => setKind(chosen)}
          value={kind}
        />
      </div>
      <QueryResult empty={<p>{usage.emptyLedger}</p>} isEmpty={(rows) => rows.length === 0} query={ledger}>
        {(rows) => <Movements rows={rows} />}
      </QueryResult>
      <LoadMore query={ledger} />
    </Panel>
  );
}

function Movements({ rows }: { rows: readonly CreditMovement[] }): ReactElement {
  const { usage } = useTexts();
  const formats = useFormats();
  const columns: Column<CreditMovement>[] = [
    { title: usage.when, cell: (row) => formats.time(row.created_at) },
    { title: usage.kind, cell: (row) => usage.kinds[row.kind] },
    { title: usage.what, cell: (row) => <What movement={row} /> },
    { title: usage.secret, cell: (row) => row.key_alias ?? "–" },
    { title: usage.pool, cell: (row) => usage.pools[row.pool] },
    { title: usage.change, cell: (row) => formats.credits(row.credits), isNumber: true },
    { title: usage.balanceAfter, cell: (row) => formats.credits(row.balance_after), isNumber: true },
  ];
  return <Table columns={columns} keyOf={({ id }) => String(id)} label={usage.ledger} rows={rows} />;
}

function What({ movement }: { movement: CreditMovement }): ReactElement {
  const { usage } = useTexts();
  const { views } = useConsole();
  const { reason, reference, agent_code: code, agent_name: name } = movement;
  const words = describeCode(reason, usage.code);
  const [, sessionId] = /^session:([^:]+)/.exec(reference) ?? [];
  const isLinked = sessionId !== undefined && views.includes("sessions");
  return (
    <span>
      {isLinked ? <ViewLink part={sessionId} to="sessions" words={words} /> : words}
      {(name ?? code) && <span className="fine note">{name || code}</span>}
    </span>
  );
}
