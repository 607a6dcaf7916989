// Sends documents to the service, puts them into a knowledge base, and builds it.
import { useState } from "react";
import type { Client } from "../../../../sdk/client/index.ts";
import { useConsole } from "../../data/console-context.ts";
import { fileAsJson } from "../../data/file-as-json.ts";
import { useKnowledgeChange } from "../../data/knowledge.ts";
import { documentProblem } from "./document-problem.ts";

/** One document on its way. */
export interface SentDocument {
  name: string;
  state: "waiting" | "sending" | "sent" | "failed";
  /** Why it failed: a problem of the file, or what was thrown. */
  error?: unknown;
}

export interface AddDocuments {
  /** `baseId` null: into a new base, named after the first document. Resolves to the id of the base, or null if nothing
   *  was added. */
  add(files: readonly File[], baseId: string | null): Promise<string | null>;
  documents: readonly SentDocument[];
  isBusy: boolean;
  /** Why the base was not changed or built; undefined if it was. */
  error: unknown;
  hasStarted: boolean;
}

/** What it throws is told by `error`. */
export function useAddDocuments(): AddDocuments {
  const { client } = useConsole();
  const changed = useKnowledgeChange();
  const [documents, setDocuments] = useState<readonly SentDocument[]>([]);
  const [isBusy, setBusy] = useState(false);
  const [hasStarted, setStarted] = useState(false);
  const [error, setError] = useState<unknown>();

  async function add(files: readonly File[], baseId: string | null): Promise<string | null> {
    if (isBusy || files.length === 0) return null;
    setBusy(true);
    setStarted(false);
    setError(undefined);
    let current: readonly SentDocument[] = files.map(({ name }) => ({ name, state: "waiting" }));
    const note = (at: number, state: SentDocument["state"], problem?: unknown) => {
      current = current.map((one, index) => (index === at ? { ...one, state, error: problem } : one));
      setDocuments(current);
    };
    setDocuments(current);
    const ids: string[] = [];
    // One after the other: each may be large.
    for (const [at, file] of files.entries()) {
      const problem = documentProblem(file);
      if (problem) {
        note(at, "failed", problem);
        continue;
      }
      note(at, "sending");
      try {
        ids.push((await client.knowledgeFiles.create({ file: await fileAsJson(file), name: file.name })).id);
        note(at, "sent");
      } catch (thrown) {
        note(at, "failed", thrown);
      }
    }
    let id = baseId;
    try {
      if (ids.length > 0) {
        id = await putInto(client, { baseId, fileIds: ids, name: files[0].name });
        await client.knowledgeBases.rebuild(id);
        setStarted(true);
      }
    } catch (thrown) {
      setError(thrown);
    } finally {
      setBusy(false);
      await changed();
    }
    return ids.length > 0 ? id : null;
  }
  return { add, documents, isBusy, error, hasStarted };
}

const MAX_NAME = 120;

async function putInto(
  client: Client,
  { baseId, fileIds, name }: { baseId: string | null; fileIds: string[]; name: string },
): Promise<string> {
  if (baseId === null) {
    const title =
      name
        .replace(/\.[^.]*$/, "")
        .trim()
        .slice(0, MAX_NAME) || name.slice(0, MAX_NAME);
    return (await client.knowledgeBases.create({ name: title, file_ids: fileIds, build: false })).id;
  }
  await client.knowledgeBases.update(baseId, { add_file_ids: fileIds });
  return baseId;
}
