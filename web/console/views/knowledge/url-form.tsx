// Adds a document that the service fetches.
import { type ReactElement, useState } from "react";
import { Button, Form } from "react-aria-components";
import type { KnowledgeFile } from "../../../../sdk/client/index.ts";
import { SelectField, TextField } from "../../controls/field.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useKnowledgeChange } from "../../data/knowledge.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { BuildOutcome } from "./build-outcome.tsx";

type Frequency = KnowledgeFile["sync_freq"];
const FREQUENCIES: readonly Frequency[] = ["never", "daily", "weekly", "monthly"];
const WEB_ADDRESS = /^https?:\/\/\S+$/i;

export function UrlForm({ baseId }: { baseId: string }): ReactElement {
  const { knowledge } = useTexts();
  const { client } = useConsole();
  const changed = useKnowledgeChange();
  const [url, setUrl] = useState("");
  const [frequency, setFrequency] = useState<Frequency>("never");
  const [isChecked, setChecked] = useState(false);
  const isAddress = WEB_ADDRESS.test(url.trim());
  const add = useAction(async () => {
    try {
      const { id } = await client.knowledgeFiles.create({ url: url.trim(), sync_freq: frequency });
      await client.knowledgeBases.update(baseId, { add_file_ids: [id] });
      setUrl("");
      setChecked(false);
      await client.knowledgeBases.rebuild(baseId);
    } finally {
      // What was refused is told at once.
      void changed();
    }
  });
  return (
    <details>
      <summary>{knowledge.byUrl}</summary>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          setChecked(true);
          if (isAddress) void add.run();
        }}
      >
        <TextField
          inputMode="url"
          label={knowledge.url}
          maxLength={4_096}
          note={knowledge.urlNote}
          onChange={setUrl}
          placeholder="https://"
          problem={isChecked && !isAddress ? knowledge.badUrl : undefined}
          value={url}
        />
        <SelectField
          choices={FREQUENCIES.map((value) => ({ value, words: knowledge.syncs[value] }))}
          label={knowledge.sync}
          onChange={(value) => setFrequency(value)}
          value={frequency}
        />
        <Button isDisabled={add.isBusy} type="submit">
          {add.isBusy ? knowledge.fetching : knowledge.add}
        </Button>
        <BuildOutcome error={add.error} />
      </Form>
    </details>
  );
}
