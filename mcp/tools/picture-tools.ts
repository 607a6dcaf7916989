// Tools that show an agent: at rest, and as it is in a live session.
import { z } from "zod";
import { READS, type Tool, type ToolAnswer, tool } from "../tool.ts";
import { ToolError } from "../tool-error.ts";
import { AGENT_ID } from "./shapes.ts";

/** Stills are JPEGs or PNGs of some 10 to 500 kB. */
const LIMIT_BYTES = 3_000_000;

const PICTURE = z.looseObject({ bytes: z.number().int(), mime_type: z.string() });

export const PICTURE_TOOLS: readonly Tool[] = [
  tool({
    name: "show_agent",
    title: "Look at an agent",
    description: "Returns a picture of an agent's face at rest.",
    input: z.object({ agent_id: AGENT_ID }),
    output: PICTURE.extend({ agent_id: z.string(), name: z.string() }),
    annotations: READS,
    async run({ agent_id }, { client, signal }) {
      const { name, poster_url: url } = await client.agents.get(agent_id, { signal });
      if (!url) throw new ToolError("AGENT_NOT_READY", "The agent has no picture yet.", "Ask get_agent_status.");
      return picture(await client.files.download(url, { signal }), { agent_id, name });
    },
  }),
  tool({
    name: "show_session",
    title: "Look at a live session",
    description: "Returns one frame of an agent's face in a live session, as it is now.",
    input: z.object({ session_id: z.string().min(1).max(100).describe("Id of list_sessions") }),
    output: PICTURE.extend({ session_id: z.string() }),
    annotations: { ...READS, idempotentHint: false },
    run: async ({ session_id }, { client, signal }) =>
      picture(await client.sessions.still(session_id, { signal }), { session_id }),
  }),
];

async function picture(response: Response, about: object): Promise<ToolAnswer> {
  const bytes = new Uint8Array(await response.arrayBuffer());
  if (bytes.byteLength > LIMIT_BYTES) throw new ToolError("RESULT_TOO_LARGE", "The picture is too large to be shown.");
  const mimeType = response.headers.get("content-type")?.split(";")[0] ?? "image/jpeg";
  return {
    data: { ...about, bytes: bytes.byteLength, mime_type: mimeType },
    media: [{ type: "image", bytes, mimeType }],
  };
}
