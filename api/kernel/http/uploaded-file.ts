// A file of a multipart form, written to disk. It lives until the request is answered.
import { readFile } from "node:fs/promises";
import { z } from "zod";

export interface UploadedFileOptions {
  path: string;
  fileName: string;
  mimeType: string;
}

export class UploadedFile {
  readonly path: string;
  /** As the caller named it: for display only, never a path of ours. */
  readonly fileName: string;
  /** As the caller claims; the bytes decide. */
  readonly mimeType: string;
  sizeBytes = 0;

  constructor(options: UploadedFileOptions) {
    this.path = options.path;
    this.fileName = options.fileName;
    this.mimeType = options.mimeType;
  }

  /** The whole content. */
  read(): Promise<Buffer> {
    return readFile(this.path);
  }
}

/** Schema of a file field; the document shows it as binary. */
export const uploadedFileSchema = z
  .instanceof(UploadedFile, { error: "must be a part of the form with a file name" })
  .meta({ override: { type: "string", format: "binary" } });
