// The layout of an `.imx`: a header, a table of members as JSON, then the members back to back, with no byte between
// or after them.
//
//   offset  bytes  what
//   0       4      "IMX" and a zero byte
//   4       2      format version, little-endian
//   6       2      flags, zero
//   8       4      length of the table, little-endian
//   12      32     SHA-256 of the table
//   44             the table, then the members
import * as z from "zod/mini";
import { EngineError } from "../../../shared/engine-error.ts";
import { sha256Hex } from "./sha256.ts";

/** Version 5 has rigs that take more parameters, for expressions, and stores rig and gestures compressed. */
export const IMX_FORMAT_VERSION = 5;
/** The version of a file with a rig of earlier versions: programs of then can read it. */
export const EARLIER_IMX_FORMAT_VERSION = 4;
/** Version 3 stored its canvas as RGB; nothing else differs. */
const OLDEST_READ_VERSION = 3;
export const IMX_HEADER_BYTES = 44;
/** Limits for the whole file, a member and the table. Our baked files have 0.4 to 1 MB. */
const MAX_IMX_BYTES = 64 * 2 ** 20;
export const MAX_MEMBER_BYTES = 32 * 2 ** 20;
const MAX_TABLE_BYTES = 2 ** 20;
const MAX_MEMBERS = 64;

const MAGIC = [0x49, 0x4d, 0x58, 0x00];

const tableSchema = z
  .array(
    z.object({
      /** At most one folder, and no characters with which a path could leave it. */
      name: z.string().check(z.regex(/^(?:[a-z0-9][a-z0-9._-]{0,47}\/)?[a-z0-9][a-z0-9._-]{0,47}$/)),
      /** Offset from the start of the file. */
      offset: z.int().check(z.minimum(0)),
      size: z.int().check(z.minimum(0)),
      /** SHA-256 of the member's bytes, lower-case hexadecimal. */
      sha256: z.string().check(z.regex(/^[0-9a-f]{64}$/)),
    }),
  )
  .check(z.minLength(1), z.maxLength(MAX_MEMBERS));

export type ImxMember = z.output<typeof tableSchema>[number];

export interface ImxHeader {
  formatVersion: number;
  tableBytes: number;
  tableSha256: string;
}

/** Creates the error for an invalid `.imx`. */
export function imxError(what: string, cause?: unknown): EngineError {
  return new EngineError("bundle-invalid", `The .imx cannot be used: ${what}.`, { cause });
}

/** Parses the header from the first bytes of a file of `fileBytes` bytes. Throws EngineError(bundle-invalid); the
 *  message for an unsupported version names that version. */
export function parseHeader(start: Uint8Array, fileBytes: number): ImxHeader {
  if (!MAGIC.every((byte, i) => start[i] === byte)) throw imxError("it does not begin with the signature of an .imx");
  if (start.length < 6) throw imxError("it is cut off in the header");
  const view = new DataView(start.buffer, start.byteOffset, start.byteLength);
  const version = view.getUint16(4, true);
  if (version < OLDEST_READ_VERSION || version > IMX_FORMAT_VERSION) throw imxError(describeVersion(version));
  if (start.length < IMX_HEADER_BYTES) throw imxError("it is cut off in the header");
  if (fileBytes > MAX_IMX_BYTES) throw imxError(`it has ${fileBytes} bytes; the limit is ${MAX_IMX_BYTES}`);
  if (view.getUint16(6, true) !== 0) throw imxError("it sets flags that this version does not support");
  const tableBytes = view.getUint32(8, true);
  if (tableBytes > MAX_TABLE_BYTES)
    throw imxError(`its table declares ${tableBytes} bytes; the limit is ${MAX_TABLE_BYTES}`);
  if (IMX_HEADER_BYTES + tableBytes > fileBytes) throw imxError("it is cut off in the table");
  return { formatVersion: version, tableBytes, tableSha256: hex(start.subarray(12, IMX_HEADER_BYTES)) };
}

/** Parses and checks the table: hash, names, and that the members are contiguous up to the end of the file. Throws
 *  EngineError(bundle-invalid). */
export async function parseTable(table: Uint8Array, header: ImxHeader, fileBytes: number): Promise<ImxMember[]> {
  if ((await sha256Hex(table)) !== header.tableSha256) throw imxError("its table is damaged (SHA-256 differs)");
  let json: unknown;
  try {
    json = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(table));
  } catch (cause) {
    throw imxError("its table is not valid JSON", cause);
  }
  const parsed = tableSchema.safeParse(json);
  if (!parsed.success) {
    const [issue] = parsed.error.issues;
    throw imxError(`its table is invalid at ${issue.path.join(".") || "the top"}: ${issue.message}`);
  }
  const members = parsed.data;
  let position = IMX_HEADER_BYTES + table.length;
  for (const { name, offset, size } of members) {
    if (members.filter((other) => other.name === name).length > 1) throw imxError(`member ${name} occurs twice`);
    if (size > MAX_MEMBER_BYTES)
      throw imxError(`member ${name} declares ${size} bytes; the limit is ${MAX_MEMBER_BYTES}`);
    if (offset !== position) throw imxError(`member ${name} does not begin at the end of the previous member`);
    position += size;
  }
  if (position !== fileBytes)
    throw imxError(`its members end at byte ${position}, but the file ends at byte ${fileBytes}`);
  return members;
}

/** Returns header and table of a file with its members in this order. */
export async function encodeTable(
  members: readonly { name: string; bytes: Uint8Array }[],
  formatVersion = IMX_FORMAT_VERSION,
): Promise<Uint8Array> {
  const entries = await Promise.all(
    members.map(async ({ name, bytes }) => ({ name, size: bytes.length, sha256: await sha256Hex(bytes) })),
  );
  // The offsets are part of the table, and depend on its length. After a few rounds, their number of digits is
  // stable.
  let table = new Uint8Array(0);
  for (let length = -1; length !== table.length; ) {
    length = table.length;
    let offset = IMX_HEADER_BYTES + length;
    const rows = entries.map(({ name, size, sha256 }) => {
      const row = { name, offset, size, sha256 };
      offset += size;
      return row;
    });
    table = new TextEncoder().encode(`${JSON.stringify(rows, null, 1)}\n`);
  }
  const encoded = new Uint8Array(IMX_HEADER_BYTES + table.length);
  const view = new DataView(encoded.buffer);
  encoded.set(MAGIC);
  view.setUint16(4, formatVersion, true);
  view.setUint32(8, table.length, true);
  encoded.set(
    Uint8Array.from((await sha256Hex(table)).match(/../g) ?? [], (pair) => Number.parseInt(pair, 16)),
    12,
  );
  encoded.set(table, IMX_HEADER_BYTES);
  return encoded;
}

function describeVersion(version: number): string {
  if (version === 1) return "it has format version 1, which is no longer read. Generate the model again";
  if (version < OLDEST_READ_VERSION)
    return `it has format version ${version}, made for another engine. Generate the model again`;
  return `it has format version ${version}, newer than this version reads (${IMX_FORMAT_VERSION}). Update the service or the package`;
}

function hex(bytes: Uint8Array): string {
  return Array.from(bytes, (byte) => byte.toString(16).padStart(2, "0")).join("");
}
