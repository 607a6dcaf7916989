// What a call of a tool returns, as the protocol has it.
import type { CallToolResult } from "@modelcontextprotocol/server";
import type { Media, ToolAnswer } from "./tool.ts";
import type { ToolErrorObject } from "./tool-error.ts";

/** The object as structured content and, for clients that know none, as text; pictures and sound before it. */
export function toResult({ data, media = [] }: ToolAnswer, secrets: readonly string[]): CallToolResult {
  const text = withoutSecrets(JSON.stringify(data), secrets);
  return {
    content: [...media.map(toBlock), { type: "text", text }],
    structuredContent: JSON.parse(text),
  };
}

function toBlock({ type, bytes, mimeType }: Media): CallToolResult["content"][number] {
  const base64 = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  if (type === "file") return { type: "resource", resource: { uri: "part:///", mimeType, blob: base64 } };
  return { type, data: base64, mimeType };
}

/** An error has no structured content: that would have to follow the tool's output schema. */
export function toErrorResult(error: ToolErrorObject, secrets: readonly string[] = []): CallToolResult {
  return { isError: true, content: [{ type: "text", text: withoutSecrets(JSON.stringify({ error }), secrets) }] };
}

/** Neither the service nor a tool returns the secret of the caller; this holds if one ever would. */
function withoutSecrets(text: string, secrets: readonly string[]): string {
  return secrets.reduce((rest, secret) => rest.replaceAll(secret, "[secret]"), text);
}
