// Sessions one below the other. On a phone each is a card.
import type { ReactElement } from "react";
import type { ReportedSession } from "../../../../sdk/client/index.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { SessionRow, type SessionRowProps } from "./session-row.tsx";
import type { KnownAgent } from "./use-session-lists.ts";

export interface SessionsTableProps extends Pick<SessionRowProps, "onEnd"> {
  label: string;
  sessions: readonly ReportedSession[];
  agents: ReadonlyMap<string, KnownAgent>;
}

export function SessionsTable({ label, sessions, agents, onEnd }: SessionsTableProps): ReactElement {
  const { sessions: texts } = useTexts();
  return (
    <table aria-label={label} className="table sessions">
      <thead>
        <tr>
          <th scope="col">{texts.session}</th>
          <th scope="col">{texts.state}</th>
          <th scope="col">{texts.started}</th>
          <th className="number" scope="col">
            {texts.length}
          </th>
          <th className="number" scope="col">
            {texts.credits}
          </th>
          <th scope="col">{texts.action}</th>
        </tr>
      </thead>
      <tbody>
        {sessions.map((session) => (
          <SessionRow
            key={session.id}
            onEnd={onEnd}
            posterUrl={agents.get(session.agent_code ?? "")?.posterUrl ?? null}
            session={session}
          />
        ))}
      </tbody>
    </table>
  );
}
