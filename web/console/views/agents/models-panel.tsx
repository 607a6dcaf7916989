// The models of an agent: their state and files, and those that can be added.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { Agent } from "../../../../sdk/client/index.ts";
import { FAMILIES, MODEL_CATALOGUE, type ModelFamily } from "../../../../shared/models.ts";
import { Badge } from "../../controls/badge.tsx";
import { CodeExample } from "../../controls/code-example.tsx";
import { ConfirmDialog } from "../../controls/dialog.tsx";
import { Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";

const TONES = { ready: "good", pending: "busy", failed: "wrong" } as const;

export function ModelsPanel({ agent }: { agent: Agent }): ReactElement {
  const { agentPage } = useTexts();
  const requested = Object.entries(agent.model_status);
  /** They need no file of their own. */
  const included = agent.supported_models.filter((model) => !(model in agent.model_status));
  return (
    <Panel title={agentPage.models}>
      <ul aria-label={agentPage.models} className="rows">
        {requested.map(([model, { state, reason }]) => (
          <li key={model}>
            <div>
              <code>{model}</code> <Badge tone={TONES[state]} words={agentPage.modelStates[state]} />
              {reason !== null && <p className="fine">{reason}</p>}
            </div>
            {state === "ready" && hasFile(model) && <Download code={agent.code} model={model} />}
          </li>
        ))}
        {included.map((model) => (
          <li key={model}>
            <div>
              <code>{model}</code> <Badge tone="good" words={agentPage.modelStates.included} />
            </div>
          </li>
        ))}
      </ul>
      {agent.status === "ready" && <AddModel agent={agent} />}
    </Panel>
  );
}

function hasFile(model: string): boolean {
  return MODEL_CATALOGUE[model as ModelFamily]?.hasArtifact ?? false;
}

function Download({ code, model }: { code: string; model: string }): ReactElement {
  const { agentPage } = useTexts();
  const { client } = useConsole();
  const download = useAction(async () => {
    const { url, filename } = await client.models.link(code, { model, waitMs: 0 });
    const link = document.createElement("a");
    link.href = url;
    link.download = filename;
    link.click();
  });
  return (
    <>
      <Button
        aria-label={`${agentPage.download}: ${model}`}
        isDisabled={download.isBusy}
        onPress={() => void download.run()}
      >
        {agentPage.download}
      </Button>
      <Problem error={download.error} />
    </>
  );
}

/** A button for each model that the agent lacks, with its price. */
function AddModel({ agent }: { agent: Agent }): ReactElement | null {
  const { agentPage } = useTexts();
  const { client } = useConsole();
  const formats = useFormats();
  const queries = useQueryClient();
  const [chosen, setChosen] = useState<ModelFamily | null>(null);
  const pricing = useQuery({ queryKey: ["pricing"], queryFn: ({ signal }) => client.pricing.get({ signal }) });
  const balance = useQuery({
    queryKey: ["credits", "summary"],
    queryFn: ({ signal }) => client.credits.summarize({ signal }),
    enabled: chosen !== null,
  });
  const missing = FAMILIES.filter((family) => {
    const state = agent.model_status[family]?.state;
    return MODEL_CATALOGUE[family].offered && state !== "pending" && !agent.supported_models.includes(family);
  });
  if (missing.length === 0) return null;
  return (
    <QueryResult query={pricing}>
      {({ agent_generation: { by_model: prices } }) => (
        <>
          <h3>{agentPage.addModel}</h3>
          <div className="row agent-add">
            {missing.map((family) => (
              <Button key={family} onPress={() => setChosen(family)}>
                {agentPage.priced(family, formats.credits(prices[family] ?? 0))}
              </Button>
            ))}
          </div>
          <CodeExample
            request={{ method: "POST", path: `/v1/agent/${agent.code}/models`, body: { model: missing[0] } }}
          />
          <ConfirmDialog
            action={agentPage.addModel}
            isOpen={chosen !== null}
            onClose={() => setChosen(null)}
            onConfirm={async () => {
              if (chosen === null) return;
              await client.models.add(agent.code, { model: chosen });
              await queries.invalidateQueries({ queryKey: ["agents"] });
            }}
            title={chosen ?? agentPage.addModel}
            words={
              <>
                <p>{agentPage.costs(formats.credits(prices[chosen ?? ""] ?? 0))}</p>
                {balance.data && <p>{agentPage.balance(formats.credits(balance.data.balance))}</p>}
              </>
            }
          />
        </>
      )}
    </QueryResult>
  );
}
