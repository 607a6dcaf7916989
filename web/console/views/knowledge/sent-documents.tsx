// What became of the documents that are being added, and of the build that follows.
import type { ReactElement } from "react";
import { wordsOf } from "../../controls/problem.tsx";
import type { Texts } from "../../texts/load-texts.ts";
import { useTexts } from "../../texts/texts-context.ts";
import { BuildOutcome } from "./build-outcome.tsx";
import { isDocumentProblem } from "./document-problem.ts";
import type { AddDocuments, SentDocument } from "./use-add-documents.ts";

export function SentDocuments({ adding }: { adding: AddDocuments }): ReactElement | null {
  const { knowledge } = useTexts();
  if (adding.documents.length === 0) return null;
  return (
    <div className="panel" role="status">
      <ul className="rows sent-documents">
        {adding.documents.map((document, at) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: two files may have one name, and the list only grows whole
          <li key={at}>
            <SentDocumentRow document={document} />
          </li>
        ))}
      </ul>
      {adding.hasStarted && <p>{knowledge.buildStarted}</p>}
      <BuildOutcome error={adding.error} />
    </div>
  );
}

function SentDocumentRow({ document: { name, state, error } }: { document: SentDocument }): ReactElement {
  const texts = useTexts();
  const { knowledge } = texts;
  if (state !== "failed") {
    return <div dir="auto">{state === "sent" ? knowledge.sent(name) : knowledge.sending(name)}</div>;
  }
  return (
    <div>
      <span dir="auto">{knowledge.notSent(name)}</span>
      <p className="wrong">{reasonOf(error, texts)}</p>
    </div>
  );
}

function reasonOf(error: unknown, texts: Texts): string {
  if (isDocumentProblem(error)) return texts.knowledge[error];
  const { words, detail } = wordsOf(error, texts);
  return detail === undefined ? words : `${words} (${detail})`;
}
