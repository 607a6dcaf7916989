// The documents of a knowledge base, and the ways to add one.
import { type ReactElement, useState } from "react";
import { Button, DropZone } from "react-aria-components";
import type { KnowledgeBaseDetail, KnowledgeFile } from "../../../../sdk/client/index.ts";
import { SelectField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useKnowledgeChange, useKnowledgeFiles } from "../../data/knowledge.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { AddButton } from "./add-button.tsx";
import { BuildOutcome } from "./build-outcome.tsx";
import { DocumentFacts } from "./document-facts.tsx";
import { SentDocuments } from "./sent-documents.tsx";
import { UrlForm } from "./url-form.tsx";
import { useAddDocuments } from "./use-add-documents.ts";

export function DocumentsPanel({ base }: { base: KnowledgeBaseDetail }): ReactElement {
  const { knowledge } = useTexts();
  const { client } = useConsole();
  const changed = useKnowledgeChange();
  const adding = useAddDocuments();
  const takeOut = useAction(async (fileId: string) => {
    const kept = base.files.map(({ id }) => id).filter((id) => id !== fileId);
    await client.knowledgeBases.update(base.id, { file_ids: kept });
    await changed();
  });
  return (
    <Panel title={knowledge.documents}>
      <DropZone
        aria-label={knowledge.addDocuments}
        className="drop-documents"
        onDrop={async ({ items }) => {
          const files = await Promise.all(items.flatMap((item) => (item.kind === "file" ? [item.getFile()] : [])));
          await adding.add(files, base.id);
        }}
      >
        <AddButton isBusy={adding.isBusy} isMain onChosen={(files) => void adding.add(files, base.id)} />
        <span className="fine">{knowledge.formats}</span>
      </DropZone>
      <SentDocuments adding={adding} />
      <Problem error={takeOut.error} />
      {base.files.length === 0 && <p>{knowledge.noDocuments}</p>}
      <ul className="rows">
        {base.files.map((file) => (
          <li key={file.id}>
            <DocumentFacts file={file} />
            <Button
              aria-label={knowledge.takeOutOf(file.file_name)}
              isDisabled={takeOut.isBusy}
              onPress={() => void takeOut.run(file.id)}
            >
              {knowledge.takeOut}
            </Button>
          </li>
        ))}
      </ul>
      <UrlForm baseId={base.id} />
      <PresentDocuments base={base} />
    </Panel>
  );
}

/** Adds a document that the organization has already. */
function PresentDocuments({ base }: { base: KnowledgeBaseDetail }): ReactElement | null {
  const { knowledge } = useTexts();
  const { client } = useConsole();
  const changed = useKnowledgeChange();
  const files = useKnowledgeFiles();
  const [chosen, setChosen] = useState("");
  const add = useAction(async (fileId: string) => {
    try {
      await client.knowledgeBases.update(base.id, { add_file_ids: [fileId] });
      setChosen("");
      await client.knowledgeBases.rebuild(base.id);
    } finally {
      // What was refused is told at once.
      void changed();
    }
  });
  const present = new Set(base.files.map(({ id }) => id));
  const others = (files.data?.pages ?? []).flatMap((page): KnowledgeFile[] => page.files);
  const choices = others
    .filter(({ id }) => !present.has(id))
    .map((file) => ({ value: file.id, words: file.file_name }));
  if (choices.length === 0) return <BuildOutcome error={add.error} />;
  return (
    <details>
      <summary>{knowledge.putIn}</summary>
      <SelectField
        choices={[{ value: "", words: knowledge.choose }, ...choices]}
        label={knowledge.documents}
        note={knowledge.putInNote}
        onChange={setChosen}
        value={choices.some(({ value }) => value === chosen) ? chosen : ""}
      />
      <Button isDisabled={chosen === "" || add.isBusy} onPress={() => void add.run(chosen)}>
        {knowledge.add}
      </Button>
      <BuildOutcome error={add.error} />
    </details>
  );
}
