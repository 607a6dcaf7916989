// The tools of `avatar mcp`.
import { cloudTools } from "../../../mcp/cloud-tools.ts";
import type { Tool } from "../../../mcp/tool.ts";
import { requirePart } from "../../../program/parts/find-part.ts";
import { LocalFaces } from "./local-faces.ts";
import { type LocalToolOptions, localTools } from "./local-tools.ts";
import { runCommand } from "./run-command.ts";

/** All of them. `close` removes what they keep on the disk. */
export function assistantTools({ files, environment }: Omit<LocalToolOptions, "faces">): {
  tools: Tool[];
  close(): Promise<void>;
} {
  const faces = new LocalFaces((words, signal) => runCommand(words, { cwd: files.root, environment }, signal));
  const lipSyncFolder = () => requirePart("model-lip-sync");
  const cloud = cloudTools({ hasPaths: true, lipSyncFolder, localPart: faces.part });
  return { tools: [...cloud, ...localTools({ files, environment, faces })], close: () => faces.close() };
}
