// Writes an avatar as an `.imx` file.
import { assembleImx, gestureMember, type Imx, MEMBER } from "./imx.ts";
import { encodeTable } from "./member-table.ts";

export interface ImxContent {
  name: string;
  bytes: Uint8Array;
}

/** Returns the bytes of the file. Throws EngineError(bundle-invalid) for an avatar that `readImx` would refuse. */
export async function writeImx(imx: Imx): Promise<Uint8Array> {
  return joinMembers(await membersOf(imx));
}

/** The same in pieces, for files: header with table, then each member without a copy. */
export async function* imxPieces(imx: Imx): AsyncGenerator<Uint8Array> {
  const members = await membersOf(imx);
  yield encodeTable(members);
  for (const { bytes } of members) yield bytes;
}

/** Returns a container of any members without checks: header, table, members. */
export async function joinMembers(members: readonly ImxContent[]): Promise<Uint8Array> {
  const start = await encodeTable(members);
  const joined = new Uint8Array(start.length + members.reduce((sum, { bytes }) => sum + bytes.length, 0));
  joined.set(start);
  let position = start.length;
  for (const { bytes } of members) {
    joined.set(bytes, position);
    position += bytes.length;
  }
  return joined;
}

/** Returns the members of an avatar in file order: those that a viewer needs first come first. Throws like
 *  `writeImx`. */
async function membersOf({ manifest, rig, canvas, poster, gestures, chest }: Imx): Promise<ImxContent[]> {
  const members = [
    { name: MEMBER.manifest, bytes: new TextEncoder().encode(`${JSON.stringify(manifest, null, 2)}\n`) },
    { name: MEMBER.poster, bytes: poster },
    { name: MEMBER.canvas, bytes: canvas },
    { name: MEMBER.rig, bytes: rig },
    ...(chest ? [{ name: MEMBER.chest, bytes: chest.data }] : []),
    ...[...gestures].map(([name, track]) => ({
      name: gestureMember(name),
      bytes: new Uint8Array(track.buffer, track.byteOffset, track.byteLength),
    })),
  ];
  await assembleImx(async (name) => members.find((member) => member.name === name)?.bytes);
  return members;
}
