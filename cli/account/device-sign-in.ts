// Signs this computer in by a code that a person confirms in the console (RFC 8628).
import { hostname } from "node:os";
import { setTimeout as delay } from "node:timers/promises";
import { z } from "zod";
import { ApiError, type Client, ConnectionError } from "../../sdk/client/index.ts";
import { CliError } from "../terminal/cli-error.ts";
import type { SignIn } from "./config-file.ts";
import { readAnswer } from "./read-answer.ts";

export interface DeviceSignInOptions {
  /** The sign-in that the new one replaces: its secret is revoked, and its name is free again. */
  former: SignIn | undefined;
  /** Shows the code, and where it is confirmed. */
  onCode(code: { userCode: string; url: string; urlWithCode: string; minutes: number }): Promise<void>;
  signal: AbortSignal;
}

const codeSchema = z.object({
  device_code: z.string(),
  user_code: z.string(),
  verification_uri: z.string(),
  verification_uri_complete: z.string().optional(),
  expires_in: z.number().positive(),
  // RFC 8628: 5 if it is not named.
  interval: z.number().positive().default(5),
});
const tokenSchema = z.discriminatedUnion("status", [
  z.object({ status: z.literal("pending") }),
  z.object({
    status: z.literal("complete"),
    access_token: z.string(),
    alias: z.string(),
    user_id: z.string(),
    email: z.string(),
  }),
]);

const SECOND_MS = 1000;
const MAX_HOST_CHARACTERS = 255;
/** Added to the interval each time that the service asks for less requests. Source: RFC 8628, 3.5. */
const SLOWER_MS = 5_000;

/** The secret that the service has made for this computer. `client` needs no secret. Throws CliError(no_permission)
 *  with the code TOKEN_REJECTED if the code was denied or has expired, and the reason of the signal. */
export async function signInByCode(client: Client, { former, onCode, signal }: DeviceSignInOptions): Promise<SignIn> {
  const host = hostname().slice(0, MAX_HOST_CHARACTERS);
  const begun = readAnswer(codeSchema, await client.deviceCodes.create({ hostname: host }, { signal }));
  const { user_code: userCode, verification_uri: url, verification_uri_complete: urlWithCode = url } = begun;
  const deadlineMs = performance.now() + begun.expires_in * SECOND_MS;
  await onCode({ userCode, url, urlWithCode, minutes: Math.round(begun.expires_in / 60) });
  // A pasted secret may be in use elsewhere.
  const former_secret = former?.alias ? former.api_secret : undefined;
  let intervalMs = begun.interval * SECOND_MS;
  for (;;) {
    if (performance.now() + intervalMs > deadlineMs) throw expired();
    await delay(intervalMs, undefined, { signal });
    try {
      // No signal: an answer with the secret comes once.
      const question = { device_code: begun.device_code, former_secret };
      const answer = await client.deviceCodes.redeem(question, { maxRetries: 0 });
      const token = readAnswer(tokenSchema, answer);
      if (token.status === "complete") {
        const { access_token, alias, user_id, email } = token;
        return { api_secret: access_token, alias, user_id, email };
      }
    } catch (error) {
      if (error instanceof ApiError && error.code === "VALIDATION_ERROR") throw expired(error);
      if (error instanceof ApiError && error.code === "FORBIDDEN") {
        throw rejected("The sign-in was refused in the console.", error);
      }
      if (error instanceof ApiError && error.httpStatus === 429) intervalMs += SLOWER_MS;
      // The service may be restarting; the code is kept.
      else if (!(error instanceof ConnectionError) && !isFailing(error)) throw error;
    }
  }
}

function isFailing(error: unknown): boolean {
  return error instanceof ApiError && error.httpStatus >= 500;
}

function expired(cause?: ApiError): CliError {
  return rejected("The code has expired before it was confirmed. Run avatar login again for a new one.", cause);
}

function rejected(message: string, cause?: ApiError): CliError {
  return new CliError("no_permission", message, { code: "TOKEN_REJECTED", cause });
}
