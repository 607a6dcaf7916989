// What was done in an organization, by whom, in sentences.
import { useInfiniteQuery } from "@tanstack/react-query";
import type { ReactElement } from "react";
import { LoadMore } from "../../controls/load-more.tsx";
import { Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { useOwnClient } from "../../data/use-own-client.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import type { Rights } from "./rights.ts";

const PAGE_ENTRIES = 25;

export function AuditLog({ id, rights }: { id: string; rights: Rights }): ReactElement {
  const { organizations: texts } = useTexts();
  return (
    <Panel title={texts.audit}>
      {rights.mayInspect ? <Entries id={id} /> : <p>{texts.refused(texts.roles[rights.role])}</p>}
    </Panel>
  );
}

function Entries({ id }: { id: string }): ReactElement {
  const { organizations: texts, shell } = useTexts();
  const client = useOwnClient();
  const formats = useFormats();
  const log = useInfiniteQuery({
    queryKey: ["organizations", id, "audit-log"],
    queryFn: ({ pageParam: offset }) => client.organizations.listEvents(id, { limit: PAGE_ENTRIES, offset }),
    initialPageParam: 0,
    getNextPageParam: ({ hasMore }, pages) => (hasMore ? pages.length * PAGE_ENTRIES : undefined),
  });
  if (log.data === undefined) {
    return log.isError ? (
      <Problem error={log.error} retry={() => void log.refetch()} />
    ) : (
      <p role="status">{shell.loading}</p>
    );
  }
  // An entry that was written between two pages moves the others on.
  const entries = new Map(log.data.pages.flatMap(({ items }) => items.map((event) => [event.id, event])));
  return (
    <>
      <ul className="rows audit-log">
        {[...entries.values()].map((event) => (
          <li key={event.id}>
            <div>
              {texts.actions[event.action](event.actor_email, event.target)}
              <p className="fine">{formats.time(event.created_at)}</p>
            </div>
          </li>
        ))}
      </ul>
      <LoadMore query={log} />
    </>
  );
}
