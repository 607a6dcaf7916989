// Looks into an `.imx` on disk without reading all of it. Node only.
import { type FileHandle, open } from "node:fs/promises";
import { MEMBER } from "./imx.ts";
import { type ImxManifest, parseManifest } from "./manifest.ts";
import { IMX_HEADER_BYTES, type ImxMember, imxError, parseHeader, parseTable } from "./member-table.ts";
import { sha256Hex } from "./sha256.ts";

/** An open file: its manifest and table, and members when asked for. Close it. */
export interface ImxFile {
  readonly manifest: ImxManifest;
  readonly members: readonly ImxMember[];
  /** A member's bytes, hash checked. Throws ServiceError(VALIDATION_ERROR) if it is missing or damaged. A rig graph must still pass
   *  `checkRigGraph` before it is run. */
  read(name: string): Promise<Uint8Array>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Opens a file and checks header, table and manifest. Throws ServiceError(VALIDATION_ERROR), or the file system's error. */
export async function openImxFile(path: string): Promise<ImxFile> {
  const handle = await open(path, "r");
  try {
    const { size: fileBytes } = await handle.stat();
    const header = parseHeader(await readAt(handle, 0, Math.min(IMX_HEADER_BYTES, fileBytes)), fileBytes);
    const members = await parseTable(await readAt(handle, IMX_HEADER_BYTES, header.tableBytes), header, fileBytes);
    const read = (name: string) => readMember(handle, members, name);
    const manifest = parseManifest(await read(MEMBER.manifest));
    let closing: Promise<void> | undefined;
    const close = (): Promise<void> => {
      closing ??= handle.close();
      return closing;
    };
    return { manifest, members, read, close };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

async function readMember(handle: FileHandle, members: readonly ImxMember[], name: string): Promise<Uint8Array> {
  const member = members.find((entry) => entry.name === name);
  if (!member) throw imxError(`member ${name} is missing`);
  const bytes = await readAt(handle, member.offset, member.size);
  if ((await sha256Hex(bytes)) !== member.sha256) throw imxError(`member ${name} is damaged (SHA-256 differs)`);
  return bytes;
}

async function readAt(handle: FileHandle, offset: number, size: number): Promise<Uint8Array> {
  const buffer = new Uint8Array(size);
  let filled = 0;
  while (filled < size) {
    const { bytesRead } = await handle.read(buffer, filled, size - filled, offset + filled);
    if (bytesRead === 0) throw imxError("it became shorter while it was read");
    filled += bytesRead;
  }
  return buffer;
}
