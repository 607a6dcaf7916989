// Decodes base64 to a file as it arrives.
import { type FileHandle, open, rm } from "node:fs/promises";
import { ServiceError } from "../../shared/errors.ts";
import { BASE64_TEXT, DATA_URI_HEAD, isBase64Uri, isWholeBase64 } from "./base64-text.ts";

export interface Base64Writer {
  /** Writes the next piece, which may contain line breaks. The head of a data URI must lie in the first piece. Throws
   *  VALIDATION_ERROR. */
  write(text: string): Promise<void>;
  /** Ends the file. Returns its size in bytes. Throws VALIDATION_ERROR if the text was cut short; call `abort` then. */
  close(): Promise<number>;
  /** Closes and removes the file, unless it was closed. */
  abort(): Promise<void>;
}

/** Writes to a new file at `path`. */
export async function createBase64Writer(path: string): Promise<Base64Writer> {
  const file: FileHandle = await open(path, "wx", 0o600);
  /** Reused for every piece, because 100 MB of buffers would burden the garbage collector. */
  let scratch: Buffer = Buffer.alloc(0);
  let isFirst = true;
  let sizeBytes = 0;
  /** Up to three digits of an incomplete group of four. */
  let carry = "";
  let digitCount = 0;
  let paddingCount = 0;

  async function decode(digits: string): Promise<void> {
    const neededBytes = Math.ceil(digits.length * 0.75);
    if (scratch.length < neededBytes) scratch = Buffer.allocUnsafe(neededBytes);
    const bytes = scratch.write(digits, "base64");
    sizeBytes += bytes;
    if (bytes > 0) await file.write(scratch, 0, bytes);
  }

  return {
    async write(text) {
      const base64 = (isFirst ? withoutHead(text) : text).replace(/\s+/g, "");
      isFirst = false;
      const [, digits, padding] = BASE64_TEXT.exec(base64) ?? [];
      // Nothing may follow padding.
      if (digits === undefined || (paddingCount > 0 && digits !== "")) throw notBase64();
      digitCount += digits.length;
      paddingCount += padding.length;
      const whole = carry + digits;
      const decodable = whole.length - (whole.length % 4);
      carry = whole.slice(decodable);
      await decode(whole.slice(0, decodable));
    },
    async close() {
      if (!isWholeBase64(digitCount, paddingCount)) throw notBase64();
      await decode(carry);
      await file.close();
      return sizeBytes;
    },
    async abort() {
      await file.close();
      await rm(path, { force: true });
    },
  };
}

/** The base64 after the head of a data URI. A text with any other head is returned unchanged and fails as base64. */
function withoutHead(text: string): string {
  const head = DATA_URI_HEAD.exec(text);
  return head && isBase64Uri(head[2]) ? text.slice(head[0].length) : text;
}

function notBase64(): ServiceError {
  return new ServiceError("VALIDATION_ERROR", "The file in the body is not valid base64");
}
