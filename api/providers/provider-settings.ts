// What a session needs to use a provider.
import { PROVIDER_KINDS, type ProviderKind } from "../../shared/provider-kinds.ts";
import type { JobProvider } from "../../shared/runtime-api.ts";
import type { TextSeal } from "../kernel/tokens/sealed-text.ts";
import { DEFAULT_BASE_URL, type Provider, RUNNABLE_PLATFORM } from "./provider.ts";
import { understoodOptions } from "./provider-entry.ts";

/** Secrets that are sent as Bearer, the first that a provider has. */
const KEY_NAMES: readonly string[] = ["apiKey", "api_key", "accessToken", "secret", "apiSecret", "clientSecret"];

/** Whether sessions can use the provider. */
export function isRunnable({ platform }: Provider): boolean {
  return platform === RUNNABLE_PLATFORM;
}

/** The settings, with the key. They go to the worker, in the job description alone. */
export function settingsOf(provider: Provider, kind: ProviderKind, seal: TextSeal): JobProvider {
  const secrets: Record<string, string> = provider.sealedSecrets ? JSON.parse(seal.open(provider.sealedSecrets)) : {};
  const keyName = KEY_NAMES.find((name) => Object.hasOwn(secrets, name));
  const options = understoodOptions(provider.options)[kind];
  const { defaultModel, defaultVoice } = PROVIDER_KINDS[kind];
  return {
    provider_id: provider.id,
    base_url: provider.baseUrl ?? DEFAULT_BASE_URL,
    ...(keyName !== undefined && { api_key: secrets[keyName] }),
    model: options?.model ?? defaultModel,
    ...(defaultVoice !== undefined && { voice: options?.voice ?? defaultVoice }),
  };
}
