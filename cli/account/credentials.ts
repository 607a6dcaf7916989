// Which service a command calls, and with which secret.
import { CliError } from "../terminal/cli-error.ts";
import type { Environment } from "../terminal/environment.ts";
import { readConfig } from "./config-file.ts";

export interface Credentials {
  /** Address of the service, without a trailing slash. */
  baseUrl: string;
  apiSecret: string;
  source: "environment" | "file";
}

/** Where a service listens that `npm start` has begun on this machine. */
const OWN_SERVICE = "http://127.0.0.1:8080";

/** The environment wins (`AVATAR_API_SECRET`, `AVATAR_API_URL`), then what `avatar login` has stored; null if neither
 *  has a secret. Throws CliError if the environment has unusable values or the file is unusable. */
export async function findCredentials(environment: Environment): Promise<Credentials | null> {
  // The second is a former name.
  const secret = environment.AVATAR_API_SECRET || environment.AVATAR_API_KEY;
  if (secret) {
    const baseUrl = toBaseUrl(environment.AVATAR_API_URL || OWN_SERVICE, "AVATAR_API_URL");
    return { baseUrl, apiSecret: checkSecret(secret, "AVATAR_API_SECRET"), source: "environment" };
  }
  const { services } = await readConfig(environment);
  const baseUrl = await findServiceUrl(environment);
  if (!Object.hasOwn(services, baseUrl)) return null;
  return { baseUrl, apiSecret: services[baseUrl].api_secret, source: "file" };
}

/** The service that calls without a secret go to: `AVATAR_API_URL`, then the one of the sign-in, then this machine's.
 *  Throws CliError as `findCredentials` does. */
export async function findServiceUrl(environment: Environment): Promise<string> {
  if (environment.AVATAR_API_URL) return toBaseUrl(environment.AVATAR_API_URL, "AVATAR_API_URL");
  return (await readConfig(environment)).current ?? OWN_SERVICE;
}

/** An address without what follows its path. Throws CliError(usage) if it is not one of http or https; `name`: where it
 *  was given. */
export function toBaseUrl(text: string, name: string): string {
  const url = URL.canParse(text) ? new URL(text) : null;
  const isUsable = url !== null && /^https?:$/.test(url.protocol) && url.username === "" && url.password === "";
  if (isUsable) return `${url.origin}${url.pathname}`.replace(/\/+$/, "");
  throw new CliError("usage", `${name} must be the address of a service, such as https://avatars.example.`);
}

/** The secret. Throws CliError(usage) if no header can carry it; the message does not show it. */
export function checkSecret(text: string, name: string): string {
  if (/^[\x21-\x7e]+$/.test(text)) return text;
  throw new CliError("usage", `${name} must be letters, digits and signs of ASCII, without spaces and line breaks.`);
}
