// Name and description of a knowledge base.
import { type ReactElement, useState } from "react";
import { Button, Form } from "react-aria-components";
import type { KnowledgeBaseDetail } from "../../../../sdk/client/index.ts";
import { TextField } from "../../controls/field.tsx";
import { Problem } from "../../controls/problem.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useKnowledgeChange } from "../../data/knowledge.ts";
import { useTexts } from "../../texts/texts-context.ts";

export function BaseSettings({ base }: { base: KnowledgeBaseDetail }): ReactElement {
  const { knowledge, shell } = useTexts();
  const { client } = useConsole();
  const changed = useKnowledgeChange();
  const [name, setName] = useState(base.name);
  const [description, setDescription] = useState(base.description ?? "");
  const save = useAction(async () => {
    await client.knowledgeBases.update(base.id, { name: name.trim(), description });
    await changed();
  });
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") void save.run();
      }}
    >
      <TextField isRequired label={knowledge.name} maxLength={120} onChange={setName} value={name} />
      <TextField
        label={knowledge.description}
        maxLength={2_000}
        onChange={setDescription}
        rows={3}
        value={description}
      />
      <Problem error={save.error} />
      <div className="row settings-actions">
        <Button isDisabled={save.isBusy || name.trim() === ""} type="submit">
          {shell.save}
        </Button>
        <span className="fine" role="status">
          {save.isDone && shell.saved}
        </span>
      </div>
    </Form>
  );
}
