// Broken files, made from whole ones.
import type { SeededRandom } from "../seeded-random.ts";

/** Ways to break a file. */
export const DAMAGES = ["truncated", "flipped", "flipped-head", "extreme-numbers", "spliced", "mislabelled"] as const;
export type Damage = (typeof DAMAGES)[number];

/** Bytes in which a format says what follows. */
const HEAD_BYTES = 600;
/** What a number in a header is replaced by. */
const EXTREMES = [0, 1, 0x7f, 0x80, 0xff, 0x7fff, 0x8000, 0xffff, 0x7fff_ffff, 0x8000_0000, 0xffff_ffff];
/** Files of other kinds, and playlists, which name files that are not the sender's. */
const OTHER_KINDS = [
  "#EXTM3U\n#EXT-X-TARGETDURATION:1\n#EXTINF:1,\nfile:///etc/passwd\n#EXT-X-ENDLIST\n",
  "ffconcat version 1.0\nfile /etc/passwd\n",
  "<!doctype html><title>404</title><p>Not found",
  '<?xml version="1.0"?><MPD><Period><BaseURL>http://127.0.0.1:9/</BaseURL></Period></MPD>',
  "%PDF-1.7\n%âãÏÓ\n1 0 obj\n<<>>\nendobj\n",
  "PK\u0003\u0004\u0014\u0000\u0000\u0000\u0008\u0000",
  "v=0\no=- 0 0 IN IP4 127.0.0.1\nm=audio 5004 RTP/AVP 0\n",
];

/** The bytes of a broken file. `whole` are those of whole files; the result is at most as large as two of them. */
export function damageFile(damage: Damage, whole: readonly Uint8Array[], random: SeededRandom): Uint8Array {
  const bytes = Uint8Array.from(random.pick(whole));
  switch (damage) {
    case "truncated":
      // Every other one within its header.
      return bytes.subarray(0, random.integer(random.next() < 0.5 ? Math.min(HEAD_BYTES, bytes.length) : bytes.length));
    case "flipped":
      return flipBits(bytes, bytes.length, 1 + random.integer(200), random);
    case "flipped-head":
      return flipBits(bytes, Math.min(HEAD_BYTES, bytes.length), 1 + random.integer(20), random);
    case "extreme-numbers":
      return writeExtremes(bytes, random);
    case "spliced": {
      const other = random.pick(whole);
      return Buffer.concat([
        bytes.subarray(0, random.integer(bytes.length)),
        other.subarray(random.integer(other.length)),
      ]);
    }
    case "mislabelled":
      return mislabelled(bytes, random);
  }
}

function flipBits(bytes: Uint8Array, within: number, count: number, random: SeededRandom): Uint8Array {
  for (let each = 0; each < count; each++) bytes[random.integer(within)] ^= 1 << random.integer(8);
  return bytes;
}

function writeExtremes(bytes: Uint8Array, random: SeededRandom): Uint8Array {
  const view = new DataView(bytes.buffer);
  for (let each = 0; each < 1 + random.integer(4); each++) {
    const at = random.integer(Math.min(HEAD_BYTES, bytes.length) - 4);
    const value = random.pick(EXTREMES);
    if (random.next() < 0.5) view.setUint16(at, value & 0xffff, random.next() < 0.5);
    else view.setUint32(at, value, random.next() < 0.5);
  }
  return bytes;
}

/** Noise, text or another kind of file under the name of a recording, half of them after the beginning of one. */
function mislabelled(bytes: Uint8Array, random: SeededRandom): Uint8Array {
  const noise = () => Uint8Array.from({ length: 1 + random.integer(20_000) }, () => random.integer(256));
  const content = random.next() < 0.5 ? noise() : Buffer.from(random.pick(OTHER_KINDS), "latin1");
  return random.next() < 0.5 ? content : Buffer.concat([bytes.subarray(0, random.integer(64)), content]);
}
