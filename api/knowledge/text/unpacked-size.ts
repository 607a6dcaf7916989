// Reads the unpacked size that a zip file declares, so that a zip bomb is refused before it is unpacked.
import { EngineError } from "../../../shared/engine-error.ts";

/** Signatures, and the offsets of the fields. Source: PKWARE APPNOTE 6.3.10, sections 4.3.12 and 4.3.16. */
const END_SIGNATURE = Buffer.from("PK\x05\x06", "latin1");
const ENTRY_SIGNATURE = 0x02014b50;
const END = { entryCount: 10, directoryOffset: 16, length: 22 };
const ENTRY = { unpackedBytes: 24, nameLength: 28, extraLength: 30, commentLength: 32, length: 46 };

/** Throws EngineError if the entries of a zip file declare more than `limitBytes` in total. A file without a
 *  directory passes, because its reader will report the damage. Declared sizes may be false, so unpacking has a limit
 *  too. */
export function assertUnpacksWithin(zip: Buffer, limitBytes: number): void {
  if (unpackedSize(zip) <= limitBytes) return;
  throw new EngineError("too-large", `The document unpacks to more than ${limitBytes / 1e6} MB`);
}

function unpackedSize(zip: Buffer): number {
  const end = zip.lastIndexOf(END_SIGNATURE);
  if (end < 0 || end + END.length > zip.length) return 0;
  let position = zip.readUInt32LE(end + END.directoryOffset);
  let total = 0;
  for (let left = zip.readUInt16LE(end + END.entryCount); left > 0; left--) {
    if (position + ENTRY.length > zip.length || zip.readUInt32LE(position) !== ENTRY_SIGNATURE) break;
    total += zip.readUInt32LE(position + ENTRY.unpackedBytes);
    const variable = [ENTRY.nameLength, ENTRY.extraLength, ENTRY.commentLength];
    position += ENTRY.length + variable.reduce((sum, place) => sum + zip.readUInt16LE(position + place), 0);
  }
  return total;
}
