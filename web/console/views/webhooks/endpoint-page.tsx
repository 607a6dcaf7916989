// One registered webhook: its settings, its test, and what was sent to it.
import { useQuery, useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { useLocation } from "wouter";
import type { Webhook } from "../../../../sdk/client/index.ts";
import { ConfirmDialog } from "../../controls/dialog.tsx";
import { Facts } from "../../controls/facts.tsx";
import { TextField } from "../../controls/field.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useAction } from "../../controls/use-action.ts";
import { deleteShown } from "../../data/deleted-queries.ts";
import { useOwnClient } from "../../data/use-own-client.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { Deliveries } from "./deliveries.tsx";
import { type ChosenEvents, EventFields, knownEvents } from "./event-fields.tsx";
import { PausedNote } from "./paused-note.tsx";
import { TestButton } from "./test-button.tsx";

export function EndpointPage({ id }: { id: string }): ReactElement {
  const { webhooks: texts } = useTexts();
  const client = useOwnClient();
  const endpoint = useQuery({ queryKey: ["webhooks", id], queryFn: () => client.webhooks.get(id) });
  return (
    <Page back="/" title={texts.one}>
      <QueryResult query={endpoint}>
        {(found) => (
          <>
            <Settings endpoint={found} key={found.updated_at} />
            <Deliveries id={id} isSession={false} />
          </>
        )}
      </QueryResult>
    </Page>
  );
}

function Settings({ endpoint }: { endpoint: Webhook }): ReactElement {
  const { webhooks: texts, shell } = useTexts();
  const formats = useFormats();
  const client = useOwnClient();
  const queries = useQueryClient();
  const [, navigate] = useLocation();
  const [events, setEvents] = useState<ChosenEvents>(knownEvents(endpoint.events));
  const [description, setDescription] = useState(endpoint.description ?? "");
  const [isDeleting, setDeleting] = useState(false);
  const { id, url, active: isActive, created_at: createdAt } = endpoint;
  const change = async (body: Parameters<typeof client.webhooks.update>[1]) => {
    queries.setQueryData(["webhooks", id], await client.webhooks.update(id, body));
    await queries.invalidateQueries({ queryKey: ["webhooks", "list"] });
  };
  const switchTo = useAction((to: boolean) => change({ active: to }));
  const save = useAction(() => change({ events: [...events], description: description.trim() || null }));
  return (
    <>
      {!isActive && <PausedNote isBusy={switchTo.isBusy} onResume={() => void switchTo.run(true)} />}
      <Panel actions={<TestButton id={id} isMain name={url} />} title={texts.settings}>
        <Facts
          facts={[
            [texts.url, <bdi key="url">{url}</bdi>],
            [texts.created, formats.time(createdAt)],
          ]}
        />
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void save.run();
          }}
        >
          <TextField
            autoComplete="off"
            label={texts.description}
            maxLength={1_000}
            onChange={setDescription}
            value={description}
          />
          <EventFields chosen={events} onChange={setEvents} />
          <Problem error={save.error ?? switchTo.error} />
          <div className="row">
            <Button className="main" isDisabled={save.isBusy} type="submit">
              {shell.save}
            </Button>
            {isActive && (
              <Button isDisabled={switchTo.isBusy} onPress={() => void switchTo.run(false)}>
                {texts.pause}
              </Button>
            )}
            <Button onPress={() => setDeleting(true)}>{shell.delete}</Button>
          </div>
        </form>
      </Panel>
      <ConfirmDialog
        action={shell.delete}
        isOpen={isDeleting}
        onClose={() => setDeleting(false)}
        onConfirm={async () => {
          const shown = [
            ["webhooks", id],
            ["deliveries", id],
          ];
          await deleteShown(queries, shown, () => client.webhooks.delete(id));
          await queries.invalidateQueries({ queryKey: ["webhooks", "list"] });
          navigate("/");
        }}
        title={texts.deleteTitle}
        words={texts.deleteNote(url)}
      />
    </>
  );
}
