import { MEMBER } from "../../../../src/face/imx/imx.ts";
import { readImxMember } from "../../../../src/face/imx/read-imx-member.ts";

/** Address of the still in an `.imx`, which the first frame of its face equals; to be revoked. Rejects with EngineError
 *  for a file that is no avatar. */
export async function posterOf(bundle: Uint8Array): Promise<string> {
  const jpeg = await readImxMember(MEMBER.poster, bundle.length, async (start, end) => bundle.subarray(start, end));
  return URL.createObjectURL(new Blob([jpeg.slice()], { type: "image/jpeg" }));
}
