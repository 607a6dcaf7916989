// All knowledge bases of the organization.
import { type ReactElement, useState } from "react";
import { Button, Form } from "react-aria-components";
import { Link, useLocation } from "wouter";
import type { KnowledgeBase } from "../../../../sdk/client/index.ts";
import { EmptyView } from "../../controls/empty-view.tsx";
import { TextField } from "../../controls/field.tsx";
import { Page, Panel } from "../../controls/page.tsx";
import { Problem } from "../../controls/problem.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { Reason } from "../../controls/reason.tsx";
import { useAction } from "../../controls/use-action.ts";
import { useConsole } from "../../data/console-context.ts";
import { useKnowledgeBases, useKnowledgeChange } from "../../data/knowledge.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { AddButton } from "./add-button.tsx";
import { BaseStatus } from "./base-status.tsx";
import { ActingFor } from "./organization-gate.tsx";
import { SentDocuments } from "./sent-documents.tsx";
import { type AddDocuments, useAddDocuments } from "./use-add-documents.ts";

/** The call that makes a base of a document that was sent before. */
const CREATE_REQUEST = {
  method: "POST",
  path: "/v1/knowledge/kbs",
  body: { name: "Museum handbook", file_ids: ["FILE_ID"] },
} as const;

export function BaseList(): ReactElement {
  const { knowledge } = useTexts();
  const bases = useKnowledgeBases();
  const adding = useAddDocuments();
  return (
    <Page
      actions={
        <Link className="button" href="/files">
          {knowledge.allFiles}
        </Link>
      }
      lead={knowledge.lead}
      title={knowledge.title}
    >
      <ActingFor />
      <SentDocuments adding={adding} />
      <QueryResult
        empty={
          <EmptyView
            action={<AddButton isBusy={adding.isBusy} isMain onChosen={(files) => void adding.add(files, null)} />}
            request={CREATE_REQUEST}
            words={knowledge.empty}
          />
        }
        isEmpty={(list) => list.length === 0}
        query={bases}
      >
        {(list) => (
          <ul className="rows panel">
            {list.map((base) => (
              <BaseRow adding={adding} base={base} key={base.id} />
            ))}
          </ul>
        )}
      </QueryResult>
      <Panel title={knowledge.newBase}>
        <NewBase />
      </Panel>
    </Page>
  );
}

function BaseRow({ base, adding }: { base: KnowledgeBase; adding: AddDocuments }): ReactElement {
  const { knowledge } = useTexts();
  const { id, name, status } = base;
  return (
    <li>
      <div>
        <Link className="base-name" dir="auto" href={`/${id}`}>
          {name}
        </Link>
        <p className="row">
          <BaseStatus status={status} />
          <span className="fine">{knowledge.counts(base.source_count, base.agent_count)}</span>
        </p>
        {base.error_message && <Reason className="fine" message={base.error_message} />}
      </div>
      <AddButton baseName={name} isBusy={adding.isBusy} onChosen={(files) => void adding.add(files, id)} />
    </li>
  );
}

function NewBase(): ReactElement {
  const { knowledge } = useTexts();
  const { client } = useConsole();
  const changed = useKnowledgeChange();
  const [, go] = useLocation();
  const [name, setName] = useState("");
  const make = useAction(async () => {
    const { id } = await client.knowledgeBases.create({ name: name.trim(), build: false });
    await changed();
    go(`/${id}`);
  });
  return (
    <Form
      onSubmit={(event) => {
        event.preventDefault();
        if (name.trim() !== "") void make.run();
      }}
    >
      <TextField isRequired label={knowledge.name} maxLength={120} onChange={setName} value={name} />
      <Problem error={make.error} />
      <Button isDisabled={make.isBusy || name.trim() === ""} type="submit">
        {knowledge.make}
      </Button>
    </Form>
  );
}
