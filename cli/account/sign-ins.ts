// Stores and forgets sign-ins, and revokes the secrets that `login` has fetched.
import { AuthenticationError, NotFoundError } from "../../sdk/client/errors.ts";
import type { Environment } from "../terminal/environment.ts";
import { changeConfig, readConfig, type SignIn } from "./config-file.ts";
import { clientOf } from "./open-client.ts";

/** Makes it the sign-in at the service, and the service the one that commands call. Returns the sign-in that it
 *  replaces. Throws CliError if the file cannot be written. */
export function storeSignIn(environment: Environment, baseUrl: string, signIn: SignIn): Promise<SignIn | undefined> {
  return changeConfig(environment, ({ services, ...config }) => ({
    config: { ...config, current: baseUrl, services: { ...services, [baseUrl]: signIn } },
    result: services[baseUrl],
  }));
}

/** Forgets the sign-in at the service and returns it. Commands then call another service with a sign-in, if there is
 *  one. Throws CliError if the file cannot be written. */
export async function forgetSignIn(environment: Environment, baseUrl: string): Promise<SignIn | undefined> {
  // No file is made for that.
  if (!Object.hasOwn((await readConfig(environment)).services, baseUrl)) return undefined;
  return changeConfig(environment, ({ services, current, ...config }) => {
    const { [baseUrl]: forgotten, ...others } = services;
    const next = current === baseUrl ? (Object.keys(others).at(-1) ?? null) : current;
    return { config: { ...config, current: next, services: others }, result: forgotten };
  });
}

/** Revokes the secret if `login` has fetched it. False for one that was pasted, which may be in use elsewhere. Throws
 *  AvatarError if the service cannot be asked. */
export async function revokeSignIn(baseUrl: string, signIn: SignIn): Promise<boolean> {
  const { alias, user_id, api_secret } = signIn;
  if (alias === null) return false;
  try {
    await clientOf({ baseUrl, apiSecret: api_secret }).secrets.revoke(user_id, alias);
  } catch (error) {
    // It was revoked before.
    if (!(error instanceof AuthenticationError) && !(error instanceof NotFoundError)) throw error;
  }
  return true;
}
