// An entry of the list of providers, as a caller sends it.
import { z } from "zod";
import { byProviderKind, PROVIDER_KIND_NAMES, PROVIDER_KINDS } from "../../shared/provider-kinds.ts";
import { RUNNABLE_PLATFORM } from "./provider.ts";

/** Of an account. */
export const MAX_PROVIDERS = 50;
const MAX_ID_CHARACTERS = 100;
const MAX_LABEL_CHARACTERS = 200;
const MAX_URL_CHARACTERS = 2_048;
const MAX_CREDENTIALS = 20;
/** A private key in PEM, or an account file in JSON. */
const MAX_SECRET_CHARACTERS = 16_384;
const MAX_OPTIONS_CHARACTERS = 16_384;
const MAX_METADATA_CHARACTERS = 8_192;
const MAX_MODEL_CHARACTERS = 200;

/** Spellings of the one credential that is no secret. */
const BASE_URL_NAMES: readonly string[] = ["baseUrl", "baseURL", "base_url"];
/** A header can hold it. */
const HEADER_SAFE = /^[\x21-\x7e]+$/;
/** Names of secrets, without case and underscores. They are sealed in `credentials`, and not anywhere else. */
const SECRET_NAMES: readonly string[] = [
  "apikey",
  "secret",
  "apisecret",
  "clientsecret",
  "accesstoken",
  "privatekey",
  "password",
  "authorization",
];

const name = z.string().trim().min(1).max(MAX_MODEL_CHARACTERS);
/** The options that are understood; the others are stored. */
const understoodOptionsSchema = z.looseObject(
  byProviderKind(({ defaultVoice }) => {
    const voice = name.nullish();
    // A voice of a kind without voices is stored like any other option.
    return z.looseObject({ model: name.nullish(), voice: defaultVoice ? voice : voice.catch(undefined) }).nullish();
  }),
);
const UNDERSTOOD = PROVIDER_KIND_NAMES.flatMap((kind) => {
  const isSpoken = PROVIDER_KINDS[kind].defaultVoice !== undefined;
  return [`\`${kind}.model\``, ...(isSpoken ? [`\`${kind}.voice\``] : [])];
});

const plainObject = (maxCharacters: number) =>
  z
    .record(z.string(), z.unknown())
    .refine((value) => JSON.stringify(value).length <= maxCharacters, `must have at most ${maxCharacters} characters`)
    .superRefine((value, context) => {
      const path = pathOfSecret(value);
      if (path) context.addIssue({ code: "custom", path, message: "a secret belongs into credentials" });
    });

export const providerEntrySchema = z
  .object({
    id: z
      .string()
      .min(1)
      .max(MAX_ID_CHARACTERS)
      .regex(/^[\w.:-]+$/, "may have letters, digits and . _ : -")
      .nullish()
      .meta({ description: "An id of the list changes that entry; another one makes an entry. Default: a new one" }),
    platform: z
      .string()
      .trim()
      .toLowerCase()
      .min(1)
      .max(100)
      .meta({ description: "`openai`: a server with the OpenAI protocol. Others are stored and cannot be selected" }),
    label: z.string().trim().max(MAX_LABEL_CHARACTERS).nullish(),
    credentials: z
      .record(
        z.string().regex(/^[a-z][\w.-]{0,63}$/i, "is not a valid name"),
        z.string().max(MAX_SECRET_CHARACTERS).nullish(),
      )
      .refine((value) => Object.keys(value).length <= MAX_CREDENTIALS, `must have at most ${MAX_CREDENTIALS} names`)
      .nullish()
      .meta({
        description:
          "`baseUrl`, the server's address without a route, and secrets such as `apiKey`. Secrets that are absent, null or empty keep their stored value",
      }),
    options: plainObject(MAX_OPTIONS_CHARACTERS)
      .nullish()
      .meta({
        description: `${new Intl.ListFormat("en-GB").format(UNDERSTOOD)} are understood. Replaces the stored options`,
      }),
    clearSecrets: z
      .union([z.boolean(), z.array(z.string().max(64)).max(MAX_CREDENTIALS)])
      .nullish()
      .meta({ description: "Stored secrets to delete: their names, or true for all" }),
    metadata: plainObject(MAX_METADATA_CHARACTERS).nullish(),
  })
  .superRefine((entry, context) => {
    if (entry.platform !== RUNNABLE_PLATFORM) return;
    const options = understoodOptionsSchema.safeParse(entry.options ?? {});
    for (const { path, message } of options.error?.issues ?? []) {
      context.addIssue({ code: "custom", path: ["options", ...path], message });
    }
    for (const [secret, value] of Object.entries(secretsOf(entry.credentials ?? {}))) {
      const message = "has characters that a header cannot hold";
      if (!HEADER_SAFE.test(value)) context.addIssue({ code: "custom", path: ["credentials", secret], message });
    }
  })
  .superRefine((entry, context) => {
    const url = baseUrlOf(entry.credentials ?? {});
    const message = `must have at most ${MAX_URL_CHARACTERS} characters`;
    if (url && url.length > MAX_URL_CHARACTERS) {
      context.addIssue({ code: "custom", path: ["credentials", "baseUrl"], message });
    }
  })
  .meta({ id: "ProviderEntry" });
export type ProviderEntry = z.infer<typeof providerEntrySchema>;

type Credentials = Readonly<Record<string, string | null | undefined>>;

/** The base URL of credentials: null to remove the stored one, undefined to keep it. */
export function baseUrlOf(credentials: Credentials): string | null | undefined {
  const given = BASE_URL_NAMES.find((spelling) => spelling in credentials);
  return given === undefined ? undefined : credentials[given]?.trim() || null;
}

/** New secrets of credentials, without white space around them, which is often copied with a key. Every credential but
 *  the base URL counts as a secret, because platforms have names of their own. */
export function secretsOf(credentials: Credentials): Record<string, string> {
  const given = Object.entries(credentials).map(([spelling, value]) => [spelling, value?.trim() ?? ""] as const);
  return Object.fromEntries(given.filter(([spelling, value]) => !BASE_URL_NAMES.includes(spelling) && value !== ""));
}

/** Options as they are understood; empty if they were stored for another platform and do not fit. */
export function understoodOptions(
  options: Readonly<Record<string, unknown>>,
): Partial<z.infer<typeof understoodOptionsSchema>> {
  return understoodOptionsSchema.safeParse(options).data ?? {};
}

/** Where a value has a field that is named like a secret; undefined if there is none. */
function pathOfSecret(value: unknown): string[] | undefined {
  if (typeof value !== "object" || value === null) return undefined;
  for (const [field, child] of Object.entries(value)) {
    if (SECRET_NAMES.includes(field.toLowerCase().replaceAll(/[_-]/g, ""))) return [field];
    const path = pathOfSecret(child);
    if (path) return [field, ...path];
  }
  return undefined;
}
