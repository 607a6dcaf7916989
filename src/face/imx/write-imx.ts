// Writes an avatar as an `.imx` file.
import { EARLIER_PARAMETER_COUNT, firstParameters } from "../../../shared/face-parameters.ts";
import { assembleImx, gestureMember, type Imx, MEMBER } from "./imx.ts";
import { EARLIER_IMX_FORMAT_VERSION, encodeTable, IMX_FORMAT_VERSION } from "./member-table.ts";
import { PACKED, packMember } from "./packed-member.ts";

export interface ImxContent {
  name: string;
  bytes: Uint8Array;
}

/** Returns the bytes of the file. Throws EngineError(bundle-invalid) for an avatar that `readImx` would refuse. */
export async function writeImx(imx: Imx): Promise<Uint8Array> {
  return joinMembers(await membersOf(imx), formatVersionOf(imx));
}

/** The same in pieces, for files: header with table, then each member without a copy. */
export async function* imxPieces(imx: Imx): AsyncGenerator<Uint8Array> {
  const members = await membersOf(imx);
  yield await encodeTable(members, formatVersionOf(imx));
  for (const { bytes } of members) yield bytes;
}

/** Returns a container of any members without checks: header, table, members. */
export async function joinMembers(members: readonly ImxContent[], formatVersion?: number): Promise<Uint8Array> {
  const start = await encodeTable(members, formatVersion);
  const joined = new Uint8Array(start.length + members.reduce((sum, { bytes }) => sum + bytes.length, 0));
  joined.set(start);
  let position = start.length;
  for (const { bytes } of members) {
    joined.set(bytes, position);
    position += bytes.length;
  }
  return joined;
}

/** Whether the rig takes only the parameters of earlier versions: then their programs can read the file too. */
function isEarlier({ manifest }: Imx): boolean {
  return manifest.parameters.length <= EARLIER_PARAMETER_COUNT;
}

function formatVersionOf(imx: Imx): number {
  return isEarlier(imx) ? EARLIER_IMX_FORMAT_VERSION : IMX_FORMAT_VERSION;
}

/** Returns the members of an avatar in file order: those that a viewer needs first come first. Throws like
 *  `writeImx`. */
async function membersOf(imx: Imx): Promise<ImxContent[]> {
  const { manifest, rig, canvas, poster, gestures, chest } = imx;
  const stored = async (name: string, bytes: Uint8Array): Promise<ImxContent> =>
    isEarlier(imx) ? { name, bytes } : { name: name + PACKED, bytes: await packMember(bytes) };
  const members = [
    { name: MEMBER.manifest, bytes: new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`) },
    { name: MEMBER.poster, bytes: poster },
    { name: MEMBER.canvas, bytes: canvas },
    await stored(MEMBER.rig, rig),
    ...(chest ? [{ name: MEMBER.chest, bytes: chest.data }] : []),
    ...(await Promise.all(
      [...gestures].map(([name, track]) => {
        const { buffer, byteOffset, byteLength } = firstParameters(track, manifest.parameters.length);
        return stored(gestureMember(name), new Uint8Array(buffer, byteOffset, byteLength));
      }),
    )),
  ];
  await assembleImx(async (name) => members.find((member) => member.name === name)?.bytes);
  return members;
}
