// The REST client that commands call the service with.
import { Client } from "../../sdk/client/index.ts";
import { CliError } from "../terminal/cli-error.ts";
import type { Environment } from "../terminal/environment.ts";
import { writeNote } from "../terminal/write-note.ts";
import { type Credentials, findCredentials, findServiceUrl } from "./credentials.ts";

/** A client with the credentials of `findCredentials`. Throws CliError(no_permission) if there are none. */
export async function openClient(environment: Environment): Promise<Client> {
  return clientOf(await requireCredentials(environment));
}

/** A client for calls that need no secret; it sends none. */
export async function openPublicClient(environment: Environment): Promise<Client> {
  return clientOf({ baseUrl: await findServiceUrl(environment), apiSecret: null });
}

/** The credentials. Throws CliError(no_permission) if there are none. */
export async function requireCredentials(environment: Environment): Promise<Credentials> {
  const credentials = await findCredentials(environment);
  if (credentials) return credentials;
  throw new CliError("no_permission", "You are not signed in.", {
    code: "NOT_SIGNED_IN",
    hint: "avatar login signs you in; scripts set AVATAR_API_URL and AVATAR_API_SECRET.",
  });
}

export function clientOf({ baseUrl, apiSecret }: { baseUrl: string; apiSecret: string | null }): Client {
  return new Client({ baseUrl, apiSecret, onPlanNotice: process.stderr.isTTY ? writeNote : undefined });
}
