// A file of a request, on disk. It is removed when the request has been answered.
import { readFile } from "node:fs/promises";
import { z } from "zod";

export interface UploadedFileOptions {
  path: string;
  fileName: string;
  mimeType: string;
}

export class UploadedFile {
  readonly path: string;
  /** Name given by the caller: for display only, never used as a path. */
  readonly fileName: string;
  /** Type claimed by the caller; the content decides. */
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
