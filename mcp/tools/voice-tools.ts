// Tools about voices, and text that is spoken as a file.
import { z } from "zod";
import { READS, type Tool, type ToolContext, tool } from "../tool.ts";
import { ToolError } from "../tool-error.ts";
import { PATH } from "./shapes.ts";

/** Sound within an answer; the rest of a conversation has to fit beside it. */
const INLINE_LIMIT_BYTES = 4_000_000;

/** The tools. `hasPaths`: whether the assistant works beside the person's files. */
export function voiceTools(hasPaths: boolean): Tool[] {
  return [LIST, textToSpeech(hasPaths)];
}

const LIST = tool({
  name: "list_voices",
  title: "List the voices",
  description: "Lists the voices that agents and text_to_speech can have, with their languages.",
  input: z.object({}),
  output: z.looseObject({
    voices: z.array(z.looseObject({ id: z.string(), name: z.string(), languages: z.array(z.string()) })),
  }),
  annotations: READS,
  async run(_, { client, signal }) {
    const { items } = await client.voices.list({ signal });
    return { data: { voices: items } };
  },
});

const textToSpeech = (hasPaths: boolean): Tool =>
  tool({
    name: "text_to_speech",
    title: "Speak a text",
    description: `Speaks a text as WAV; it costs no credits. Up to a minute of sound is returned itself${hasPaths ? ", or written to output_path" : ""}.`,
    input: z.object({
      text: z.string().min(1).max(5_000),
      voice: z.string().min(1).max(200).optional().describe("A voice of list_voices"),
      language: z.string().max(20).optional().describe("As en; default: found from the text"),
      speed: z.number().min(0.7).max(2).optional(),
      ...(hasPaths && { output_path: PATH.optional().describe("New .wav file below the folder of this server") }),
    }),
    output: z.looseObject({ bytes: z.number().int(), mime_type: z.string(), path: z.string().optional() }),
    annotations: hasPaths ? { ...READS, readOnlyHint: false } : READS,
    async run(args, context) {
      const { output_path: path, ...body } = args as typeof args & { output_path?: string };
      const answer = await context.client.speech.synthesize({ ...body, format: "wav" }, { signal: context.signal });
      const bytes = new Uint8Array(await answer.arrayBuffer());
      return path === undefined ? inline(bytes, hasPaths) : written(bytes, path, context);
    },
  });

function inline(bytes: Uint8Array, hasPaths: boolean) {
  if (bytes.byteLength > INLINE_LIMIT_BYTES) {
    const way = hasPaths ? "Name an output_path, or speak a shorter text." : "Speak a shorter text.";
    throw new ToolError("RESULT_TOO_LARGE", `The sound has ${(bytes.byteLength / 1e6).toFixed(1)} MB.`, way);
  }
  const mimeType = "audio/wav";
  return {
    data: { bytes: bytes.byteLength, mime_type: mimeType },
    media: [{ type: "audio" as const, bytes, mimeType }],
  };
}

async function written(bytes: Uint8Array, path: string, { files }: ToolContext) {
  if (!files) throw new ToolError("VALIDATION_ERROR", "This server writes no files of yours.");
  return { data: { bytes: bytes.byteLength, mime_type: "audio/wav", path: await files.write(path, bytes) } };
}
