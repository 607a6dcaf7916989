// What `avatar login` does.
import { z } from "zod";
import { configPath, readConfig, type SignIn } from "../../account/config-file.ts";
import { checkSecret, findServiceUrl, toBaseUrl } from "../../account/credentials.ts";
import { signInByCode } from "../../account/device-sign-in.ts";
import { openBrowser } from "../../account/open-browser.ts";
import { clientOf, openPublicClient } from "../../account/open-client.ts";
import { readAnswer } from "../../account/read-answer.ts";
import { revokeSignIn, storeSignIn } from "../../account/sign-ins.ts";
import { CliError, toCliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { interruptible } from "../../terminal/interrupt.ts";
import { readSecret } from "../../terminal/read-secret.ts";
import { openStatusLine } from "../../terminal/status-line.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { writeNote } from "../../terminal/write-note.ts";
import type { loginShape } from "./shapes.ts";

export interface LoginOptions {
  device?: boolean;
  withToken?: boolean;
  url?: string;
  json?: boolean;
}

const profileSchema = z.object({ user_id: z.string(), email: z.string() });

export async function signIn(environment: Environment, options: LoginOptions): Promise<void> {
  const { device, withToken, url, json } = options;
  if (device && withToken) throw new CliError("usage", "--device and --with-token exclude each other.");
  const baseUrl = url === undefined ? await findServiceUrl(environment) : toBaseUrl(url, "--url");
  // A file that cannot be used is told before a person confirms anything.
  const { services } = await readConfig(environment);
  const signed = withToken
    ? await signInByToken(baseUrl)
    : await signInByBrowser(environment, { ...options, baseUrl, former: services[baseUrl] });
  const former = await storeSignIn(environment, baseUrl, signed).catch(async (error: unknown) => {
    // Otherwise a secret would be in use that is kept nowhere.
    await revokeSignIn(baseUrl, signed).catch(() => undefined);
    throw error;
  });
  const replaced = former && former.api_secret !== signed.api_secret ? await replace(baseUrl, former) : null;
  const file = configPath(environment);
  const { email, alias } = signed;
  if (json) {
    const result: z.input<typeof loginShape> = {
      logged_in: true,
      source: "file",
      url: baseUrl,
      email,
      alias,
      replaced,
      file,
    };
    return writeJson(result);
  }
  process.stdout.write(`Signed in at ${baseUrl} as ${email}.\n`);
  if (alias !== null) writeNote(`The secret of this computer is called ${alias}; it is kept in ${file}.`);
  if (environment.AVATAR_API_SECRET || environment.AVATAR_API_KEY) {
    writeNote("AVATAR_API_SECRET is set, and wins over this sign-in until it is unset.");
  }
}

/** Revokes the secret that a new one replaces, and returns its name; null if it stays. */
async function replace(baseUrl: string, former: SignIn): Promise<string | null> {
  try {
    return (await revokeSignIn(baseUrl, former)) ? former.alias : null;
  } catch {
    writeNote(`The former secret ${former.alias} could not be revoked. Revoke it in the console, under API secrets.`);
    return null;
  }
}

async function signInByToken(baseUrl: string): Promise<SignIn> {
  const secret = checkSecret(await readSecret("API secret (it is not shown): "), "The secret");
  try {
    const profile = readAnswer(profileSchema, await clientOf({ baseUrl, apiSecret: secret }).accounts.me());
    return { ...profile, api_secret: secret, alias: null };
  } catch (error) {
    const failure = toCliError(error);
    const isRejected = failure.kind === "no_permission";
    throw new CliError(isRejected ? "no_permission" : "unavailable", failure.message, {
      code: isRejected ? "TOKEN_REJECTED" : "TOKEN_UNVERIFIED",
      hint: isRejected ? "The service does not accept this secret. The console issues new ones." : failure.hint,
      cause: error,
    });
  }
}

async function signInByBrowser(
  environment: Environment,
  { device, json, baseUrl, former }: LoginOptions & { baseUrl: string; former: SignIn | undefined },
): Promise<SignIn> {
  const client = await openPublicClient({ ...environment, AVATAR_API_URL: baseUrl });
  const status = openStatusLine(json === true);
  try {
    return await interruptible(
      (signal) =>
        signInByCode(client, {
          former,
          signal,
          async onCode({ userCode, url, urlWithCode, minutes }) {
            const isOpen = !device && (await openBrowser(urlWithCode, environment));
            writeNote(isOpen ? "Your browser opens this page. If it does not, open it:" : "Open this page:");
            // With --device it is typed on another computer.
            writeNote(`\n  ${device ? url : urlWithCode}\n`);
            writeNote(`and confirm the code  ${userCode}  within ${minutes} minutes.`);
            status.show("Waiting for the confirmation …");
          },
        }),
      "You are not signed in.",
    );
  } catch (error) {
    const failure = toCliError(error);
    const isUnreachable = failure.kind === "unavailable" && failure.code !== "OTHER_VERSION";
    if (!isUnreachable) throw failure;
    const { message, hint } = failure;
    throw new CliError("unavailable", message, { code: "TOKEN_UNVERIFIED", hint, cause: error });
  } finally {
    status.clear();
  }
}
