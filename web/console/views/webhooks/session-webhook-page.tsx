// The webhook for what happens in rooms: its settings, headers, test, and what was sent to it.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { useSearchParams } from "wouter";
import type { SessionWebhook, SessionWebhookReplaceData } from "../../../../sdk/client/index.ts";
import { ConfirmDialog } from "../../controls/dialog.tsx";
import { SwitchField, TextField } from "../../controls/field.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { type HeldSecret, SecretDialog } from "../../controls/secret-dialog.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useOwnClient } from "../../data/use-own-client.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { Deliveries } from "./deliveries.tsx";
import { type HeaderRow, HeadersField, headersOf } from "./headers-field.tsx";
import { PausedNote } from "./paused-note.tsx";
import { TestButton } from "./test-button.tsx";
import { SESSION, useSessionWebhook } from "./use-webhooks.ts";

type Change = NonNullable<SessionWebhookReplaceData["body"]>;

export function SessionWebhookPage(): ReactElement {
  const { webhooks: texts } = useTexts();
  const client = useOwnClient();
  const { person } = useConsole();
  const queries = useQueryClient();
  const setting = useSessionWebhook();
  const [search] = useSearchParams();
  const sessionId = search.get("session") ?? undefined;
  const [secret, setSecret] = useState<HeldSecret>();
  const change = async (body: Change) => {
    const { secret: value, ...changed } = await client.sessionWebhook.replace(person.user_id, body);
    if (value !== undefined) setSecret({ value });
    queries.setQueryData(["webhooks", SESSION], changed);
  };
  return (
    <Page back="/" lead={texts.sessionLead} title={texts.session}>
      {person.organization_id !== null && <p className="panel">{texts.ownOnly}</p>}
      <QueryResult query={setting}>
        {(found) => (
          <>
            <Settings change={change} key={found.updated_at} setting={found} />
            {found.url !== null && <Deliveries id={SESSION} isSession sessionId={sessionId} />}
          </>
        )}
      </QueryResult>
      <SecretDialog
        onClose={() => setSecret(undefined)}
        secret={secret}
        title={texts.secretTitle}
        words={texts.secretNote}
      />
    </Page>
  );
}

function Settings({ setting, change }: { setting: SessionWebhook; change(body: Change): Promise<void> }): ReactElement {
  const { webhooks: texts, shell } = useTexts();
  const [url, setUrl] = useState(setting.url ?? "");
  const isNew = setting.url === null;
  const [events, setEvents] = useState(isNew ? { "room.join": true, "chat.push": true } : setting.events);
  /** Undefined if they stay as they are. */
  const [headers, setHeaders] = useState<readonly HeaderRow[]>();
  const [asked, setAsked] = useState<"rotate" | "remove">();
  const save = useAction(() => {
    return change({ url: url.trim(), events, ...(headers && { headers: headersOf(headers) }) });
  });
  const switchTo = useAction((to: boolean) => change({ active: to }));
  const isPaused = !(isNew || setting.active);
  return (
    <>
      {isPaused && <PausedNote isBusy={switchTo.isBusy} onResume={() => void switchTo.run(true)} />}
      <Panel
        actions={isNew ? undefined : <TestButton id={SESSION} isMain name={texts.session} />}
        title={texts.settings}
      >
        <form
          onSubmit={(event) => {
            event.preventDefault();
            void save.run();
          }}
        >
          <TextField
            autoComplete="off"
            inputMode="url"
            isRequired
            label={texts.url}
            maxLength={2_048}
            note={texts.urlNote}
            onChange={setUrl}
            value={url}
          />
          {(["room.join", "chat.push"] as const).map((event) => (
            <SwitchField
              isOn={events[event]}
              key={event}
              label={event}
              note={texts.eventNotes[event]}
              onChange={(isOn) => setEvents({ ...events, [event]: isOn })}
            />
          ))}
          <HeadersField names={Object.keys(setting.headers)} onChange={setHeaders} rows={headers} />
          <Problem error={save.error ?? switchTo.error} />
          <div className="row">
            <Button className="main" isDisabled={save.isBusy} type="submit">
              {shell.save}
            </Button>
            {!isNew && (
              <>
                {setting.active && (
                  <Button isDisabled={switchTo.isBusy} onPress={() => void switchTo.run(false)}>
                    {texts.pause}
                  </Button>
                )}
                <Button onPress={() => setAsked("rotate")}>{texts.rotate}</Button>
                <Button onPress={() => setAsked("remove")}>{texts.remove}</Button>
              </>
            )}
          </div>
        </form>
      </Panel>
      <ConfirmDialog
        action={texts.rotate}
        isOpen={asked === "rotate"}
        onClose={() => setAsked(undefined)}
        onConfirm={() => change({ rotate_secret: true })}
        title={texts.rotate}
        words={texts.rotateNote}
      />
      <ConfirmDialog
        action={texts.remove}
        isOpen={asked === "remove"}
        onClose={() => setAsked(undefined)}
        onConfirm={() => change({ url: null })}
        title={texts.remove}
        words={texts.deleteNote(setting.url ?? "")}
      />
    </>
  );
}
