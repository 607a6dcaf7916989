// Gives a model another file, in PostgreSQL. The earlier one stays for a while, because links to it are in use.
import type { Transaction } from "kysely";
import type { ModelFamily } from "../../../shared/models.ts";
import type { Tables } from "../../kernel/database/database.ts";
import type { StoredObject } from "../../kernel/storage/object-storage.ts";
import { deleteLater } from "./replaced-files.ts";

export interface ReplacedArtifact {
  agentId: string;
  family: ModelFamily;
  /** The file that is replaced. */
  key: string;
}

export interface NewArtifact extends StoredObject {
  /** Default: that of the earlier file. */
  generatorVersion?: string;
}

/** Gives a model its new file and remembers the earlier one. Returns false, and changes nothing, if the model has
 *  another file by now or none. */
export async function exchangeArtifact(
  transaction: Transaction<Tables>,
  { agentId, family, key }: ReplacedArtifact,
  made: NewArtifact,
  now: Date,
): Promise<boolean> {
  const row = await transaction
    .selectFrom("agent_models")
    .select(["replaced_key", "generator_version"])
    .where("agent_id", "=", agentId)
    .where("family", "=", family)
    .where("is_draft", "=", false)
    .where("state", "=", "ready")
    .where("artifact_key", "=", key)
    .forUpdate()
    .executeTakeFirst();
  if (!row) return false;
  // A row remembers one file.
  if (row.replaced_key !== null) await deleteLater(transaction, [row.replaced_key]);
  await transaction
    .updateTable("agent_models")
    .set({
      artifact_key: made.key,
      artifact_sha256: made.sha256,
      artifact_bytes: made.sizeBytes,
      generator_version: made.generatorVersion ?? row.generator_version,
      replaced_key: key,
      replaced_at: now,
    })
    .where("agent_id", "=", agentId)
    .where("family", "=", family)
    .where("is_draft", "=", false)
    .execute();
  return true;
}
