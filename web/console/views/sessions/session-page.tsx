// One session: what it looks like, what it costs, what was said in it, and what can be said into it.
import { useQuery } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { RuntimeSession } from "../../../../sdk/client/index.ts";
import { Page } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useAgent } from "../../data/agents.ts";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { EndSessionDialog } from "./end-session-dialog.tsx";
import { Prompting } from "./prompting.tsx";
import { SessionFacts } from "./session-facts.tsx";
import { SessionHistory } from "./session-history.tsx";
import { Transcript } from "./transcript.tsx";

export function SessionPage({ id }: { id: string }): ReactElement {
  const { sessions: texts } = useTexts();
  const { client } = useConsole();
  const query = useQuery({ queryKey: ["sessions", id], queryFn: ({ signal }) => client.sessions.get(id, { signal }) });
  const code = query.data?.agent_id ?? null;
  const { data: agent } = useAgent(code);
  const name = agent?.name || code || texts.photo;
  const [isAsked, setAsked] = useState(false);
  const [said, setSaid] = useState("");
  const isRunning = query.data !== undefined && query.data.status !== "ended";
  return (
    <Page
      actions={
        isRunning && (
          <Button className="main danger" onPress={() => setAsked(true)}>
            {texts.end}
          </Button>
        )
      }
      back="/"
      title={query.data ? texts.titleOf(name) : texts.session}
    >
      <p className="fine" role="status">
        {said}
      </p>
      <QueryResult query={query}>
        {(session) => (
          <>
            <SessionFacts posterUrl={agent?.poster_url ?? null} session={session} />
            {canBePrompted(session) && <Prompting code={session.agent_id} session={session} />}
            <Transcript session={session} />
            <SessionHistory session={session} />
          </>
        )}
      </QueryResult>
      <EndSessionDialog
        onClose={() => setAsked(false)}
        onEnded={() => setSaid(texts.ended(name))}
        session={isAsked ? { id, name } : undefined}
      />
    </Page>
  );
}

/** Whether the service reaches its avatar. */
function canBePrompted(session: RuntimeSession): session is RuntimeSession & { agent_id: string } {
  return session.status === "live" && session.agent_id !== null && !session.is_self_hosted;
}
