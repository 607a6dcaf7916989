// All sessions of the account: the running ones first, then those that ended.
import { type ReactElement, useCallback, useState } from "react";
import { Button } from "react-aria-components";
import { EmptyView } from "../../controls/empty-view.tsx";
import { Facts } from "../../controls/facts.tsx";
import { LoadMore } from "../../controls/load-more.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { EndSessionDialog } from "./end-session-dialog.tsx";
import { RevokeAll } from "./revoke-all.tsx";
import { SessionFilters } from "./session-filters.tsx";
import { SessionsTable } from "./sessions-table.tsx";
import { type SessionFilterAccess, useSessionFilter } from "./use-session-filter.ts";
import { type SessionPages, useKnownAgents, useSessions } from "./use-session-lists.ts";

export function SessionList(): ReactElement {
  const { sessions: texts } = useTexts();
  const access = useSessionFilter();
  const { filter } = access;
  const agents = useKnownAgents();
  const live = useSessions("live", filter);
  const ended = useSessions("ended", filter);
  const [asked, setAsked] = useState<{ id: string; name: string }>();
  const [said, setSaid] = useState("");
  const onEnd = useCallback((id: string, name: string) => setAsked({ id, name }), []);
  return (
    <Page actions={<RevokeAll onSaid={setSaid} />} lead={texts.lead} title={texts.title}>
      <p className="fine" role="status">
        {said}
      </p>
      <SessionFilters access={access} agents={[...agents.values()]} />
      {filter.state !== "ended" && (
        <Panel title={texts.running}>
          <QueryResult query={live}>
            {({ pages }) => (
              <>
                <Totals pages={pages} />
                <Sessions
                  access={access}
                  agents={agents}
                  label={texts.running}
                  none={texts.noneRunning}
                  onEnd={onEnd}
                  query={live}
                />
              </>
            )}
          </QueryResult>
        </Panel>
      )}
      {filter.state !== "live" && (
        <Panel title={texts.over}>
          <QueryResult query={ended}>
            {() => (
              <Sessions
                access={access}
                agents={agents}
                label={texts.over}
                none={texts.noneOver}
                onEnd={onEnd}
                query={ended}
              />
            )}
          </QueryResult>
        </Panel>
      )}
      <EndSessionDialog
        onClose={() => setAsked(undefined)}
        onEnded={(name) => setSaid(texts.ended(name))}
        session={asked}
      />
    </Page>
  );
}

type Pages = NonNullable<SessionPages["data"]>["pages"];

/** What runs on the whole account, whatever the filter leaves. */
function Totals({ pages }: { pages: Pages }): ReactElement {
  const { sessions: texts } = useTexts();
  const formats = useFormats();
  const { totals } = pages[0];
  return (
    <Facts
      facts={[
        [texts.activeCount, formats.number(totals.active_count)],
        [texts.burnRate, texts.perMinute(formats.credits(totals.live_burn_rate_cr_per_min))],
        [texts.thisHour, formats.credits(totals.credits_this_hour)],
      ]}
    />
  );
}

interface SessionsProps {
  access: SessionFilterAccess;
  agents: ReturnType<typeof useKnownAgents>;
  label: string;
  /** Said where there is none, unless the filter hides them. */
  none: string;
  query: SessionPages;
  onEnd(id: string, name: string): void;
}

function Sessions({ access, agents, label, none, query, onEnd }: SessionsProps): ReactElement {
  const { sessions: texts } = useTexts();
  const pages = query.data?.pages ?? [];
  const sessions = pages.flatMap((page) => page.sessions);
  if (sessions.length === 0 && access.isNarrow) {
    return (
      <div className="row">
        <span>{texts.noneMatch}</span>
        <Button onPress={() => access.change({ state: "all", agentCode: "", day: "" })}>{texts.showAll}</Button>
      </div>
    );
  }
  if (sessions.length === 0) return <EmptyView request={LAUNCH_REQUEST} words={none} />;
  return (
    <>
      <SessionsTable agents={agents} label={label} onEnd={onEnd} sessions={sessions} />
      {sessions.length < pages[0].total && <p className="fine">{texts.shown(sessions.length, pages[0].total)}</p>}
      <LoadMore query={query} />
    </>
  );
}

/** The call that starts a session. */
const LAUNCH_REQUEST = {
  method: "POST",
  path: "/launch",
  body: {
    mode: "cpu",
    agent_id: "A01ABC0001",
    model: "essence-2",
    livekit_url: "wss://livekit.example.com",
    livekit_token: "…",
    room_name: "lobby",
  },
} as const;
