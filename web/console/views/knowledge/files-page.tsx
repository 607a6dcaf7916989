// All documents of the organization, and the space that they take.
import { type ReactElement, useState } from "react";
import { Button } from "react-aria-components";
import type { KnowledgeFile, KnowledgeFilesListResponse } from "../../../../sdk/client/index.ts";
import { ConfirmDialog } from "../../controls/dialog.tsx";
import { EmptyView } from "../../controls/empty-view.tsx";
import { LoadMore } from "../../controls/load-more.tsx";
import { Page } from "../../controls/page.tsx";
import { QueryResult } from "../../controls/query-result.tsx";
import { useConsole } from "../../data/console-context.ts";
import { useKnowledgeChange, useKnowledgeFiles } from "../../data/knowledge.ts";
import { useFormats, useTexts } from "../../texts/texts-context.ts";
import { DocumentFacts } from "./document-facts.tsx";

const ADD_REQUEST = {
  method: "POST",
  path: "/v1/knowledge/files",
  body: { url: "https://museum.example/handbook.pdf", name: "handbook.pdf" },
} as const;

export function FilesPage(): ReactElement {
  const { knowledge, shell } = useTexts();
  const { client } = useConsole();
  const changed = useKnowledgeChange();
  const files = useKnowledgeFiles();
  const [asked, setAsked] = useState<KnowledgeFile | null>(null);
  return (
    <Page back="/" title={knowledge.allFiles}>
      <QueryResult
        empty={<EmptyView request={ADD_REQUEST} words={knowledge.filesEmpty} />}
        isEmpty={({ pages }) => pages[0].total === 0}
        query={files}
      >
        {({ pages }) => (
          <>
            <Quota {...pages[0]} />
            <ul className="rows panel">
              {pages.flatMap((page) =>
                page.files.map((file) => (
                  <li key={file.id}>
                    <DocumentFacts file={file} />
                    <Button aria-label={knowledge.deleteFile(file.file_name)} onPress={() => setAsked(file)}>
                      {shell.delete}
                    </Button>
                  </li>
                )),
              )}
            </ul>
            <LoadMore query={files} />
          </>
        )}
      </QueryResult>
      <ConfirmDialog
        action={shell.delete}
        isOpen={asked !== null}
        onClose={() => setAsked(null)}
        onConfirm={async () => {
          if (asked) await client.knowledgeFiles.delete(asked.id);
          await changed();
        }}
        title={shell.delete}
        words={
          <p dir="auto">
            <strong>{asked?.file_name}</strong>: {knowledge.deleteFileWords}
          </p>
        }
      />
    </Page>
  );
}

function Quota(space: Pick<KnowledgeFilesListResponse, "used_bytes" | "limit_bytes">): ReactElement {
  const { knowledge } = useTexts();
  const formats = useFormats();
  const { used_bytes: used, limit_bytes: limit } = space;
  if (limit === null) return <p className="fine">{knowledge.quotaFree(formats.bytes(used))}</p>;
  const words = knowledge.quota(formats.bytes(used), formats.bytes(limit));
  return (
    <p className="row">
      <progress aria-label={words} max={limit} value={used} />
      <span className="fine">{words}</span>
    </p>
  );
}
