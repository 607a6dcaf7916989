// Keeps what was changed and not saved: while the person looks at other views, and with a warning when the page closes.
import { useState } from "react";
import type { Agent } from "../../../../sdk/client/index.ts";
import { type AgentEdit, pruneEdit } from "./agent-edit.ts";

/** By agent code, for as long as the page is open. */
const kept = new Map<string, AgentEdit>();

export interface EditedAgent {
  /** Only what differs from the service's record. */
  edit: AgentEdit;
  change(patch: AgentEdit): void;
  discard(): void;
}

export function useAgentEdit(agent: Agent): EditedAgent {
  const { code } = agent;
  const [, setCount] = useState(0);
  const keep = (edit: AgentEdit) => {
    if (Object.keys(edit).length > 0) kept.set(code, edit);
    else kept.delete(code);
    if (kept.size > 0) addEventListener("beforeunload", warn);
    else removeEventListener("beforeunload", warn);
    setCount((count) => count + 1);
  };
  return {
    edit: pruneEdit(agent, kept.get(code) ?? {}),
    change: (patch) => keep(pruneEdit(agent, { ...kept.get(code), ...patch })),
    discard: () => keep({}),
  };
}

/** The browser asks whether the page may close. */
function warn(event: Event): void {
  event.preventDefault();
}
