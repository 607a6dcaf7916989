// Reads one member of an `.imx` that lies elsewhere, by ranges: of a file of 1 MB, a poster needs the first 100 KB.
import { IMX_HEADER_BYTES, imxError, parseHeader, parseTable } from "./member-table.ts";
import { sha256Hex } from "./sha256.ts";

/** Covers header, table, manifest and poster of almost every file. */
const FIRST_RANGE_BYTES = 192 * 1024;

/** Returns bytes [start, end) of the file. */
export type ReadRange = (start: number, end: number) => Promise<Uint8Array>;

/** Returns a member's bytes after verifying its hash. `fileBytes` is the size of the whole file. Throws
 *  EngineError(bundle-invalid) if the file or the member is damaged, or the member is missing. */
export async function readImxMember(name: string, fileBytes: number, read: ReadRange): Promise<Uint8Array> {
  const first = await read(0, Math.min(FIRST_RANGE_BYTES, fileBytes));
  const range = async (start: number, end: number) =>
    end <= first.length ? first.subarray(start, end) : read(start, end);
  const header = parseHeader(first.subarray(0, IMX_HEADER_BYTES), fileBytes);
  const table = await range(IMX_HEADER_BYTES, IMX_HEADER_BYTES + header.tableBytes);
  const member = (await parseTable(table, header, fileBytes)).find((entry) => entry.name === name);
  if (!member) throw imxError(`member ${name} is missing`);
  const bytes = await range(member.offset, member.offset + member.size);
  if ((await sha256Hex(bytes)) !== member.sha256) throw imxError(`member ${name} is damaged (SHA-256 differs)`);
  return bytes;
}
