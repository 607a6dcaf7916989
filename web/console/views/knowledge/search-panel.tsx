// Searches a knowledge base as an agent does, and shows the passages with their sources.
import { type ReactElement, useState } from "react";
import { Button, Form } from "react-aria-components";
import type { KnowledgeBaseDetail, KnowledgeBasesSearchResponse } from "../../../../sdk/client/index.ts";
import { TextField } from "../../controls/field.tsx";
import { Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";

type Passages = KnowledgeBasesSearchResponse["results"];

export function SearchPanel({ base }: { base: KnowledgeBaseDetail }): ReactElement {
  const { knowledge, shell } = useTexts();
  const formats = useFormats();
  const { client } = useConsole();
  const [query, setQuery] = useState("");
  const [found, setFound] = useState<Passages | null>(null);
  const search = useAction(async () => {
    setFound((await client.knowledgeBases.search(base.id, { query: query.trim() })).results);
  });
  return (
    <Panel title={knowledge.question}>
      <p className="fine">{base.built_rev === null ? knowledge.notBuilt : knowledge.searchNote}</p>
      <Form
        onSubmit={(event) => {
          event.preventDefault();
          if (query.trim() !== "") void search.run();
        }}
      >
        <TextField label={knowledge.questionLabel} maxLength={2_000} onChange={setQuery} type="search" value={query} />
        <Button isDisabled={search.isBusy || query.trim() === ""} type="submit">
          {knowledge.find}
        </Button>
      </Form>
      <Problem error={search.error} />
      <p className="passages-found" role="status">
        {search.isBusy ? shell.loading : found && knowledge.found(found.length)}
      </p>
      <ol className="passages">
        {found?.map(({ file_id, file_name, heading, text, score }, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: a passage has no name, and the list is replaced whole
          <li key={at + file_id}>
            <blockquote dir="auto">{text}</blockquote>
            <p className="fine" dir="auto">
              {heading === "" ? file_name : `${file_name} · ${heading}`}
            </p>
            <p className="fine">{knowledge.score(formats.credits(score))}</p>
          </li>
        ))}
      </ol>
    </Panel>
  );
}
