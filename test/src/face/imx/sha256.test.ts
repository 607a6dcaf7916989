import { createHash } from "node:crypto";
import t from "tap";
import { plainSha256 } from "../../../../src/face/imx/plain-sha256.ts";
import { sha256Hex } from "../../../../src/face/imx/sha256.ts";

t.test("both ways give the digest of FIPS 180-4, at every length around the end of a block", async (t) => {
  const bytes = Uint8Array.from({ length: 300 }, (_, index) => (index * 7919) & 0xff);
  for (const length of [0, 1, 3, 54, 55, 56, 57, 63, 64, 65, 119, 120, 121, 128, 300]) {
    const some = bytes.subarray(0, length);
    const expected = createHash("sha256").update(some).digest("hex");
    t.equal(Buffer.from(plainSha256(some)).toString("hex"), expected, `${length} bytes`);
    t.equal(await sha256Hex(some), expected, `${length} bytes`);
  }
  t.equal(
    Buffer.from(plainSha256(Buffer.from("abc"))).toString("hex"),
    "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad",
    "the example of the standard",
  );
});

t.test("where a browser withholds Web Crypto, the digest is the same", async (t) => {
  const crypto = Object.getOwnPropertyDescriptor(globalThis, "crypto")!;
  t.teardown(() => Object.defineProperty(globalThis, "crypto", crypto));
  Object.defineProperty(globalThis, "crypto", { configurable: true, value: {} });
  const large = Buffer.alloc(1_000_003, "avatar");
  t.equal(await sha256Hex(large), createHash("sha256").update(large).digest("hex"));
});
