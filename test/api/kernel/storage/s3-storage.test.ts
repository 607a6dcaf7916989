// Storage in a bucket, on a real S3-compatible server.
import { createHash, randomBytes } from "node:crypto";
import { writeFile } from "node:fs/promises";
import { type AddressInfo, connect, createServer } from "node:net";
import { join } from "node:path";
import { buffer } from "node:stream/consumers";
import t from "tap";
import { createS3Storage, type S3Options } from "../../../../api/kernel/storage/s3-storage.ts";
import { knowsOpenFiles, openFiles } from "../../../helpers/processes/open-files.ts";
import { findS3Program, S3_MISSING, type S3Access, withS3Server } from "../../../helpers/servers/with-s3-server.ts";
import { withSilentServer } from "../../../helpers/servers/with-silent-server.ts";
import { withApi } from "../../../helpers/service/with-api.ts";

const program = await findS3Program();
const skip = program === null ? S3_MISSING : false;
const content = Buffer.from("0123456789");

function optionsOf(server: S3Access, more: Partial<S3Options> = {}): S3Options {
  const { bucket, region, endpoint, accessKeyId, secretAccessKey } = server;
  const credentials = { accessKeyId, secretAccessKey };
  return { bucket, region, endpoint, credentials, isPathStyle: true, prefix: "", signsUrls: false, ...more };
}

t.test("an object in a bucket can be read completely and in part until it is deleted", { skip }, async (t) => {
  await withS3Server(program ?? "", async (server) => {
    const storage = createS3Storage(optionsOf(server, { prefix: "ours/" }));
    await storage.check();
    const sha256 = createHash("sha256").update(content).digest("hex");
    t.same(await storage.put("portraits/a.png", content), { key: "portraits/a.png", sizeBytes: 10, sha256 });
    t.same(Buffer.from(await storage.readAll("portraits/a.png")), content);
    t.same(await buffer(await storage.read("portraits/a.png", { start: 2, end: 5 })), Buffer.from("234"));
    t.equal(await storage.sizeOf("portraits/a.png"), 10);
    const large = randomBytes(9_000_001);
    const path = join(t.testdir(), "large");
    await writeFile(path, large);
    const stored = await storage.putFile("portraits/a.png", path);
    t.equal(stored.sha256, createHash("sha256").update(large).digest("hex"));
    t.ok((await buffer(await storage.read("portraits/a.png"))).equals(large), "a put replaces the object whole");
    const other = createS3Storage(optionsOf(server));
    t.equal(await other.sizeOf("portraits/a.png"), null, "the prefix keeps users of one bucket apart");
    await other.put("portraits/b.png", content);
    const listed: unknown[] = [];
    for await (const object of storage.list()) listed.push(object);
    t.same(listed, [{ key: "portraits/a.png", sizeBytes: large.length }], "also in its listing");
    await storage.delete("portraits/a.png");
    await storage.delete("portraits/a.png");
    t.equal(await storage.sizeOf("portraits/a.png"), null);
    await t.rejects(storage.read("portraits/a.png"), { code: "NOT_FOUND" });
    await t.rejects(storage.put("../a/b", content), RangeError);
    await t.rejects(storage.read("../a/b"), { code: "NOT_FOUND" });
    storage.close();
    other.close();
  });
});

t.test("an upload is repeated from its start if its connection breaks", { skip }, async (t) => {
  await withS3Server(program ?? "", async (server) => {
    let connections = 0;
    // Passes bytes on, and breaks the first connection in the middle of the file.
    const proxy = createServer((client) => {
      const isFirst = ++connections === 1;
      const upstream = connect(Number(new URL(server.endpoint).port), "127.0.0.1");
      let passedBytes = 0;
      client.on("data", (chunk) => {
        passedBytes += chunk.length;
        if (isFirst && passedBytes > 1_000_000) client.destroy();
      });
      client.on("error", () => upstream.destroy()).on("close", () => upstream.destroy());
      upstream.on("error", () => client.destroy());
      client.pipe(upstream).pipe(client);
    });
    await new Promise<void>((resolve) => proxy.listen(0, "127.0.0.1", resolve));
    const endpoint = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
    const storage = createS3Storage(optionsOf(server, { endpoint }));
    const large = randomBytes(9_000_001);
    const path = join(t.testdir(), "large");
    await writeFile(path, large);
    await storage.putFile("uploads/large", path);
    t.equal(connections, 2);
    if (knowsOpenFiles) t.notOk(openFiles().includes(path), "the file of the broken upload is closed");
    t.ok(large.equals(Buffer.from(await storage.readAll("uploads/large"))));
    storage.close();
    proxy.close();
  });
});

t.test("the error for an unusable bucket says what to do", { skip }, async (t) => {
  await withS3Server(program ?? "", async (server) => {
    const wrongKey = { accessKeyId: server.accessKeyId, secretAccessKey: "wrong" };
    const cases: [Partial<S3Options>, RegExp][] = [
      [{ bucket: "missing" }, /no such bucket.*S3_BUCKET/],
      [{ credentials: wrongKey }, /S3_SECRET_ACCESS_KEY/],
      [{ endpoint: "http://127.0.0.1:9" }, /S3_ENDPOINT/],
    ];
    for (const [more, message] of cases) {
      const storage = createS3Storage(optionsOf(server, more));
      await t.rejects(storage.check(), { message });
      storage.close();
    }
  });
});

t.test("the api stores files in the bucket and serves them itself or by signed URLs", { skip }, async (t) => {
  await withS3Server(program ?? "", async (server) => {
    const environment = {
      S3_ENDPOINT: server.endpoint,
      S3_BUCKET: server.bucket,
      S3_ACCESS_KEY_ID: server.accessKeyId,
      S3_SECRET_ACCESS_KEY: server.secretAccessKey,
    };
    const text = Buffer.from("words that lie in a bucket");
    for (const signed of ["0", "1"]) {
      await withApi(
        async (api) => {
          const { secret } = await api.addAccount();
          const body = { file_data: text.toString("base64"), file_name: "my words.txt" };
          const { file_url: url } = (await api.call("POST", "/v1/files/upload", { secret, body })).body.data;
          const first = await fetch(url, { redirect: "manual" });
          t.equal(first.status, signed === "1" ? 302 : 200);
          const answer = await fetch(url, { headers: { range: "bytes=6-9" } });
          t.equal(answer.status, 206);
          t.equal(await answer.text(), "that");
          t.match(answer.headers.get("content-disposition"), 'attachment; filename="my_words.txt"');
          t.match(answer.headers.get("content-type"), "text/plain");
          if (signed === "1") {
            const location = first.headers.get("location") ?? "";
            t.ok(location.startsWith(server.endpoint));
            const { key } = await api.services.storage.put("portraits/a.jpg", content);
            const portrait = api.services.fileLinks.linkTo(key, { expiresInSeconds: null });
            t.equal((await fetch(portrait, { redirect: "manual" })).status, 200, "our pages may show our images only");
            t.equal(
              (await fetch(location.replace(/(?<=Signature=)./, (digit) => (digit === "0" ? "1" : "0")))).status,
              403,
              "a changed signature",
            );
          }
        },
        { environment: { ...environment, S3_SIGNED_URLS: signed } },
      );
    }
  });
});

t.test("a server that accepts connections and stays silent fails each call in time", async (t) => {
  await withSilentServer(async ({ host }) => {
    const storage = createS3Storage({
      bucket: "b",
      region: "r",
      endpoint: `http://${host}`,
      isPathStyle: true,
      prefix: "",
      signsUrls: false,
      credentials: { accessKeyId: "key", secretAccessKey: "secret" },
      idleTimeoutMs: 200,
    });
    const path = join(t.testdir(), "file");
    await writeFile(path, content);
    const startMs = performance.now();
    await Promise.all([
      t.rejects(storage.sizeOf("portraits/a.png")),
      t.rejects(storage.readAll("portraits/a.png")),
      t.rejects(storage.put("portraits/a.png", content)),
      t.rejects(storage.putFile("portraits/a.png", path)),
      t.rejects(storage.delete("portraits/a.png")),
    ]);
    t.ok(performance.now() - startMs < 20_000, `${performance.now() - startMs} ms, four attempts each`);
    storage.close();
  });
});
