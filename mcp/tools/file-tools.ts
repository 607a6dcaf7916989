// Tools for uploads.
import { z } from "zod";
import { ADDS, READS, type Tool, tool } from "../tool.ts";
import { type FileArguments, fileFields, fileOf } from "./file-arguments.ts";
import { answerOf } from "./lists.ts";
import { limitOf, OFFSET, pageOf } from "./shapes.ts";

const UPLOAD_LIMIT_BYTES = 100 * 1024 * 1024;

const FILE = z.looseObject({ id: z.string(), file_url: z.string(), file_size: z.number(), mime_type: z.string() });

/** The tools. `hasPaths`: whether the assistant works beside the person's files. */
export function fileTools(hasPaths: boolean): Tool[] {
  return [
    tool({
      name: "upload_file",
      title: "Upload a file",
      description: "Stores a file (picture, sound, film, document) with the service, and returns its address.",
      input: z.object(fileFields(hasPaths)),
      output: FILE,
      annotations: { ...ADDS, openWorldHint: true },
      async run(args, context) {
        const { client, signal } = context;
        const given = await fileOf(args as FileArguments, context, UPLOAD_LIMIT_BYTES);
        const body = "url" in given ? { file_url: given.url } : { file: given.file };
        return { data: await client.files.upload({ ...body, file_name: args.file_name }, { signal }) };
      },
    }),
    tool({
      name: "list_files",
      title: "List the uploads",
      description: "Lists the account's uploads, newest first.",
      input: z.object({ limit: limitOf(200, 50), offset: OFFSET }),
      output: pageOf("files", FILE),
      annotations: READS,
      run: async (query, { client, signal }) => answerOf("files", await client.files.list(query, { signal })),
    }),
  ];
}
