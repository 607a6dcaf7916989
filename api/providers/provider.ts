// A provider: a server of the account's own, with its keys. Agents choose from the account's list what hears, thinks
// and speaks for them.

/** The platform that can be selected: any server with the OpenAI protocol. Others are only stored. */
export const RUNNABLE_PLATFORM = "openai";
/** Of a provider of that platform that names no base URL. */
export const DEFAULT_BASE_URL = "https://api.openai.com/v1";

/** What is shown of a secret. */
export interface SecretMark {
  /** Its last characters; empty for a short one. */
  hint: string;
  updatedAt: Date;
}

export interface Provider {
  /** Unique in its account. */
  id: string;
  platform: string;
  label: string;
  /** Without a trailing slash; null for the platform's own. */
  baseUrl: string | null;
  options: Readonly<Record<string, unknown>>;
  metadata: Readonly<Record<string, unknown>>;
  /** By name. */
  secrets: Readonly<Record<string, SecretMark>>;
  /** The values, as JSON by name; null without any. */
  sealedSecrets: Buffer | null;
}
