// Registers an endpoint, and shows its secret once.
import { useQueryClient } from "@tanstack/react-query";
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import { TextField } from "../../controls/field.tsx";
import { Problem } from "../../controls/problem.tsx";
import { type HeldSecret, SecretDialog } from "../../controls/secret-dialog.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useOwnClient } from "../../data/use-own-client.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { type ChosenEvents, EventFields } from "./event-fields.tsx";

const MAX_URL_CHARACTERS = 2_048;
const MAX_DESCRIPTION_CHARACTERS = 1_000;

export function NewEndpoint(): ReactElement | null {
  const { webhooks: texts } = useTexts();
  const { person } = useConsole();
  const client = useOwnClient();
  const queries = useQueryClient();
  const [url, setUrl] = useState("");
  const [description, setDescription] = useState("");
  const [events, setEvents] = useState<ChosenEvents>([]);
  const [secret, setSecret] = useState<HeldSecret>();
  const create = useAction(async () => {
    const made = await client.webhooks.create({
      url: url.trim(),
      events: [...events],
      description: description.trim() || null,
    });
    setSecret({ value: made.secret });
    setUrl("");
    setDescription("");
    setEvents([]);
    await queries.invalidateQueries({ queryKey: ["webhooks"] });
  });
  if (person.organization_id !== null) return null;
  return (
    <form
      className="webhook-new"
      onSubmit={(event) => {
        event.preventDefault();
        void create.run();
      }}
    >
      <h3>{texts.add}</h3>
      <TextField
        autoComplete="off"
        inputMode="url"
        isRequired
        label={texts.url}
        maxLength={MAX_URL_CHARACTERS}
        note={texts.urlNote}
        onChange={setUrl}
        value={url}
      />
      <TextField
        autoComplete="off"
        label={texts.description}
        maxLength={MAX_DESCRIPTION_CHARACTERS}
        onChange={setDescription}
        value={description}
      />
      <EventFields chosen={events} onChange={setEvents} />
      <Problem error={create.error} />
      <Button className="main" isDisabled={create.isBusy} type="submit">
        {texts.register}
      </Button>
      <SecretDialog
        onClose={() => setSecret(undefined)}
        secret={secret}
        title={texts.secretTitle}
        words={texts.secretNote}
      />
    </form>
  );
}
