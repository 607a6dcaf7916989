// What a provider, a server of the account's own, can do in a session. A new kind is a row here, a member of
// `ProviderParts` in the worker with a file of its own, and what the conversation does with it.

interface ProviderKindRow {
  /** For people. */
  description: string;
  /** For providers without a model in their options. Servers with a single model ignore the name. */
  defaultModel: string;
  /** The same for voices; absent if the kind has no voice. */
  defaultVoice?: string;
}

const ROWS = {
  llm: { description: "Language model", defaultModel: "gpt-4.1-mini" },
  stt: { description: "Speech recognition", defaultModel: "whisper-1" },
  tts: { description: "Voice", defaultModel: "tts-1", defaultVoice: "alloy" },
  realtime: {
    description: "Speech recognition, language model and voice in one",
    defaultModel: "gpt-realtime-mini",
    defaultVoice: "alloy",
  },
} satisfies Record<string, ProviderKindRow>;

export type ProviderKind = keyof typeof ROWS;

export const PROVIDER_KINDS: Readonly<Record<ProviderKind, ProviderKindRow>> = Object.freeze(ROWS);

export const PROVIDER_KIND_NAMES = Object.freeze(Object.keys(ROWS) as ProviderKind[]);

/** One value for each kind. */
export function byProviderKind<Value>(make: (row: ProviderKindRow) => Value): Record<ProviderKind, Value> {
  const values = PROVIDER_KIND_NAMES.map((kind) => [kind, make(PROVIDER_KINDS[kind])]);
  return Object.fromEntries(values) as Record<ProviderKind, Value>;
}
