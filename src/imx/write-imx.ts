// Writes an avatar as an `.imx` file.
import { gestureMember, type Imx, MEMBER } from "./imx.ts";
import { encodeTable } from "./member-table.ts";
import { readImx } from "./read-imx.ts";

/** The bytes of the file. What could not be opened again is not written: throws ServiceError(VALIDATION_ERROR) as `readImx` does. */
export async function writeImx(imx: Imx): Promise<Uint8Array> {
  const { manifest, rig, canvas, poster, gestures, chest } = imx;
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
  const bytes = await joinMembers(members);
  await readImx(bytes);
  return bytes;
}

/** A container of any members, unchecked: header, table, members. */
export async function joinMembers(members: readonly { name: string; bytes: Uint8Array }[]): Promise<Uint8Array> {
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
