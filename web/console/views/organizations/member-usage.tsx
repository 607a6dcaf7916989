// What each member has spent.
import { useQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import type { MemberUsage as Usage } from "../../../../sdk/client/index.ts";
import { Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { type Column, Table } from "../../controls/table.tsx";
import { useOwnClient } from "../../data/use-own-client.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import type { Rights } from "./rights.ts";

export function MemberUsage({ id, rights }: { id: string; rights: Rights }): ReactElement {
  const { organizations: texts } = useTexts();
  const client = useOwnClient();
  const formats = useFormats();
  const usage = useQuery({
    queryKey: ["credits", "organization", id],
    queryFn: async () => (await client.organizations.listUsage(id)).items,
    enabled: rights.mayInspect,
  });
  const columns: Column<Usage>[] = [
    { title: texts.member, cell: ({ email }) => <bdi>{email}</bdi> },
    { title: texts.credits, cell: ({ total_credits_used: credits }) => formats.credits(credits), isNumber: true },
  ];
  return (
    <Panel title={texts.usage}>
      <p>{texts.usageNote}</p>
      {rights.mayInspect ? (
        <QueryResult query={usage}>
          {(list) => <Table columns={columns} keyOf={({ user_id }) => user_id} label={texts.usage} rows={list} />}
        </QueryResult>
      ) : (
        <p>{texts.refused(texts.roles[rights.role])}</p>
      )}
    </Panel>
  );
}
