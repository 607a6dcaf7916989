// An agent as a card: its picture, name and state.
import type { ReactElement } from "react";
import { Button } from "react-aria-components";
import { Link } from "wouter";
import type { AgentSummary } from "../../../sdk/client/index.ts";
import { isInCreation, useAgent } from "../data/agents.ts";
import { useFormats, useTexts } from "../texts/texts-context.ts";
import { AgentStatus } from "./agent-status.tsx";
import { Poster } from "./poster.tsx";

export interface AgentCardProps {
  agent: AgentSummary;
  /** What the card does: it leads somewhere, or chooses the agent. */
  to: { href: string } | { choose(agent: AgentSummary): void };
}

export function AgentCard({ agent, to }: AgentCardProps): ReactElement {
  const { name, code, poster_url: poster, status } = agent;
  const { agents } = useTexts();
  const content = (
    <>
      <Poster url={poster} />
      <span className={name ? "agent-name" : "agent-name unnamed"} dir="auto">
        {name || agents.unnamed}
      </span>
      <span className="fine agent-code">{code}</span>
      {isInCreation({ status }) ? <Creation code={code} /> : <AgentStatus status={status} />}
    </>
  );
  return "href" in to ? (
    <Link className="agent-card" href={to.href}>
      {content}
    </Link>
  ) : (
    <Button className="agent-card" onPress={() => to.choose(agent)}>
      {content}
    </Button>
  );
}

/** How far the creation is. */
function Creation({ code }: { code: string }): ReactElement {
  const { data } = useAgent(code);
  const formats = useFormats();
  const { agents } = useTexts();
  return (
    <span className="agent-creation">
      <AgentStatus status={data?.status ?? "generating"} step={data?.current_step} />
      {data && isInCreation(data) && (
        <progress aria-label={agents.progress(formats.percent(data.progress))} max={1} value={data.progress} />
      )}
    </span>
  );
}
