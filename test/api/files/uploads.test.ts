// Uploads as a caller sends them: over HTTP, in all forms, to a real database and a real disk.
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { fileURLToPath } from "node:url";
import t from "tap";
import { addSecret } from "../../../api/accounts/secrets/secret-store.ts";
import { acceptFile } from "../../../api/files/accept-file.ts";
import { sweepUploads } from "../../../api/files/upload-store.ts";
import { FILE_KINDS, type FileKindName } from "../../../api/kernel/storage/file-kind.ts";
import { type TestApi, withApi } from "../../helpers/service/with-api.ts";

const KINDS = Object.keys(FILE_KINDS) as FileKindName[];
const TYPES = { images: "image", video: "video", audio: "audio", docs: "document" } as const;
const UNSUPPORTED = { status: 415, body: { error: { code: "UNSUPPORTED_TYPE", httpStatus: 415 }, status: "error" } };
const INVALID = { status: 400, body: { error: { code: "VALIDATION_ERROR" } } };

function fixture(name: string): Promise<Buffer> {
  return readFile(fileURLToPath(new URL(`../../fixtures/files/${name}`, import.meta.url)));
}

/** An api with one account, and ways to upload. */
async function onStage(
  work: (stage: {
    api: TestApi;
    upload(body: object): ReturnType<TestApi["call"]>;
    /** In base64, as JSON. */
    send(bytes: Uint8Array, fileName?: string, fileType?: string): ReturnType<TestApi["call"]>;
    sendForm(bytes: Uint8Array, fileName: string, fields?: object): ReturnType<TestApi["call"]>;
  }) => Promise<void>,
  environment: Record<string, string> = {},
): Promise<void> {
  await withApi(
    async (api) => {
      // The most requests a minute, because a test makes a minute's worth of them.
      const { secret } = await api.addAccount({ plan: "enterprise" });
      const upload = (body: unknown) => api.call("POST", "/v1/files/upload", { secret, body });
      await work({
        api,
        upload,
        send: (bytes, file_name, file_type) =>
          upload({ file_data: Buffer.from(bytes).toString("base64"), file_name, file_type }),
        sendForm(bytes, fileName, fields = {}) {
          const form = new FormData();
          for (const [name, value] of Object.entries(fields)) form.append(name, String(value));
          form.append("file", new Blob([new Uint8Array(bytes)]), fileName);
          return upload(form);
        },
      });
    },
    { environment },
  );
}

/** A server that serves the given paths. */
async function withFiles(files: Record<string, Buffer>, work: (baseUrl: string) => Promise<void>): Promise<void> {
  const server = createServer((request, response) => {
    const bytes = files[request.url?.slice(1) ?? ""];
    if (bytes) response.end(bytes);
    else response.writeHead(404).end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await work(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

t.test(
  "every file type of the contract is accepted in each form, classified by its bytes, and downloaded unchanged",
  async (t) => {
    await onStage(async ({ api, send, sendForm }) => {
      for (const [index, kind] of KINDS.entries()) {
        const { category, mimeType, extensions } = FILE_KINDS[kind];
        const bytes = await fixture(`a.${kind}`);
        const name = `my ${kind}.${extensions[0].toUpperCase()}`;
        const answer =
          index % 2 ? await send(bytes, name) : await sendForm(bytes, name, { file_type: TYPES[category] });
        t.match(
          answer,
          {
            status: 200,
            body: {
              success: true,
              message: String,
              data: {
                file_url: /\/files\/uploads\/[0-9a-f-]{36}\.\w+\?/,
                original_source: name,
                file_type: index % 2 ? "auto" : TYPES[category],
                file_size: bytes.length,
                mime_type: mimeType,
                asset_category: category,
                uploaded_at: /^\d{4}-\d\d-\d\dT.*Z$/,
              },
            },
          },
          kind,
        );
        const fetched = await fetch(answer.body.data.file_url);
        t.same(Buffer.from(await fetched.arrayBuffer()), bytes);
        const isShown = kind === "jpg" || kind === "png";
        t.match(Object.fromEntries(fetched.headers), {
          "content-type": mimeType,
          "x-content-type-options": "nosniff",
          "content-disposition": isShown ? "inline" : `attachment; filename="my_${kind}.${extensions[0]}"`,
          "content-security-policy": "default-src 'none'; sandbox",
        });
      }
      const rows = await api.services.database.selectFrom("uploads").selectAll().execute();
      t.equal(rows.length, KINDS.length);
    });
  },
);

t.test("an upload can be fetched in ranges, and only with its link", async (t) => {
  await onStage(async ({ send }) => {
    const bytes = await fixture("a.mp4");
    const url = (await send(bytes, "a.mp4")).body.data.file_url;
    const part = await fetch(url, { headers: { range: "bytes=100-199" } });
    t.equal(part.status, 206);
    t.equal(part.headers.get("content-range"), `bytes 100-199/${bytes.length}`);
    t.same(Buffer.from(await part.arrayBuffer()), bytes.subarray(100, 200));
    const outside = await fetch(url, { headers: { range: `bytes=${bytes.length}-` } });
    t.equal(outside.headers.get("content-range"), `bytes */${bytes.length}`);
    t.match(await outside.json(), { error: { code: "VALIDATION_ERROR", httpStatus: 416 }, status_code: 416 });
    t.equal((await fetch(url.replace(/\?.*/, ""))).status, 403);
    const head = await fetch(url, { method: "HEAD" });
    t.match([head.status, head.headers.get("content-length")], [200, String(bytes.length)]);
  });
});

t.test("the content decides a file's type, and a name or type that contradicts it is refused", async (t) => {
  await onStage(async ({ send, sendForm }) => {
    const [png, pdf, docx, mp4] = await Promise.all(["a.png", "a.pdf", "a.docx", "a.mp4"].map(fixture));
    t.match((await send(png, "photo.jpg", "image")).body.data, { mime_type: "image/png", file_url: /photo\.png/ });
    t.match((await send(png)).body.data, { mime_type: "image/png" }, "no name at all");
    t.match((await send(pdf, "paper.pdf", "pdf")).body.data, { file_type: "pdf", asset_category: "docs" });
    t.match((await send(await fixture("sound.mp4"), "voice.m4a", "audio")).body.data, { mime_type: "audio/mp4" });
    for (const [bytes, name, type] of [
      [png, "paper.pdf", "auto"],
      [png, "a.png", "video"],
      [pdf, "a.pdf", "image"],
      [docx, "a.docx", "pdf"],
      [docx, "a.xlsx", "auto"],
      [mp4, "a.mp4", "audio"],
      [png, "a.exe", "auto"],
      [png, "a.svg", "auto"],
      [pdf, "a.html", "auto"],
    ] as const) {
      const answer = await sendForm(bytes, name, { file_type: type });
      t.match(answer, UNSUPPORTED, `${name} as ${type}: ${answer.body.error?.message}`);
    }
  });
});

t.test("files that a browser would execute and files with two types are refused", async (t) => {
  const jpg = await fixture("a.jpg");
  const gif = await fixture("a.gif");
  const docx = await fixture("a.docx");
  const insert = (bytes: Buffer, text: string) => Buffer.concat([bytes, Buffer.from(text)]);
  const hostile: Record<string, [Buffer, string]> = {
    SVG: [Buffer.from('<svg xmlns="http://www.w3.org/2000/svg"></svg>'), "a.png"],
    "SVG with a declaration": [Buffer.from('<?xml version="1.0"?><svg xmlns="x"/>'), "a.txt"],
    "SVG in UTF-16": [Buffer.from("\ufeff<svg ></svg>", "utf16le"), "a.txt"],
    "a page": [Buffer.from("\n <!DOCTYPE html><p>hello"), "a.txt"],
    "a script in a table": [Buffer.from("a,b\n1,<script>alert(1)</script>\n"), "a.csv"],
    "a handler": [Buffer.from("words <img src=x onerror=alert(1)>"), "a.txt"],
    "a link that runs": [Buffer.from('[a]("javascript:alert(1)")'), "a.txt"],
    "a program's first line": [Buffer.from("#!/bin/sh\necho\n"), "a.txt"],
    "an image with a page behind it": [insert(jpg, "<html><script>1</script>"), "a.jpg"],
    "an image with a server's script": [insert(jpg, "<?php system($_GET[0]); ?>"), "a.jpg"],
    "an image that is an archive": [insert(jpg, docx.toString("latin1")), "a.jpg"],
    "an image that is a PDF": [Buffer.concat([gif.subarray(0, 6), Buffer.from("%PDF-1.4"), gif.subarray(14)]), "a.gif"],
    "an image that is a script": [insert(Buffer.from("GIF89a/*...."), "*/=alert(1);"), "a.gif"],
    "a program": [Buffer.concat([Buffer.from("MZ\x90\0\x03", "latin1"), Buffer.alloc(200)]), "a.txt"],
    "an archive": [Buffer.concat([Buffer.from("PK\x05\x06"), Buffer.alloc(18)]), "a.docx"],
    "bytes that are nothing": [Buffer.from([0, 1, 2, 3, 4, 5, 6, 7]), "a.txt"],
  };
  hostile["an image that is an archive"][0] = Buffer.concat([jpg, docx]);
  await onStage(async ({ send, sendForm }) => {
    for (const [what, [bytes, name]] of Object.entries(hostile)) {
      const answers = [await send(bytes, name), await sendForm(bytes, name)];
      for (const answer of answers) t.match(answer, UNSUPPORTED, `${what}: ${answer.body.error?.message}`);
    }
    const harmless = Buffer.from("a < b, c > d; 3 <5; the scripture <- arrow; <name@example.test>; on = off\n");
    t.equal((await send(harmless, "a.txt")).status, 200, "prose with angle brackets is text");
  });
});

t.test("each category has its own size limit, and a larger file is refused", async (t) => {
  const limits = { png: 10_000_000, pdf: 25_000_000, mp3: 50_000_000, mp4: 100_000_000 } as const;
  for (const [kind, limitBytes] of Object.entries(limits)) {
    const path = fileURLToPath(new URL(`../../fixtures/files/a.${kind}`, import.meta.url));
    const claims = { fileName: `a.${kind}`, fileType: "auto" as const };
    t.equal(await acceptFile(path, limitBytes, claims), kind);
    await t.rejects(acceptFile(path, limitBytes + 1, claims), {
      code: "FILE_TOO_LARGE",
      message: /limit for .* is \d+ MB/,
    });
  }
  await onStage(async ({ sendForm, send }) => {
    const start = await fixture("a.png");
    const full = Buffer.concat([start, Buffer.alloc(limits.png - start.length, 7)]);
    t.match(await sendForm(full, "a.png"), { status: 200, body: { data: { file_size: limits.png } } });
    const over = Buffer.concat([full, Buffer.alloc(1)]);
    const tooLarge = { status: 413, body: { error: { code: "FILE_TOO_LARGE" } } };
    t.match(await sendForm(over, "a.png"), tooLarge);
    t.match(await send(over, "a.png"), tooLarge);
  });
});

t.test(
  "a file is fetched from its URL; a URL that is not publicly reachable or has no file is answered with DOWNLOAD_FAILED",
  async (t) => {
    const png = await fixture("a.png");
    await withFiles(
      { "me.png": png, "empty.png": Buffer.alloc(0), "page.html": Buffer.from("<html>") },
      async (url) => {
        await onStage(
          async ({ upload }) => {
            t.match(await upload({ file_url: `${url}/me.png`, file_type: "image" }), {
              status: 200,
              body: { data: { original_source: `${url}/me.png`, file_size: png.length, file_type: "image" } },
            });
            const failed = { status: 400, body: { error: { code: "DOWNLOAD_FAILED" } } };
            t.match(await upload({ file_url: `${url}/other.png` }), failed);
            t.match(await upload({ file_url: `${url}/empty.png` }), failed);
            t.match(await upload({ file_url: "http://127.0.0.1:9/me.png" }), failed);
            t.match(await upload({ file_url: "ftp://example.test/me.png" }), failed);
            t.match(await upload({ file_url: `${url}/page.html` }), UNSUPPORTED);
            t.match(await upload({ file_url: "me.png" }), INVALID);
          },
          { AVATAR_ALLOW_PRIVATE_ADDRESSES: "1" },
        );
        await onStage(async ({ upload }) => {
          const answer = await upload({ file_url: `${url}/me.png` });
          t.match(answer, {
            status: 400,
            body: { error: { code: "DOWNLOAD_FAILED", message: /not publicly reachable/ } },
          });
        });
      },
    );
  },
);

t.test("the URL of an upload is accepted in URL fields, even if the machine has no public address", async (t) => {
  await onStage(async ({ send, upload }) => {
    const url = (await send(await fixture("a.png"), "a.png")).body.data.file_url;
    t.match(await upload({ file_url: url }), { status: 200, body: { data: { mime_type: "image/png" } } });
    t.match(
      await upload({
        file_url: url.replace(
          /signature=(.)/,
          (_whole: string, first: string) => `signature=${first === "A" ? "B" : "A"}`,
        ),
      }),
      { status: 400 },
      "but only a valid one",
    );
  });
});

t.test(
  "an account lists and deletes its uploads, its plan limits them, and they expire after the retention time",
  async (t) => {
    await onStage(async ({ api, send }) => {
      const { database, storage, now } = api.services;
      const png = await fixture("a.png");
      const [first, second] = [(await send(png, "1.png")).body.data, (await send(png, "2.png")).body.data];
      const { secret, account } = await api.addAccount({ plan: "creator" });
      const uploads = () => database.selectFrom("uploads").selectAll().orderBy("uploaded_at");
      const [{ user_id }] = await uploads().execute();
      const [owner, other] = [
        await addSecret(database, { userId: user_id, alias: "b", createdAt: new Date() }),
        secret,
      ];
      const listed = await api.call("GET", "/v1/files?limit=1", { secret: owner });
      t.match(listed, { status: 200, body: { files: [{ file_url: second.file_url, file_name: "2.png" }], total: 2 } });
      t.equal(listed.body.files[0].id, second.id, "the id that its upload was answered with");
      const path = `/v1/files/${second.id}`;
      t.match(await api.call("DELETE", path, { secret: other }), { status: 404 }, "another account's");
      t.match(await api.call("DELETE", "/v1/files/1", { secret: owner }), { status: 404 });
      t.match(await api.call("DELETE", path, { secret: owner }), {
        status: 200,
        body: { success: true, deleted: true },
      });
      t.equal((await fetch(second.file_url)).status, 404);

      // Space for one of two files that arrive at the same time.
      await database
        .updateTable("uploads")
        .set({ user_id: account.userId, size_bytes: 10e9 - 1.5 * png.length })
        .execute();
      const body = { file_data: png.toString("base64") };
      const upload = () => api.call("POST", "/v1/files/upload", { secret, body });
      const answers = await Promise.all([upload(), upload()]);
      t.same(answers.map(({ status }) => status).sort(), [200, 403]);
      const refused = answers.find(({ status }) => status === 403);
      t.match(refused?.body.error, {
        code: "PLAN_REQUIRED",
        message: /Creator plan stores up to 10 GB/,
        upgrade_url: String,
      });

      await sweepUploads({ database, storage, now: () => now() + 8 * 86_400_000 }, 0);
      t.equal((await uploads().execute()).length, 2, "0 days keep all");
      await sweepUploads({ database, storage, now: () => now() + 6 * 86_400_000 }, 7 * 86_400_000);
      t.equal((await uploads().execute()).length, 2);
      await sweepUploads({ database, storage, now: () => now() + 8 * 86_400_000 }, 7 * 86_400_000);
      t.equal((await uploads().execute()).length, 0);
      t.equal((await fetch(first.file_url)).status, 404);
    });
  },
);

t.test("files are refused while the disk has less free space than the configured minimum", async (t) => {
  await onStage(
    async ({ send, sendForm, api }) => {
      const png = await fixture("a.png");
      for (const answer of [await send(png, "a.png"), await sendForm(png, "a.png")]) {
        t.match(answer, { status: 503, body: { error: { code: "SERVICE_UNAVAILABLE" } } });
        t.equal(answer.headers.get("retry-after"), "60");
      }
      const { storage } = api.services;
      await t.rejects(storage.put("uploads/a.png", png), { code: "SERVICE_UNAVAILABLE" }, "whatever writes");
    },
    { AVATAR_MIN_FREE_DISK_MB: "1000000000" },
  );
});

t.test("exactly one file is accepted per upload, in base64 of every common form", async (t) => {
  await onStage(async ({ api, upload }) => {
    const bytes = Buffer.concat([await fixture("a.png"), Buffer.alloc(90_000, "ÿ>?", "latin1")]);
    const base64 = bytes.toString("base64");
    const { secret } = await api.addAccount();
    const raw = (text: string) =>
      api.call("POST", "/v1/files/upload", { secret, body: text, headers: { "content-type": "application/json" } });
    for (const [what, text] of Object.entries({
      plain: JSON.stringify(base64),
      "a data URI": JSON.stringify(`data:image/png;base64,${base64}`),
      lines: JSON.stringify(base64.replace(/.{76}/g, "$&\r\n")),
      "the URL's alphabet, no padding": JSON.stringify(bytes.toString("base64url")),
      "slashes escaped": JSON.stringify(base64).replaceAll("/", "\\/"),
      "plus signs escaped": JSON.stringify(base64).replaceAll("+", "\\u002B"),
    })) {
      const answer = await raw(`{"file_name": "ü.png", "file_data": ${text} , "more": [1, {"a": "b\\"c"}]}`);
      t.match(answer, { status: 200, body: { data: { file_size: bytes.length, original_source: "ü.png" } } }, what);
      const stored = await fetch(answer.body.data.file_url);
      t.same(Buffer.from(await stored.arrayBuffer()), bytes, what);
    }
    t.match(await upload({}), { status: 400, body: { error: { code: "MISSING_PARAM" } } });
    t.match(await upload({ file_type: "image" }), { status: 400, body: { error: { code: "MISSING_PARAM" } } });
    t.match(await upload({ file_data: "", file_name: "a.png" }), INVALID);
    t.match(await upload({ file_data: base64, file_url: "https://example.test/a" }), INVALID);
    t.match(await upload({ file_data: base64, file_type: "picture" }), INVALID);
    t.match(await upload({ file_data: `${base64.slice(0, 40_000)}*${base64}` }), INVALID, "no base64");
    t.match(await upload({ file_data: "YWJj=YWJj" }), INVALID, "padding inside");
    t.match(await upload({ file_data: 7 }), INVALID);
    t.match(await upload({ file_name: base64 }), INVALID, "a long string elsewhere");
    t.match(await raw(`{"file_data": "${base64}`), INVALID, "cut short");
    t.match(await raw(`{"file_data": "${base64}" "file_name": "a"}`), INVALID, "not JSON");
    t.match(await raw(`["${base64}"]`), INVALID, "not an object");
    t.match(await api.call("POST", "/v1/files/upload", { body: { file_data: base64 } }), { status: 401 });
    t.match(
      await api.call("POST", "/v1/files/upload", { secret, body: base64, headers: { "content-type": "text/plain" } }),
      INVALID,
      "a bare file",
    );
  });
});
