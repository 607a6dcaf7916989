// `avatar voices remove`.
import { rm, stat } from "node:fs/promises";
import { join } from "node:path";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { voicesFolderOf } from "./voices-folder.ts";

/** Names of voices: nothing that leads to another folder. */
const VOICE_NAME = /^[a-z0-9][\w-]*$/i;

/** Deletes a fetched voice. Agents that speak its language have the built-in voice again. Throws CliError no_input if
 *  it was not fetched. */
export async function removeVoice(environment: Environment, id: string, { json }: { json?: boolean }): Promise<void> {
  const folder = join(voicesFolderOf(environment), id);
  const isThere = VOICE_NAME.test(id) && (await stat(folder).catch(() => null))?.isDirectory();
  if (!isThere) {
    throw new CliError("no_input", `The voice ${id} was not fetched.`, {
      hint: "avatar voices list shows all voices.",
    });
  }
  await rm(folder, { recursive: true });
  if (json) writeJson({ id, folder });
  else process.stdout.write(`${id} is deleted.\n`);
}
