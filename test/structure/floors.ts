// The floors of the project: which folder may import which.

/** What each top folder may import of ours, besides itself. */
export const TOP_FOLDERS: Readonly<Record<string, readonly string[]>> = Object.freeze({
  shared: [],
  src: ["shared"],
  api: ["src", "shared"],
  "agent-worker": ["src", "shared"],
  web: ["src", "shared"],
  relay: ["src", "shared"],
  models: ["src", "shared"],
  cli: ["shared", "src", "api", "agent-worker", "relay", "web", "models"],
  bench: ["shared", "src", "api", "agent-worker", "relay", "web", "models", "cli"],
});

/** The floors of the api, lowest first. A folder imports only folders of lower floors, never of its own floor.
 *  `migrations` is the history of all nouns and imports only the kernel. */
export const API_FLOORS: readonly (readonly string[])[] = [
  ["kernel"],
  ["migrations"],
  ["accounts"],
  ["organizations"],
  ["files", "providers"],
  ["agents"],
  ["samples", "videos", "dynamics", "speech"],
  ["sessions"],
  ["webhooks", "knowledge", "embed", "realtime"],
  ["pages"],
];

/** Folders of `src/` that must not know where they are used, and what of ours they may import besides themselves. Of
 *  packages they may import Node's own modules. */
export const INDEPENDENT_PARTS: Readonly<Record<string, readonly string[]>> = Object.freeze({
  "src/llm": ["src/engine-error.ts", "src/languages", "src/speech-text"],
  "src/echo": ["src/math"],
  "src/conversation": [
    "shared/runtime-api.ts",
    "shared/state-machine.ts",
    "shared/units.ts",
    "src/audio/join-samples.ts",
    "src/engine-error.ts",
    "src/languages",
    "src/llm",
    "src/recognition/transcription-client.ts",
  ],
});

/** The folder of a file as the diagram shows it: two levels (`api/accounts`); a file in a top folder is shown by its
 *  own name (`api/main.ts`). */
export function folderOf(path: string): string {
  const parts = path.split("/");
  return parts.length > 2 ? parts.slice(0, 2).join("/") : path;
}
