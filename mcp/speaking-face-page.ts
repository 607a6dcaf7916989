// The page by which hosts show a speaking face inside the conversation, as a resource of the protocol (MCP Apps).
import { readFile } from "node:fs/promises";
import type { ReadResourceResult, Resource } from "@modelcontextprotocol/server";
import { ToolError } from "./tool-error.ts";

export const SPEAKING_FACE_URI = "ui://open-avatar-service/speaking-face.html";
/** Source: the specification of MCP Apps. */
const APP_MIME_TYPE = "text/html;profile=mcp-app";

/** Made by web/build-speaking-face.ts. */
const FILE = new URL("./dist/speaking-face.html", import.meta.url);
/** Nothing foreign: hosts then apply the strictest policy. */
const UI = { csp: { connectDomains: [], resourceDomains: [], frameDomains: [], baseUriDomains: [] } };
const META = { ui: { ...UI, prefersBorder: true } };

export const SPEAKING_FACE_RESOURCE: Resource = {
  uri: SPEAKING_FACE_URI,
  name: "speaking-face",
  title: "A speaking face",
  description: "Shows an agent's face that speaks, inside the conversation.",
  mimeType: APP_MIME_TYPE,
  _meta: META,
};

let page: Promise<string> | undefined;

/** The page. Throws ToolError where it was not built. */
export async function readSpeakingFacePage(): Promise<ReadResourceResult> {
  page ??= readFile(FILE, "utf8");
  try {
    return { contents: [{ uri: SPEAKING_FACE_URI, mimeType: APP_MIME_TYPE, text: await page, _meta: META }] };
  } catch (cause) {
    page = undefined;
    if ((cause as NodeJS.ErrnoException).code !== "ENOENT") throw cause;
    throw new ToolError("SERVICE_UNAVAILABLE", "The page of this program is not built: npm start builds it.");
  }
}
