// Test files that need their own process. All others share two processes, so that the api's modules are loaded twice
// per run instead of a hundred times.

/** Folders and files, each with the reason. */
const APART: readonly { prefix: string; reason: string }[] = [
  { prefix: "test/e2e/", reason: "starts the service and a browser" },
  { prefix: "test/integration/", reason: "starts the service, kills processes" },
  { prefix: "test/lab/soak/hostile-input/", reason: "starts the service" },
  { prefix: "test/cli/", reason: "starts and kills processes, listens for signals" },
  { prefix: "test/agent-worker/room/", reason: "its pace must not suffer from what other files left behind" },
  { prefix: "test/room/playout/publish", reason: "as above" },
  { prefix: "test/room/sender/", reason: "as above" },
  { prefix: "test/sdk/livekit-agents/", reason: "as above" },
  { prefix: "test/room/participants/", reason: "as above" },
  { prefix: "test/api/agents/portraits/portrait-process", reason: "counts the children of its process" },
  { prefix: "test/src/face/imx/", reason: "measures the memory of its process" },
  { prefix: "test/src/signal/onnx/inspect-model", reason: "measures the memory of its process" },
  { prefix: "test/lab/bench/lip-sync/peers/install-peers", reason: "changes the environment of its process" },
];

export function needsOwnProcess(file: string): boolean {
  return APART.some(({ prefix }) => file.startsWith(prefix));
}
