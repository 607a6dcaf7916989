// Reads an `.imx` from memory, in Node and in a browser. The bytes are untrusted.
import { assembleImx, type Imx } from "./imx.ts";
import { IMX_HEADER_BYTES, imxError, parseHeader, parseTable } from "./member-table.ts";
import { sha256Hex } from "./sha256.ts";

/** Returns the avatar of a file after checking version, bounds, names, sizes, hashes, manifest and operators of the rig
 *  graph. Members are views into `bytes`. Throws EngineError(bundle-invalid) with the reason. */
export async function readImx(bytes: Uint8Array): Promise<Imx> {
  const header = parseHeader(bytes.subarray(0, IMX_HEADER_BYTES), bytes.length);
  const table = bytes.subarray(IMX_HEADER_BYTES, IMX_HEADER_BYTES + header.tableBytes);
  const members = await parseTable(table, header, bytes.length);
  for (const { name, offset, size, sha256 } of members) {
    if ((await sha256Hex(bytes.subarray(offset, offset + size))) !== sha256) {
      throw imxError(`member ${name} is damaged (SHA-256 differs)`);
    }
  }
  return assembleImx(async (name) => {
    const member = members.find((entry) => entry.name === name);
    return member && bytes.subarray(member.offset, member.offset + member.size);
  });
}
