// Hand-made zip files for tests, because a caller's document may declare false values.
import { crc32, deflateRawSync } from "node:zlib";

export interface ZipEntry {
  name: string;
  /** Raw deflate stream. */
  packed: Buffer;
  /** Bytes that it unpacks to, as the directory claims. */
  claimedBytes: number;
  crc: number;
}

/** An entry with correct values. */
export function zipEntry(name: string, content: string | Buffer): ZipEntry {
  const bytes = Buffer.from(content);
  return { name, packed: deflateRawSync(bytes), claimedBytes: bytes.length, crc: crc32(bytes) };
}

/** The file. Source of the layout: PKWARE APPNOTE 6.3.10, sections 4.3.7, 4.3.12 and 4.3.16. */
export function zipOf(entries: readonly ZipEntry[]): Buffer {
  const files: Buffer[] = [];
  const directory: Buffer[] = [];
  let offset = 0;
  for (const { name, packed, claimedBytes, crc } of entries) {
    const common = Buffer.alloc(26);
    common.writeUInt16LE(20, 0); // Version needed.
    common.writeUInt16LE(8, 4); // Deflate.
    common.writeUInt32LE(crc, 10);
    common.writeUInt32LE(packed.length, 14);
    common.writeUInt32LE(claimedBytes, 18);
    common.writeUInt16LE(name.length, 22);
    const file = Buffer.concat([Buffer.from("PK\x03\x04", "latin1"), common, Buffer.from(name), packed]);
    const place = Buffer.alloc(14);
    place.writeUInt32LE(offset, 10);
    directory.push(Buffer.concat([Buffer.from("PK\x01\x02\x14\x00", "latin1"), common, place, Buffer.from(name)]));
    files.push(file);
    offset += file.length;
  }
  const entriesOf = Buffer.concat(directory);
  const end = Buffer.alloc(22);
  end.write("PK\x05\x06", 0, "latin1");
  end.writeUInt16LE(entries.length, 8);
  end.writeUInt16LE(entries.length, 10);
  end.writeUInt32LE(entriesOf.length, 12);
  end.writeUInt32LE(offset, 16);
  return Buffer.concat([...files, entriesOf, end]);
}
