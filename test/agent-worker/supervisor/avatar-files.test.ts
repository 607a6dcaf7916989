// The worker's memory of avatars.
import { createHash } from "node:crypto";
import t from "tap";
import { AvatarFiles } from "../../../agent-worker/supervisor/avatar-files.ts";

const file = (text: string) => {
  const bytes = new TextEncoder().encode(text);
  return { bytes, sha256: createHash("sha256").update(bytes).digest("hex") };
};

t.test("each file is downloaded once, until others need its place", async (t) => {
  const files = new AvatarFiles({ limitBytes: 20 });
  const downloads: string[] = [];
  const get = async (text: string) => {
    const { bytes, sha256 } = file(text);
    const got = await files.get(sha256, async () => {
      downloads.push(text);
      return bytes;
    });
    t.same(got, bytes);
  };
  await Promise.all([get("first avatar"), get("first avatar")]);
  await get("second");
  await get("first avatar");
  t.same(downloads, ["first avatar", "second"], "also when two ask at the same time");
  await get("third");
  await get("first avatar");
  t.same(downloads, ["first avatar", "second", "third"], "the least recently used one gave way");
  await get("second");
  t.equal(downloads.pop(), "second");
  const [large, before] = ["larger than all that is kept", downloads.length];
  await get(large);
  await get(large);
  t.equal(downloads.length, before + 2, "a file that is too large is passed on");
  await get("second");
  t.equal(downloads.length, before + 2, "and drops nothing");
});

t.test("a file with another hash and a failed download are not kept", async (t) => {
  const files = new AvatarFiles();
  const { bytes, sha256 } = file("an avatar");
  const newer = new TextEncoder().encode("made again");
  t.equal(await files.get(sha256, async () => newer), newer);
  const failure = new Error("no connection");
  await t.rejects(
    files.get(sha256, () => Promise.reject(failure)),
    failure,
  );
  t.equal(await files.get(sha256, async () => bytes), bytes);
});
