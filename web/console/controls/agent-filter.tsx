// Narrows a list down to one agent. Its code stands in the address, so that links lead to it and "back" finds it again.
import type { ReactElement } from "react";
import { useSearchParams } from "wouter";
import { useAgents } from "../data/agents.ts";
import { useTexts } from "../texts/texts-context.ts";
import { SelectField } from "./field.tsx";

export interface AgentInAddress {
  /** Empty for all agents. */
  agentCode: string;
  choose(agentCode: string): void;
}

export function useAgentInAddress(): AgentInAddress {
  const [search, setSearch] = useSearchParams();
  return {
    agentCode: search.get("agent") ?? "",
    choose: (agentCode) => setSearch(agentCode === "" ? {} : { agent: agentCode }, { replace: true }),
  };
}

export function AgentFilter({ access: { agentCode, choose } }: { access: AgentInAddress }): ReactElement {
  const { sessions } = useTexts();
  const agents = useAgents({});
  const names = new Map(
    agents.data?.pages.flatMap((page) => page.agents.map(({ code, name }) => [code, name] as const)),
  );
  // One of a later page, or one that was deleted.
  if (agentCode !== "" && !names.has(agentCode)) names.set(agentCode, "");
  return (
    <SelectField
      choices={[
        { value: "", words: sessions.allAgents },
        ...[...names].map(([value, name]) => ({ value, words: name ? `${name} (${value})` : value })),
      ]}
      label={sessions.agent}
      onChange={choose}
      value={agentCode}
    />
  );
}
