// Tools that show an agent's face speaking inside the conversation: one for assistants, one for the page of hosts.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { z } from "zod";
import { ApiError } from "../../sdk/client/index.ts";
import { SPEAKING_FACE_URI } from "../speaking-face-page.ts";
import { READS, type Tool, type ToolContext, tool } from "../tool.ts";
import { ToolError } from "../tool-error.ts";
import { readBounded } from "./read-bounded.ts";
import { AGENT_ID } from "./shapes.ts";

/** Some 40 seconds of speech: an answer in a conversation. */
const TEXT_LIMIT_CHARACTERS = 600;
const POSTER_LIMIT_BYTES = 3_000_000;
/** Most bytes of each part. */
const PART_LIMITS_BYTES = { face: 8_000_000, "lip-sync": 4_000_000, speech: 5_000_000, film: 16_000_000 } as const;
const PARTS = Object.keys(PART_LIMITS_BYTES) as [PartName, ...PartName[]];
/** Bytes of one piece. A multiple of three, so that the base64 of pieces joins; as text it has 0.8 MB, because
 *  a host may limit what a message holds. */
export const PIECE_BYTES = 600_000;

export type PartName = keyof typeof PART_LIMITS_BYTES;

/** How ids of faces begin that were made on this computer. */
export const LOCAL_PREFIX = "local-";

export interface WholePart {
  bytes: Uint8Array;
  mimeType: string;
}

/** Reads a part, other than lip sync, of a face that was made on this computer. Throws ToolError. */
export type LocalPart = (id: string, part: PartName, signal: AbortSignal) => Promise<WholePart>;

export const SPOKEN_TEXT = z.string().trim().min(1).max(TEXT_LIMIT_CHARACTERS);
const VOICE = z.string().max(200);

export interface SpeakingFaceToolsOptions {
  /** Folder of the lip-sync network, with a slash at the end. */
  lipSyncFolder(): Promise<URL>;
  /** Default: no face is made on this computer. */
  localPart?: LocalPart;
}

export function speakingFaceTools(options: SpeakingFaceToolsOptions): Tool[] {
  return [SHOW, getFacePart(options)];
}

/** What the page reads. */
export const SPEAKING_FACE = z.looseObject({
  agent_id: z.string(),
  name: z.string(),
  text: z.string(),
  model: z.string(),
  voice: z.string(),
  language: z.string(),
  film_credits: z.number().nullable().describe("Price of a film of it; null if none can be made"),
});

const SHOW = tool({
  name: "show_agent_speaking",
  title: "Let an agent speak in the conversation",
  description:
    "Shows the person an agent's face that speaks a text, inside the conversation, where the client shows MCP Apps; others get a picture of the face. It costs no credits, unless the person orders a film where the face cannot be rendered. Use create_video for a file.",
  input: z.object({
    agent_id: AGENT_ID,
    text: SPOKEN_TEXT.describe("What it says, at most 600 characters"),
    voice: VOICE.min(1).optional().describe("Another voice of list_voices than the agent's own"),
  }),
  output: SPEAKING_FACE,
  annotations: READS,
  app: SPEAKING_FACE_URI,
  async run({ agent_id, text, voice }, context) {
    const { client, signal } = context;
    const [agent, prices] = await Promise.all([
      client.agents.get(agent_id, { signal }),
      client.pricing.get({ signal }).catch(() => null),
    ]);
    const { name, model, language, poster_url: url } = agent;
    if (!url) throw new ToolError("AGENT_NOT_READY", "The agent has no face yet.", "Ask get_agent_status.");
    const poster = await client.files.download(url, { signal });
    const bytes = await readBounded(poster, POSTER_LIMIT_BYTES, "The picture");
    const mimeType = poster.headers.get("content-type")?.split(";")[0] ?? "image/jpeg";
    // A text of this length is shorter than a minute.
    const film_credits = prices?.talking_video.rates[model] ?? null;
    return {
      data: { agent_id, name, text, model, voice: voice ?? agent.voice_id, language, film_credits },
      media: [{ type: "image", bytes, mimeType }],
    };
  },
});

const getFacePart = ({ lipSyncFolder, localPart }: SpeakingFaceToolsOptions): Tool =>
  tool({
    name: "get_face_part",
    title: "Get a part of a speaking face",
    description:
      "For the page of show_agent_speaking alone, which may load nothing itself: a piece of the face's file, its lip sync, the speech, or a film.",
    input: z.object({
      agent_id: AGENT_ID,
      part: z.enum(PARTS),
      offset: z.number().int().min(0).max(PART_LIMITS_BYTES.film).default(0).describe("Bytes to skip"),
      model: z.string().max(60).optional().describe("Of the face"),
      text: SPOKEN_TEXT.optional().describe("Of the speech"),
      voice: VOICE.optional(),
      language: z.string().max(20).optional(),
      job_id: z.string().min(1).max(100).optional().describe("Of the film"),
    }),
    output: z.looseObject({
      part: z.string(),
      offset: z.number().int(),
      bytes: z.number().int().describe("Of this piece"),
      total_bytes: z.number().int(),
      sha256: z.string().describe("Of the whole"),
    }),
    annotations: READS,
    visibility: ["app"],
    async run({ part, offset, ...about }, context) {
      const { agent_id: id } = about;
      const isLocal = localPart !== undefined && id.startsWith(LOCAL_PREFIX);
      const { bytes: whole, mimeType } =
        isLocal && part !== "lip-sync"
          ? await localPart(id, part, context.signal)
          : await readPart(part, { ...about, lipSyncFolder }, context);
      if (whole.byteLength > PART_LIMITS_BYTES[part]) throw tooLarge(part);
      if (offset >= whole.byteLength)
        throw new ToolError("VALIDATION_ERROR", `The part has ${whole.byteLength} bytes.`);
      // The service makes the speech anew for each call, so it comes whole.
      const isMadeAnew = part === "speech" && !isLocal;
      const bytes = whole.subarray(offset, isMadeAnew ? undefined : offset + PIECE_BYTES);
      return {
        data: {
          part,
          offset,
          bytes: bytes.byteLength,
          total_bytes: whole.byteLength,
          sha256: createHash("sha256").update(whole).digest("hex"),
        },
        media: [{ type: "file", bytes, mimeType }],
      };
    },
  });

interface PartOrder extends SpeakingFaceToolsOptions {
  agent_id: string;
  model?: string;
  text?: string;
  voice?: string;
  language?: string;
  job_id?: string;
}

function tooLarge(part: PartName): ToolError {
  return new ToolError("RESULT_TOO_LARGE", `The ${part} is too large to be shown.`);
}

async function readPart(part: PartName, order: PartOrder, { client, signal }: ToolContext): Promise<WholePart> {
  const limitBytes = PART_LIMITS_BYTES[part];
  const { agent_id, model, job_id } = order;
  if (part === "face") {
    const answer = await client.models.download(agent_id, { model, waitMs: 0 }, { signal });
    return { bytes: await readBounded(answer, limitBytes, "The face"), mimeType: "application/octet-stream" };
  }
  if (part === "lip-sync") {
    const file = new URL("lip-sync.8bit.bin", await order.lipSyncFolder());
    return { bytes: await readFile(file, { signal }), mimeType: "application/octet-stream" };
  }
  if (part === "speech") return readSpeech(order, client, signal);
  if (job_id === undefined) throw new ToolError("MISSING_PARAM", "Name the job_id of the film.");
  const { video_url: url } = await client.videos.get(job_id, { signal });
  if (!url) throw new ToolError("NOT_READY", "The film is not there yet.", "Ask get_video.");
  const answer = await client.files.download(url, { signal });
  return { bytes: await readBounded(answer, limitBytes, "The film"), mimeType: "video/mp4" };
}

/** As MP3, or as WAV by a service without a media program, which is nine times as large. */
async function readSpeech(order: PartOrder, client: ToolContext["client"], signal: AbortSignal): Promise<WholePart> {
  const { text, voice, language } = order;
  if (text === undefined) throw new ToolError("MISSING_PARAM", "Name the text of the speech.");
  const speak = async (format: "mp3" | "wav") => {
    const body = {
      input: text,
      response_format: format,
      ...(voice && { voice }),
      ...(language && { language }),
    };
    const answer = await client.speech.create(body, { signal });
    const bytes = await readBounded(answer, PART_LIMITS_BYTES.speech, "The speech");
    return { bytes, mimeType: format === "mp3" ? "audio/mpeg" : "audio/wav" };
  };
  try {
    return await speak("mp3");
  } catch (error) {
    if (error instanceof ApiError && error.code === "SERVICE_UNAVAILABLE") return speak("wav");
    throw error;
  }
}
