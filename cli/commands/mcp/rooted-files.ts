// The files that an assistant may use: those below one folder, wherever links lead.
import { randomBytes } from "node:crypto";
import { constants } from "node:fs";
import { type FileHandle, link, lstat, open, realpath, rename, rm } from "node:fs/promises";
import { basename, dirname, isAbsolute, join, relative, resolve, sep } from "node:path";
import type { ToolFiles } from "../../../mcp/tool.ts";
import { ToolError } from "../../../mcp/tool-error.ts";

export class RootedFiles implements ToolFiles {
  /** As the system knows it, without links. */
  readonly root: string;
  /** As it was named. */
  readonly #named: string;

  private constructor(named: string, root: string) {
    this.#named = named;
    this.root = root;
  }

  /** Rejects if there is no folder of this name. */
  static async open(folder: string): Promise<RootedFiles> {
    return new RootedFiles(resolve(folder), await realpath(folder));
  }

  /** Path of a file that is there, without links. Throws ToolError if it is missing or outside the folder; `named`: how
   *  the error names it. */
  async find(path: string, named = path): Promise<string> {
    const wanted = resolve(this.root, path);
    // Before it is looked for: what exists elsewhere is nothing to tell.
    if (!isBelow(this.#named, wanted)) this.#assertInside(wanted, named);
    const found = await realpath(wanted).catch((error: NodeJS.ErrnoException) => {
      throw missing(named, error);
    });
    this.#assertInside(found, named);
    return found;
  }

  /** Path for a file that is not there yet, in a folder that is. Throws ToolError if it is there, or outside. */
  async findNew(path: string): Promise<string> {
    const wanted = resolve(this.root, path);
    const target = join(await this.find(dirname(wanted), path), basename(wanted));
    this.#assertInside(target, path);
    const there = await lstat(target).catch(() => null);
    if (there) throw new ToolError("FILE_EXISTS", `${path} exists already.`, "Choose another name.");
    return target;
  }

  async read(path: string, limitBytes: number) {
    const found = await this.find(path);
    // A pipe without a writer would hold an opening that waits.
    const file = await open(found, constants.O_RDONLY | constants.O_NOFOLLOW | constants.O_NONBLOCK).catch((error) => {
      throw missing(path, error);
    });
    try {
      return { data: await readWhole(file, path, limitBytes), name: basename(found) };
    } finally {
      await file.close();
    }
  }

  async write(path: string, content: Uint8Array | string, { isPrivate = false } = {}): Promise<string> {
    const target = await this.findNew(path);
    const part = `${target}.${randomBytes(6).toString("hex")}.part`;
    try {
      const file = await open(part, "wx", isPrivate ? 0o600 : 0o644);
      await file.writeFile(content).finally(() => file.close());
      await publish(part, target);
    } finally {
      await rm(part, { force: true });
    }
    return path;
  }

  #assertInside(found: string, path: string): void {
    if (isBelow(this.root, found)) return;
    throw new ToolError("OUTSIDE_ROOT", `${path} is outside the folder of this server.`, "avatar mcp --root names it.");
  }
}

function isBelow(root: string, path: string): boolean {
  const below = relative(root, path);
  return below !== ".." && !below.startsWith(`..${sep}`) && !isAbsolute(below);
}

async function readWhole(file: FileHandle, path: string, limitBytes: number): Promise<Uint8Array<ArrayBuffer>> {
  const { size, isFile } = await file.stat().then((about) => ({ size: about.size, isFile: about.isFile() }));
  if (!isFile) throw new ToolError("VALIDATION_ERROR", `${path} is no file.`);
  if (size > limitBytes) throw tooLarge(path, limitBytes);
  // It may grow meanwhile.
  const bytes = new Uint8Array(size + 1);
  let count = 0;
  while (count < bytes.byteLength) {
    const { bytesRead } = await file.read(bytes, count);
    if (bytesRead === 0) return bytes.slice(0, count);
    count += bytesRead;
  }
  throw new ToolError("VALIDATION_ERROR", `${path} changed while it was read.`);
}

/** Gives a file its name, unless there is a file of that name by now. */
async function publish(part: string, target: string): Promise<void> {
  try {
    await link(part, target);
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "EEXIST") {
      throw new ToolError("FILE_EXISTS", `${basename(target)} exists already.`, "Choose another name.");
    }
    // Some file systems know no links.
    await rename(part, target);
  }
}

function tooLarge(path: string, limitBytes: number): ToolError {
  return new ToolError("FILE_TOO_LARGE", `${path} has more than ${Math.floor(limitBytes / 2 ** 20)} MB.`);
}

function missing(path: string, { code }: NodeJS.ErrnoException): ToolError {
  if (code === "ENOENT" || code === "ENOTDIR")
    return new ToolError("NOT_FOUND", `${path}: there is no such file or folder.`);
  return new ToolError("VALIDATION_ERROR", `${path} cannot be read (${code}).`);
}
