// The list of the account's own servers: what is known of each, a new one, and taking one away.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { Provider, ProvidersReplaceData } from "../../../../sdk/client/index.ts";
import { ConfirmDialog, Dialog } from "../../controls/dialog.tsx";
import { TextField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { useProviders } from "./use-providers.ts";

type Entry = NonNullable<ProvidersReplaceData["body"]>["entries"][number];

export function ProviderServers(): ReactElement {
  const { agentPage } = useTexts();
  const providers = useProviders();
  return (
    <Panel title={agentPage.servers}>
      <p className="fine">{agentPage.serversNote}</p>
      <QueryResult query={providers}>{(list) => <Servers providers={list} />}</QueryResult>
    </Panel>
  );
}

function Servers({ providers }: { providers: readonly Provider[] }): ReactElement {
  const { agentPage, shell } = useTexts();
  const { client, person } = useConsole();
  const queries = useQueryClient();
  const [isAdding, setAdding] = useState(false);
  const [removed, setRemoved] = useState<Provider | null>(null);
  /** Entries with a known id keep what is not sent. */
  async function replace(kept: readonly Provider[], added: Entry[]): Promise<void> {
    const entries = [...kept.map(({ id, platform }): Entry => ({ id, platform })), ...added];
    await client.providers.replace(person.user_id, { entries });
    await queries.invalidateQueries({ queryKey: ["agents"] });
  }
  return (
    <>
      {providers.length > 0 && (
        <ul aria-label={agentPage.servers} className="rows">
          {providers.map((provider) => (
            <li key={provider.id}>
              <div>
                <span dir="auto">{provider.label || provider.id}</span>
                <p className="fine">
                  {[provider.credentials.baseUrl ?? provider.platform, ...Object.keys(provider.secrets)].join(" · ")}
                </p>
              </div>
              <Button
                aria-label={`${agentPage.removeServer}: ${provider.label || provider.id}`}
                onPress={() => setRemoved(provider)}
              >
                {agentPage.removeServer}
              </Button>
            </li>
          ))}
        </ul>
      )}
      <Button onPress={() => setAdding(true)}>{agentPage.addServer}</Button>
      <Dialog isOpen={isAdding} onClose={() => setAdding(false)} title={agentPage.addServer}>
        <ServerForm
          add={async (entry) => {
            await replace(providers, [entry]);
            setAdding(false);
          }}
        />
      </Dialog>
      <ConfirmDialog
        action={agentPage.removeServer}
        isOpen={removed !== null}
        onClose={() => setRemoved(null)}
        onConfirm={() =>
          replace(
            providers.filter(({ id }) => id !== removed?.id),
            [],
          )
        }
        title={`${agentPage.removeServer}: ${removed?.label || removed?.id || shell.none}`}
        words={agentPage.removeServerNote}
      />
    </>
  );
}

function ServerForm({ add }: { add(entry: Entry): Promise<void> }): ReactElement {
  const { agentPage } = useTexts();
  const [label, setLabel] = useState("");
  const [baseUrl, setBaseUrl] = useState("");
  const [apiKey, setApiKey] = useState("");
  const [model, setModel] = useState("");
  const adding = useAction(async () => {
    const credentials = { baseUrl: baseUrl.trim(), ...(apiKey !== "" && { apiKey }) };
    const options = model.trim() === "" ? {} : { llm: { model: model.trim() } };
    await add({ platform: "openai", label: label.trim(), credentials, options });
  });
  const isReady = baseUrl.trim() !== "";
  return (
    <form
      className="stack"
      onSubmit={(event) => {
        event.preventDefault();
        if (isReady) void adding.run();
      }}
    >
      <TextField autoComplete="off" label={agentPage.serverLabel} maxLength={100} onChange={setLabel} value={label} />
      <TextField
        autoComplete="off"
        label={agentPage.serverUrl}
        note={agentPage.serverUrlNote}
        onChange={setBaseUrl}
        type="url"
        value={baseUrl}
      />
      <TextField
        autoComplete="off"
        label={agentPage.serverKey}
        note={agentPage.serverKeyNote}
        onChange={setApiKey}
        type="password"
        value={apiKey}
      />
      <TextField autoComplete="off" label={agentPage.serverModel} onChange={setModel} value={model} />
      <Problem error={adding.error} />
      <Button className="main" isDisabled={!isReady || adding.isBusy} type="submit">
        {agentPage.addServer}
      </Button>
    </form>
  );
}
