// Tools that work on this computer: commands of this program, on files below the server's folder.
import { isAbsolute, relative } from "node:path";
import { z } from "zod";
import { SPEAKING_FACE_URI } from "../../../mcp/speaking-face-page.ts";
import { READS, type Tool, tool } from "../../../mcp/tool.ts";
import { ToolError } from "../../../mcp/tool-error.ts";
import { SPEAKING_FACE, SPOKEN_TEXT } from "../../../mcp/tools/speaking-face-tools.ts";
import type { Environment } from "../../terminal/environment.ts";
import type { LocalFaces } from "./local-faces.ts";
import type { RootedFiles } from "./rooted-files.ts";
import { runCommand } from "./run-command.ts";

const PATH = z.string().min(1).max(1_024);
/** As the service makes codes, and names of samples. */
const NAME = z.string().regex(/^[A-Za-z0-9][A-Za-z0-9_-]{0,63}$/, "A code or name has letters, digits, - and _.");
const WRITES = { readOnlyHint: false, destructiveHint: false, idempotentHint: false, openWorldHint: false };
const FRAMES_PER_HOUR = 90_000;
const VOICE = z.string().regex(/^[A-Za-z0-9][\w:.-]{0,59}$/, "This is no voice.");
const LANGUAGE = z.string().regex(/^[a-zA-Z-]{2,20}$/);

export interface LocalToolOptions {
  files: RootedFiles;
  environment: Environment;
  faces: LocalFaces;
}

export function localTools({ files, environment, faces }: LocalToolOptions): Tool[] {
  const host = { cwd: files.root, environment };
  const run = (words: readonly string[], signal: AbortSignal) => runCommand(words, host, signal);
  /** An avatar as commands take it: a file below the folder, or a name of the service. */
  const avatarOf = async (avatar: string): Promise<string> => {
    try {
      // Always looked for, because commands prefer a file, too, and follow links.
      return await files.find(avatar);
    } catch (error) {
      const isMissing = error instanceof ToolError && error.code === "NOT_FOUND";
      if (isMissing && NAME.safeParse(avatar).success) return avatar;
      throw error;
    }
  };

  return [
    tool({
      name: "version",
      title: "Version of this program",
      description: "Returns the version of the avatar command on this computer.",
      input: z.object({}),
      output: z.looseObject({ version: z.string() }),
      annotations: READS,
      run: async (_, { signal }) => ({ data: await run(["version"], signal) }),
    }),
    tool({
      name: "doctor",
      title: "Check this computer",
      description: "Checks whether this computer can render avatars and reach the service.",
      input: z.object({}),
      output: z.looseObject({ ready: z.boolean(), checks: z.array(z.looseObject({})) }),
      annotations: READS,
      run: async (_, { signal }) => ({ data: await runCommand(["doctor"], { ...host, isReport: true }, signal) }),
    }),
    tool({
      name: "inspect_model",
      title: "Look into an avatar file",
      description: "Checks an .imx file below the folder of this server, and returns what it holds.",
      input: z.object({ path: PATH }),
      output: z.looseObject({ bytes: z.number(), format_version: z.number(), members: z.array(z.looseObject({})) }),
      annotations: READS,
      run: async ({ path }, { signal }) => ({
        data: { ...(await run(["inspect", await files.find(path)], signal)), file: path },
      }),
    }),
    tool({
      name: "list_showcase",
      title: "List the sample avatars",
      description: "Lists the sample avatars, which need no account: pull and render take their slugs.",
      input: z.object({}),
      output: z.looseObject({ models: z.array(z.looseObject({ slug: z.string(), name: z.string() })) }),
      annotations: READS,
      async run(_, { client, signal }) {
        const { items } = await client.samples.list({ signal });
        return { data: { models: items } };
      },
    }),
    tool({
      name: "pull",
      title: "Fetch an avatar file",
      description:
        "Fetches the file of a sample or of an agent into this computer's store, from which render takes it.",
      input: z.object({
        avatar: NAME,
        model: z
          .string()
          .regex(/^[a-z0-9-]{1,60}$/)
          .optional(),
      }),
      output: z.looseObject({ code: z.string(), path: z.string() }),
      annotations: { ...WRITES, idempotentHint: true },
      run: async ({ avatar, model }, { signal }) => ({
        data: await run(["pull", avatar, ...(model ? ["--model", model] : [])], signal),
      }),
    }),
    tool({
      name: "show_face_speaking",
      title: "Let a face speak in the conversation",
      description:
        "Shows the person a face that speaks a text, inside the conversation, where the client shows MCP Apps; others get its picture. All is made on this computer, without credits. The avatar is a picture or .imx file below the folder of this server, the slug of a sample, or the code of an agent.",
      input: z.object({
        avatar: PATH,
        text: SPOKEN_TEXT,
        voice: VOICE.default("M1"),
        language: LANGUAGE.optional(),
      }),
      output: SPEAKING_FACE,
      annotations: READS,
      app: SPEAKING_FACE_URI,
      async run({ avatar, text, voice, language }, { signal, report }) {
        report(0.01, "making speech");
        const found = await avatarOf(avatar);
        const order = { avatar: found, isFile: isAbsolute(found), text, voice, language };
        const { id, name, poster } = await faces.make(order, signal);
        return {
          data: {
            agent_id: id,
            name,
            text,
            model: "",
            voice,
            language: language ?? "",
            film_credits: 0,
            is_local: true,
          },
          media: [{ type: "image", bytes: poster, mimeType: "image/jpeg" }],
        };
      },
    }),
    tool({
      name: "render",
      title: "Film an avatar on this computer",
      description:
        "Writes an MP4 of an avatar that speaks a text or an audio file, without credits. The avatar is a picture or .imx file below the folder of this server, the slug of a sample, or the code of an agent.",
      input: z.object({
        avatar: PATH,
        text: z.string().min(1).max(5_000).refine(isArgument, "No text holds the character NUL.").optional(),
        audio_path: PATH.optional().describe("WAV, or what FFmpeg reads, in place of a text"),
        output_path: PATH.describe("New .mp4 file"),
        voice: z
          .string()
          .regex(/^[\w-]{1,60}$/)
          .optional(),
        language: LANGUAGE.optional(),
        limit_frames: z.number().int().min(1).max(FRAMES_PER_HOUR).optional().describe("25 are a second"),
      }),
      output: z.looseObject({ output: z.string(), bytes: z.number(), seconds: z.number(), frames: z.number() }),
      annotations: WRITES,
      async run({ avatar, text, audio_path, output_path, voice, language, limit_frames }, { signal, report }) {
        if ((text === undefined) === (audio_path === undefined)) {
          throw new ToolError("MISSING_PARAM", "Name either a text or an audio_path.");
        }
        const output = await files.findNew(output_path);
        const speech = audio_path === undefined ? [`--text=${text}`] : [await files.find(audio_path)];
        report(0.01, "filming");
        const film = await run(
          [
            "render",
            await avatarOf(avatar),
            ...speech,
            `--output=${output}`,
            ...(voice ? [`--voice=${voice}`] : []),
            ...(language ? [`--language=${language}`] : []),
            ...(limit_frames ? [`--limit=${limit_frames}`] : []),
          ],
          signal,
        );
        return { data: { ...film, output: relative(files.root, output) } };
      },
    }),
  ];
}

/** Whether a program can be given it. */
function isArgument(text: string): boolean {
  return !text.includes("\0");
}
