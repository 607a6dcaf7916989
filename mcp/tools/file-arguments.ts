// Files that an assistant hands over: by address, in base64, or by path where it works beside the files.
import { z } from "zod";
import type { FileSource } from "../../sdk/client/index.ts";
import type { ToolContext } from "../tool.ts";
import { ToolError } from "../tool-error.ts";
import { BASE64, PATH, WEB_ADDRESS } from "./shapes.ts";

export interface FileArguments {
  url?: string;
  base64?: string;
  path?: string;
  file_name?: string;
}

/** Fields for one file. `hasPaths`: whether the assistant works beside the files. */
export function fileFields(hasPaths: boolean) {
  return {
    url: WEB_ADDRESS.optional().describe("Public address of the file"),
    base64: BASE64.optional().describe("The file itself, at most 4.5 MB"),
    file_name: z.string().min(1).max(255).optional().describe("Its name, for base64"),
    ...(hasPaths && { path: PATH.optional().describe("A file below the folder of this server") }),
  };
}

/** The file's address or content. Throws ToolError unless exactly one is given. */
export async function fileOf(
  { url, base64, path, file_name: name }: FileArguments,
  { files }: ToolContext,
  limitBytes: number,
): Promise<{ url: string } | { file: FileSource }> {
  const given = [url, base64, path].filter((value) => value !== undefined);
  if (given.length !== 1) {
    throw new ToolError(
      "MISSING_PARAM",
      `Name the file by one of ${files ? "path, url and base64" : "url and base64"}.`,
    );
  }
  if (url !== undefined) return { url };
  if (base64 !== undefined) return { file: { data: bytesOf(base64), name: name ?? "file" } };
  return { file: await readFile(path as string, files, limitBytes) };
}

/** Content of base64 text. */
export function bytesOf(base64: string): Uint8Array<ArrayBuffer> {
  return new Uint8Array(Buffer.from(base64.replace(/\s/g, ""), "base64"));
}

/** A file of the person's folder. Throws ToolError where there is none for this assistant. */
export async function readFile(path: string, files: ToolContext["files"], limitBytes: number): Promise<FileSource> {
  if (!files) throw new ToolError("VALIDATION_ERROR", "This server reads no files of yours. Send a url or base64.");
  return files.read(path, limitBytes);
}
