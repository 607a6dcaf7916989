// The client as a page or an edge runtime gets it: small, in one file, and with nothing but what the web has.
import { fileURLToPath } from "node:url";
import { createContext, runInContext } from "node:vm";
import { brotliCompressSync } from "node:zlib";
import { build } from "esbuild";
import t from "tap";

const entry = fileURLToPath(new URL("../../../sdk/client/index.ts", import.meta.url));

t.test("the client fits into a page, and needs nothing of Node", async (t) => {
  const { outputFiles, warnings } = await build({
    entryPoints: [entry],
    bundle: true,
    minify: true,
    write: false,
    platform: "browser",
    target: "es2022",
    format: "iife",
    globalName: "avatar",
  });
  t.same(warnings, []);
  const [{ contents, text }] = outputFiles;
  const size = brotliCompressSync(contents).length;
  t.ok(size < 15_000, `${size} bytes`);

  const seen: unknown[] = [];
  const answering = async (url: string, init: RequestInit): Promise<Response> => {
    seen.push([url, init.method]);
    return Response.json({ success: true, data: { file_url: "u" } });
  };
  const web = { AbortController, AbortSignal, Blob, crypto, File, FormData, Headers, ReadableStream, TextDecoder };
  const page = createContext({
    ...web,
    TextEncoder,
    URL,
    URLSearchParams,
    performance,
    setTimeout,
    clearTimeout,
    btoa,
  });
  runInContext(`${text}; globalThis.avatar = avatar`, page);
  const client = new page.avatar.Client({ baseUrl: "https://avatars.example", apiSecret: "s", fetch: answering });
  t.same(await client.files.upload({ file: new Blob(["a"]) }), { file_url: "u" });
  t.same(seen, [["https://avatars.example/v1/files/upload", "POST"]]);
  const byPath = client.files.upload({ file: { path: "a.txt" } });
  await t.rejects(byPath, { message: "A file is read by its path only in Node; pass a Blob or a stream." });
  t.throws(() => new page.avatar.Client(), { message: /^baseUrl is missing/ });
});
