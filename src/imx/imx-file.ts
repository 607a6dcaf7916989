// `.imx` files on disk: looking into one without reading all of it, and writing one without joining it in memory. Node
// only.
import { type FileHandle, open, rename, rm, writeFile } from "node:fs/promises";
import { assembleImx, type Imx, MEMBER } from "./imx.ts";
import { type ImxManifest, parseManifest } from "./manifest.ts";
import { IMX_HEADER_BYTES, type ImxMember, imxError, parseHeader, parseTable } from "./member-table.ts";
import { sha256Hex } from "./sha256.ts";
import { imxPieces } from "./write-imx.ts";

/** An open file: its manifest and table at once, members on request. Close it. */
export interface ImxFile {
  readonly formatVersion: number;
  /** Of the whole file. */
  readonly bytes: number;
  readonly manifest: ImxManifest;
  readonly members: readonly ImxMember[];
  /** A member's bytes, hash checked. Throws ServiceError(VALIDATION_ERROR) if it is missing or damaged. A rig graph
   *  must still pass `checkRigGraph` before it is run. */
  read(name: string): Promise<Uint8Array>;
  /** The avatar, checked as `readImx` does, with one member after the other read from disk. */
  readAll(): Promise<Imx>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Opens a file and checks header, table and manifest. Throws ServiceError(VALIDATION_ERROR), or the file system's
 *  error. */
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
    return {
      formatVersion: header.formatVersion,
      bytes: fileBytes,
      manifest,
      members,
      read,
      readAll: () => readAvatar(members, read),
      close,
    };
  } catch (error) {
    await handle.close();
    throw error;
  }
}

/** Members that no avatar has are checked as well, and let go again. */
async function readAvatar(members: readonly ImxMember[], read: ImxFile["read"]): Promise<Imx> {
  const taken = new Set<string>();
  const imx = await assembleImx(async (name) => {
    if (!members.some((member) => member.name === name)) return undefined;
    taken.add(name);
    return read(name);
  });
  for (const { name } of members) if (!taken.has(name)) await read(name);
  return imx;
}

/** Writes an avatar to a file, piece by piece; the file appears whole or not at all. Throws
 *  ServiceError(VALIDATION_ERROR) as `writeImx`, the file system's error, or the signal's reason. */
export async function writeImxFile(path: string, imx: Imx, signal?: AbortSignal): Promise<{ bytes: number }> {
  const partial = `${path}.partial`;
  let bytes = 0;
  const counted = async function* () {
    for await (const piece of imxPieces(imx)) {
      bytes += piece.length;
      yield piece;
    }
  };
  try {
    await writeFile(partial, counted(), { signal });
    await rename(partial, path);
    return { bytes };
  } catch (error) {
    await rm(partial, { force: true });
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
