// Faces that speak in the conversation and are made on this computer: each has a folder with its speech and, once it is
// wanted, its film. The last few are kept.
import { randomBytes } from "node:crypto";
import { mkdtemp, readFile, rm, stat } from "node:fs/promises";
import { tmpdir } from "node:os";
import { basename, extname, join } from "node:path";
import { ToolError } from "../../../mcp/tool-error.ts";
import { LOCAL_PREFIX, type LocalPart, type PartName, type WholePart } from "../../../mcp/tools/speaking-face-tools.ts";
import { MEMBER } from "../../../src/face/imx/imx.ts";
import { readImxMember } from "../../../src/face/imx/read-imx-member.ts";

/** Faces that are kept: a page that is older asks to be made again. */
const MOST_FACES = 4;
const MOST_BUNDLE_BYTES = 8_000_000;

/** Runs a command of this program and returns what it prints. */
export type RunCommand = (words: readonly string[], signal: AbortSignal) => Promise<Record<string, unknown>>;

export interface LocalFaceOrder {
  /** A file, or a name that the command knows. */
  avatar: string;
  isFile: boolean;
  text: string;
  voice: string;
  language?: string;
}

interface LocalFace {
  folder: string;
  bundle: string;
  speech: string;
  film?: Promise<string>;
}

export class LocalFaces {
  readonly #run: RunCommand;
  /** By id, the oldest first. */
  readonly #faces = new Map<string, LocalFace>();

  constructor(run: RunCommand) {
    this.#run = run;
  }

  /** Makes what the page needs, but for the film. Throws ToolError, and the signal's reason. */
  async make(order: LocalFaceOrder, signal: AbortSignal): Promise<{ id: string; name: string; poster: Uint8Array }> {
    const folder = await mkdtemp(join(tmpdir(), "avatar-mcp-"));
    try {
      const bundle = await this.#bundleOf(order, folder, signal);
      const { size } = await stat(bundle);
      if (size > MOST_BUNDLE_BYTES) throw new ToolError("FILE_TOO_LARGE", "The face's file has more than 8 MB.");
      const bytes = await readFile(bundle);
      const poster = await readImxMember(MEMBER.poster, size, async (start, end) => bytes.subarray(start, end));
      const speech = join(folder, "speech.wav");
      const language = order.language ? [`--language=${order.language}`] : [];
      // A text that begins with "-" is no option.
      await this.#run(["voices", "say", ...language, `--output=${speech}`, order.voice, ` ${order.text}`], signal);
      const id = `${LOCAL_PREFIX}${randomBytes(8).toString("hex")}`;
      this.#faces.set(id, { folder, bundle, speech });
      await this.#forget(MOST_FACES);
      return { id, name: basename(order.avatar, extname(order.avatar)), poster };
    } catch (error) {
      await rm(folder, { recursive: true, force: true });
      throw error;
    }
  }

  /** Throws ToolError for a face that is not kept any more. */
  part: LocalPart = async (id: string, part: PartName, signal: AbortSignal): Promise<WholePart> => {
    const face = this.#faces.get(id);
    if (!face) throw new ToolError("NOT_FOUND", "This face is gone.", "Call show_face_speaking again.");
    if (part === "film") return { bytes: await readFile(await this.#filmOf(face, signal)), mimeType: "video/mp4" };
    if (part === "speech") return { bytes: await readFile(face.speech), mimeType: "audio/wav" };
    return { bytes: await readFile(face.bundle), mimeType: "application/octet-stream" };
  };

  /** Removes all files. Idempotent. */
  close(): Promise<void> {
    return this.#forget(0);
  }

  async #forget(most: number): Promise<void> {
    for (const [id, { folder }] of [...this.#faces].slice(0, Math.max(0, this.#faces.size - most))) {
      this.#faces.delete(id);
      await rm(folder, { recursive: true, force: true });
    }
  }

  async #bundleOf({ avatar, isFile }: LocalFaceOrder, folder: string, signal: AbortSignal): Promise<string> {
    if (!isFile) return String((await this.#run(["pull", avatar], signal)).path);
    if (extname(avatar).toLowerCase() === ".imx") return avatar;
    const output = join(folder, "face.imx");
    await this.#run(["bake", avatar, `--output=${output}`], signal);
    return output;
  }

  /** Calls that ask at once wait for the same film. */
  #filmOf(face: LocalFace, signal: AbortSignal): Promise<string> {
    if (face.film) return face.film;
    const output = join(face.folder, `film-${randomBytes(4).toString("hex")}.mp4`);
    const film = this.#run(["render", face.bundle, face.speech, `--output=${output}`], signal).then(() => output);
    face.film = film;
    film.catch(() => {
      face.film = undefined;
    });
    return film;
  }
}
