// Which of the account's own servers an agent uses. Their secrets never come to the page.
import type { ReactElement } from "react";
import type { Agent, Provider } from "../../../../sdk/client/index.ts";
import { PROVIDER_KIND_NAMES, type ProviderKind } from "../../../../shared/provider-kinds.ts";
import { SelectField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useTexts } from "../../texts/texts-context.ts";
import type { AgentEdit, AgentField, AgentFields } from "./agent-edit.ts";
import { useProviders } from "./use-providers.ts";

/** The one that can be run. */
const PLATFORM = "openai";

export interface ProvidersPanelProps {
  agent: Agent;
  fields: AgentFields;
  onChange(patch: AgentEdit): void;
  problemAt(field: AgentField): string | undefined;
}

export function ProvidersPanel({ agent, fields, onChange, problemAt }: ProvidersPanelProps): ReactElement {
  const { agentPage } = useTexts();
  const providers = useProviders();
  return (
    <Panel title={agentPage.providers}>
      <p className="fine">{agentPage.providersNote}</p>
      <QueryResult query={providers}>
        {(list) => (
          <>
            {PROVIDER_KIND_NAMES.map((kind) => (
              <div key={kind}>
                <SelectField
                  choices={choicesOf(list, fields[kind], agentPage.ownServer, agentPage.gone)}
                  label={agentPage.fields[kind]}
                  note={isLost(agent, kind) ? agentPage.unavailable : undefined}
                  onChange={(id) => onChange({ [kind]: id })}
                  value={fields[kind]}
                />
                {problemAt(kind) !== undefined && <p className="wrong fine">{problemAt(kind)}</p>}
              </div>
            ))}
          </>
        )}
      </QueryResult>
    </Panel>
  );
}

function choicesOf(list: readonly Provider[], chosen: string, own: string, gone: (id: string) => string) {
  const usable = list.filter(({ platform }) => platform === PLATFORM);
  const isListed = chosen === "" || usable.some(({ id }) => id === chosen);
  return [
    { value: "", words: own },
    ...usable.map(({ id, label }) => ({ value: id, words: label || id })),
    ...(isListed ? [] : [{ value: chosen, words: gone(chosen) }]),
  ];
}

function isLost({ providers }: Agent, kind: ProviderKind): boolean {
  return providers?.[kind]?.available === false;
}
