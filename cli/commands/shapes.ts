// What commands print with --json, by the name of the command. A test drives them all against this.
import { z } from "zod";
import { errorShape } from "../terminal/error-shape.ts";
import { accountShape, loginShape, logoutShape } from "./account/shapes.ts";
import { accountsShapes } from "./accounts/shapes.ts";
import {
  agentShape,
  agentsCreateShape,
  agentsDeleteShape,
  agentsListShape,
  agentsPromptShape,
  tokenShape,
} from "./agents/shapes.ts";
import { backupShape, restoreShape } from "./backup/shapes.ts";
import { renderShape } from "./bundle/render-shape.ts";
import { bakeShape, inspectShape } from "./bundle/shapes.ts";
import { doctorShape } from "./doctor/shapes.ts";
import { doctorGpuShape, doctorLlmShape } from "./doctor/subject-shapes.ts";
import { engineInstallShape, engineListShape } from "./engine/shapes.ts";
import { hearShape } from "./hear/shapes.ts";
import { mcpToolsShape } from "./mcp/shapes.ts";
import { listMineShape, listShape, pullShape } from "./models/shapes.ts";
import { completionShape, schemaShape, versionShape } from "./program/shapes.ts";
import { roomShape } from "./room/shapes.ts";
import { runShape } from "./run/run-shape.ts";
import { sessionsEndShape, sessionsListShape, sessionsShowShape, speakShape } from "./sessions/shapes.ts";
import { gallerySheetShape, gestureSheetShape, sheetShape } from "./sheet/shapes.ts";
import { startShape } from "./start/shapes.ts";
import { talkShape } from "./talk/shapes.ts";
import { voicesListShape, voicesPullShape, voicesRemoveShape, voicesSayShape } from "./voices/shapes.ts";
import { workerShape } from "./worker/shapes.ts";

/** Without `schema_version`, which every object has. */
export const SHAPES: Readonly<Record<string, z.ZodType>> = {
  render: renderShape,
  run: runShape,
  pull: pullShape,
  list: z.union([listShape, listMineShape]),
  "engine list": engineListShape,
  "engine install": engineInstallShape,
  bake: bakeShape,
  inspect: inspectShape,
  sheet: sheetShape,
  "gallery-sheet": gallerySheetShape,
  "gesture-sheet": gestureSheetShape,
  hear: hearShape,
  "voices list": voicesListShape,
  "voices pull": voicesPullShape,
  "voices remove": voicesRemoveShape,
  "voices say": voicesSayShape,
  doctor: z.union([doctorShape, doctorGpuShape, doctorLlmShape]),
  backup: backupShape,
  restore: restoreShape,
  room: roomShape,
  start: startShape,
  worker: workerShape,
  ...Object.fromEntries(Object.entries(accountsShapes).map(([name, shape]) => [`accounts ${name}`, shape])),
  login: loginShape,
  logout: logoutShape,
  account: accountShape,
  "agents list": agentsListShape,
  "agents show": agentShape,
  "agents create": agentsCreateShape,
  "agents prompt": agentsPromptShape,
  "agents delete": agentsDeleteShape,
  "sessions list": sessionsListShape,
  "sessions show": sessionsShowShape,
  "sessions end": sessionsEndShape,
  speak: speakShape,
  talk: talkShape,
  token: tokenShape,
  "mcp tools": mcpToolsShape,
  version: versionShape,
  completion: completionShape,
  __schema: schemaShape,
};

/** JSON Schema of what a failing command writes on standard error with --json. */
export function errorSchema(): JsonSchema {
  const { $schema: _, ...schema } = z.toJSONSchema(errorShape) as JsonSchema;
  return schema;
}

interface JsonSchema {
  [keyword: string]: unknown;
  properties?: Record<string, unknown>;
  required?: string[];
  anyOf?: JsonSchema[];
}

/** JSON Schema of what the command prints with --json; null if it has no shape. */
export function outputSchemaOf(name: string): JsonSchema | null {
  return Object.hasOwn(SHAPES, name) ? withVersion(z.toJSONSchema(SHAPES[name]) as JsonSchema) : null;
}

function withVersion({ $schema: _, ...schema }: JsonSchema): JsonSchema {
  if (schema.anyOf) return { ...schema, anyOf: schema.anyOf.map(withVersion) };
  return {
    ...schema,
    properties: { schema_version: { const: 1 }, ...schema.properties },
    required: ["schema_version", ...(schema.required ?? [])],
  };
}
