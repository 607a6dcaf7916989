// Model files on disk by their hash.
import { readdir, readFile, writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { BundleStore, hashOf } from "../../../../agent-worker/self-hosted/faces/bundle-store.ts";
import { createLogger } from "../../../../program/log.ts";
import { makeDataFolder } from "../../../helpers/files/data-folder.ts";

const logger = createLogger({ level: "silent", name: "test" });
const bytesOf = (text: string) => new TextEncoder().encode(text);
const neverAgain = () => Promise.reject(new Error("downloaded again"));

t.test("a file is downloaded once, also for launches that arrive together, and survives a restart", async (t) => {
  const folder = join(await makeDataFolder(t), "bundles");
  const store = new BundleStore({ folder, logger });
  const avatar = bytesOf("an avatar");
  let downloads = 0;
  const download = async () => {
    downloads += 1;
    await new Promise((resolve) => setImmediate(resolve));
    return avatar;
  };
  const both = await Promise.all([store.get(hashOf(avatar), download), store.get(hashOf(avatar), download)]);
  t.same(both, [avatar, avatar]);
  t.equal(downloads, 1);
  t.same(await readdir(folder), [`${hashOf(avatar)}.imx`], "no draft is left");
  const restarted = new BundleStore({ folder, logger });
  t.same(new Uint8Array(await restarted.get(hashOf(avatar), neverAgain)), avatar);

  await writeFile(join(folder, `${hashOf(avatar)}.imx`), "damaged");
  t.same(new Uint8Array(await restarted.get(hashOf(avatar), download)), avatar, "a damaged copy is fetched again");
  t.equal(downloads, 2);
  t.same(new Uint8Array(await readFile(join(folder, `${hashOf(avatar)}.imx`))), avatar);
});

t.test("a download with another hash is refused for all who wait, and nothing of it is kept", async (t) => {
  const folder = join(await makeDataFolder(t), "bundles");
  const store = new BundleStore({ folder, logger });
  const wrong = async () => bytesOf("another avatar");
  const hash = hashOf(bytesOf("an avatar"));
  const outcomes = await Promise.allSettled([store.get(hash, wrong), store.get(hash, wrong)]);
  for (const outcome of outcomes) t.match(outcome, { status: "rejected", reason: { code: "UPSTREAM_UNAVAILABLE" } });
  t.same(await readdir(folder).catch(() => []), []);
  const right = bytesOf("an avatar");
  t.same(await store.get(hash, async () => right), right, "the next launch tries again");
});

t.test("the least recently used files give way, and a folder that takes none is no obstacle", async (t) => {
  const dataDir = await makeDataFolder(t);
  const folder = join(dataDir, "bundles");
  const store = new BundleStore({ folder, logger, limitBytes: 10 });
  const files = ["first", "other", "third"].map(bytesOf);
  for (const file of files) {
    await store.get(hashOf(file), async () => file);
    await new Promise((resolve) => setTimeout(resolve, 10));
    // The first is used again, so the second is the oldest.
    await store.get(hashOf(files[0]), neverAgain);
  }
  t.same((await readdir(folder)).sort(), [files[0], files[2]].map((file) => `${hashOf(file)}.imx`).sort());

  const blocked = new BundleStore({ folder: join(dataDir, "file", "bundles"), logger });
  await writeFile(join(dataDir, "file"), "");
  t.same(await blocked.get(hashOf(files[0]), async () => files[0]), files[0]);
  let made = 0;
  const make = async () => {
    made += 1;
    return files[1];
  };
  t.same(await store.remember("a portrait", make), files[1]);
  t.same(new Uint8Array(await store.remember("a portrait", make)), files[1]);
  t.equal(made, 1);
});
