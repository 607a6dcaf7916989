// Reads the poster in a stored `.imx`.
import { MEMBER } from "../../../src/face/imx/imx.ts";
import { readImxMember } from "../../../src/face/imx/read-imx-member.ts";
import type { ObjectStorage } from "../../kernel/storage/object-storage.ts";

/** The JPEG, about 60 KB; null if there is no such file. Throws EngineError for a file that is damaged. */
export async function readPoster(storage: ObjectStorage, key: string): Promise<Uint8Array | null> {
  const fileBytes = await storage.sizeOf(key);
  if (fileBytes === null) return null;
  return readImxMember(MEMBER.poster, fileBytes, async (start, end) => {
    const pieces: Buffer[] = [];
    for await (const piece of await storage.read(key, { start, end })) pieces.push(Buffer.from(piece));
    return Buffer.concat(pieces);
  });
}
