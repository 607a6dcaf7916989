// The floors of the project: which folder may import which.

/** What each top folder may import of ours, besides itself. */
export const TOP_FOLDERS: Readonly<Record<string, readonly string[]>> = Object.freeze({
  shared: [],
  program: ["shared"],
  src: ["program", "shared"],
  api: ["mcp", "src", "program", "shared"],
  room: ["src", "program", "shared"],
  "agent-worker": ["room", "src", "program", "shared"],
  relay: ["src", "program", "shared"],
  sdk: ["room", "src", "program", "shared"],
  mcp: ["sdk", "shared"],
  web: ["sdk", "src", "program", "shared"],
  cli: ["web", "mcp", "sdk", "relay", "agent-worker", "room", "api", "src", "program", "shared"],
  // Soaks use the helpers of the tests.
  lab: ["test", "cli", "web", "mcp", "sdk", "relay", "agent-worker", "room", "api", "src", "program", "shared"],
});

/** The floors inside two top folders, lowest first. A folder imports only folders of lower floors, never of its own
 *  floor. Files beside these folders put them together. */
export const FLOORS: Readonly<Record<string, readonly (readonly string[])[]>> = Object.freeze({
  src: [["signal"], ["speech"], ["face", "conversation"]],
  // `migrations` is the history of all nouns and imports only the kernel.
  api: [
    ["kernel"],
    ["migrations"],
    ["accounts"],
    ["organizations"],
    ["files", "providers"],
    ["agents"],
    ["samples", "videos", "dynamics", "speech"],
    ["sessions"],
    ["webhooks", "knowledge", "embed", "realtime", "changes", "operator", "assistants"],
    ["pages"],
  ],
});

/** Folders of `src/` that must not know where they are used, and what of ours they may import besides themselves. Of
 *  packages they may import Node's own modules. */
export const INDEPENDENT_PARTS: Readonly<Record<string, readonly string[]>> = Object.freeze({
  "src/conversation/llm": ["shared/engine-error.ts", "src/speech/languages", "src/speech/text"],
  "src/speech/echo": ["src/signal/math"],
  "src/conversation/answers": ["shared/runtime-api.ts", "src/conversation/llm", "src/speech/languages"],
  "src/conversation/turns": [
    "shared/expressions.ts",
    "shared/engine-error.ts",
    "shared/runtime-api.ts",
    "shared/units.ts",
    "program/state-machine.ts",
    "src/conversation/answers",
    "src/conversation/llm",
    "src/signal/audio/join-samples.ts",
    "src/speech/languages",
    "src/speech/recognition/transcription-client.ts",
  ],
});

/** The folder of a file as the diagram shows it: two levels (`api/accounts`); a file in a top folder is shown by its
 *  own name (`api/main.ts`). */
export function folderOf(path: string): string {
  const parts = path.split("/");
  return parts.length > 2 ? parts.slice(0, 2).join("/") : path;
}
