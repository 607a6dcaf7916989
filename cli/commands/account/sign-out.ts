// What `avatar logout` does.
import type { z } from "zod";
import type { SignIn } from "../../account/config-file.ts";
import { findServiceUrl, toBaseUrl } from "../../account/credentials.ts";
import { forgetSignIn, revokeSignIn } from "../../account/sign-ins.ts";
import { toCliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { writeNote } from "../../terminal/write-note.ts";
import type { logoutShape } from "./shapes.ts";

export interface LogoutOptions {
  url?: string;
  json?: boolean;
}

export async function signOut(environment: Environment, { url, json }: LogoutOptions): Promise<void> {
  const baseUrl = url === undefined ? await findServiceUrl(environment) : toBaseUrl(url, "--url");
  const signIn = await forgetSignIn(environment, baseUrl);
  const { isRevoked, problem } = signIn ? await revoke(baseUrl, signIn) : { isRevoked: false };
  if (json) {
    const result: z.input<typeof logoutShape> = {
      logged_out: signIn !== undefined,
      url: baseUrl,
      email: signIn?.email ?? null,
      revoked: isRevoked,
    };
    return writeJson(result);
  }
  const secretNow = isRevoked ? `, and the secret ${signIn?.alias} is revoked` : "";
  process.stdout.write(
    signIn
      ? `Signed out at ${baseUrl} (${signIn.email})${secretNow}.\n`
      : `You were not signed in at ${baseUrl}: nothing to do.\n`,
  );
  if (problem) writeNote(problem);
  if (signIn?.alias === null) writeNote("The pasted secret still works: revoke it in the console if it should not.");
  if (environment.AVATAR_API_SECRET || environment.AVATAR_API_KEY) {
    writeNote("AVATAR_API_SECRET is still set: commands go on with it.");
  }
}

async function revoke(baseUrl: string, signIn: SignIn): Promise<{ isRevoked: boolean; problem?: string }> {
  try {
    return { isRevoked: await revokeSignIn(baseUrl, signIn) };
  } catch (error) {
    const { message } = toCliError(error);
    const what = `The secret ${signIn.alias} is forgotten here but could not be revoked, and still works. Revoke it in the console.`;
    return { isRevoked: false, problem: `${message}\n${what}` };
  }
}
