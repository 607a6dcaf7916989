// The operator account's API secret: given in the environment, or made once and kept in a file that only this user
// reads.
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { readEnvFile, writeEnvFile } from "./env-file.ts";
import { StartError } from "./start-error.ts";

export interface OperatorSecret {
  secret: string;
  /** True if it was made just now: the one time that it is shown. */
  isNew: boolean;
  /** Where it is kept, or null if the environment gave it. */
  file: string | null;
}

/** Secrets have 65 characters, as the contract says. */
const SECRET_CHARACTERS = 65;
/** As for a secret from the environment. */
const LEAST_CHARACTERS = 32;

/** The secret from the environment, else from `operator.env`, else a new one, which is written there (mode 0600).
 *  Throws StartError when the file holds one that is too short. */
export async function ensureOperatorSecret(dataDir: string, given: string | undefined): Promise<OperatorSecret> {
  if (given) return { secret: given, isNew: false, file: null };
  const file = join(dataDir, "operator.env");
  const kept = (await readEnvFile(file)).AVATAR_OPERATOR_SECRET;
  if (kept && kept.length < LEAST_CHARACTERS) {
    throw new StartError(
      `The secret in ${file} has ${kept.length} characters, and at least ${LEAST_CHARACTERS} are needed.`,
      "Put a longer one there, or delete the file: a new one is then made and shown.",
    );
  }
  if (kept) return { secret: kept, isNew: false, file };
  const secret = randomBytes(SECRET_CHARACTERS).toString("base64url").slice(0, SECRET_CHARACTERS);
  await writeEnvFile(file, "API secret of the operator account. Whoever has it can do everything.", {
    AVATAR_OPERATOR_SECRET: secret,
  });
  return { secret, isNew: true, file };
}
