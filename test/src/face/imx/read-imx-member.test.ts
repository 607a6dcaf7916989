// One member of an `.imx`, by ranges.
import t from "tap";
import { MEMBER } from "../../../../src/face/imx/imx.ts";
import { readImxMember } from "../../../../src/face/imx/read-imx-member.ts";
import { writeImx } from "../../../../src/face/imx/write-imx.ts";
import { smallAvatar } from "../../../helpers/faces/small-avatar.ts";

t.test("a member is read by ranges, wherever it lies, and refused when it is damaged or missing", async (t) => {
  const avatar = await smallAvatar();
  const file = await writeImx(avatar);
  const reads: number[] = [];
  const readFrom = (bytes: Uint8Array) => async (start: number, end: number) => {
    reads.push(end - start);
    return bytes.slice(start, end);
  };
  t.same(await readImxMember(MEMBER.poster, file.length, readFrom(file)), avatar.poster);
  t.equal(reads.length, 1, "the poster lies at the beginning");
  const canvas = await readImxMember(MEMBER.canvas, file.length, readFrom(file));
  t.same(canvas, avatar.canvas);

  const damaged = file.slice();
  const at = Buffer.from(damaged).indexOf(Buffer.from(avatar.poster));
  damaged[at + 100] ^= 1;
  await t.rejects(readImxMember(MEMBER.poster, file.length, readFrom(damaged)), { code: "bundle-invalid" });
  await t.rejects(readImxMember("nothing.txt", file.length, readFrom(file)), /nothing\.txt is missing/);
  await t.rejects(readImxMember(MEMBER.poster, 10, readFrom(file.slice(0, 10))), { code: "bundle-invalid" });
});
