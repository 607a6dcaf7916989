// `.imx` files on disk: reads single members without reading the whole file, and writes a file without building it in
// memory. Node only.
import { type FileHandle, open, rename, rm, writeFile } from "node:fs/promises";
import { assembleImx, type Imx, MEMBER } from "./imx.ts";
import { type ImxManifest, parseManifest } from "./manifest.ts";
import { IMX_HEADER_BYTES, type ImxMember, imxError, parseHeader, parseTable } from "./member-table.ts";
import { sha256Hex } from "./sha256.ts";
import { imxPieces } from "./write-imx.ts";

/** An open file. Manifest and table are loaded, members are read on request. The caller closes it. */
export interface ImxFile {
  readonly formatVersion: number;
  /** Size of the whole file. */
  readonly bytes: number;
  readonly manifest: ImxManifest;
  readonly members: readonly ImxMember[];
  /** Returns a member's bytes after verifying its hash. Throws EngineError(bundle-invalid) if it is missing or
   *  damaged. A rig graph must still pass `checkRigGraph` before it is run. */
  read(name: string): Promise<Uint8Array>;
  /** Returns the avatar, checked like in `readImx`. Members are read from disk one after the other. */
  readAll(): Promise<Imx>;
  /** Idempotent. */
  close(): Promise<void>;
}

/** Opens a file and checks header, table and manifest. Throws EngineError(bundle-invalid), or the file system's
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

/** Also verifies the members that an avatar does not use, without keeping them. */
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

/** Writes an avatar to a file in pieces. The write is atomic: the file is complete, or it does not exist. Throws
 *  EngineError(bundle-invalid) as `writeImx`, the file system's error, or the signal's reason. */
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
