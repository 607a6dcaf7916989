// Narrows the list of sessions down: by state, agent and day.
import type { ReactElement } from "react";
import { SelectField, TextField } from "../../controls/field.tsx";
import { useTexts } from "../../texts/texts-context.ts";
import type { SessionFilterAccess } from "./use-session-filter.ts";
import type { KnownAgent } from "./use-session-lists.ts";

export interface SessionFiltersProps {
  access: SessionFilterAccess;
  agents: readonly KnownAgent[];
}

export function SessionFilters({ access: { filter, change }, agents }: SessionFiltersProps): ReactElement {
  const { sessions: texts } = useTexts();
  const known = agents.map(({ code, name }) => ({ value: code, words: name === code ? code : `${name} (${code})` }));
  const isKnown = filter.agentCode === "" || known.some(({ value }) => value === filter.agentCode);
  return (
    <search className="session-filters">
      <SelectField
        choices={(["all", "live", "ended"] as const).map((value) => ({ value, words: texts.filters[value] }))}
        label={texts.state}
        onChange={(state) => change({ state })}
        value={filter.state}
      />
      <SelectField
        choices={[
          { value: "", words: texts.allAgents },
          ...known,
          ...(isKnown ? [] : [{ value: filter.agentCode, words: filter.agentCode }]),
        ]}
        label={texts.agent}
        onChange={(agentCode) => change({ agentCode })}
        value={filter.agentCode}
      />
      <TextField label={texts.day} onChange={(day) => change({ day })} type="date" value={filter.day} />
    </search>
  );
}
