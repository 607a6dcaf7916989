// Hostile documents: each is refused with a reason, within limits of time and memory, and the next document is still
// read.
import { randomBytes } from "node:crypto";
import { existsSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { createDeflate, createDeflateRaw } from "node:zlib";
import t from "tap";
import type { SourceExtension } from "../../../api/knowledge/knowledge-base.ts";
import { TextProcess } from "../../../api/knowledge/text/text-process.ts";
import { zipEntry, zipOf } from "../../helpers/files/zip-of.ts";
import { childPids } from "../../helpers/processes/child-pids.ts";

/** For what is to run out of memory: a third of what documents get, so that bombs can be small. */
const SMALL_HEAP_MB = 256;
/** Unpacks to more memory than a document is given, and to more than any document may claim. */
const BOMB_BYTES = 320_000_000;
/** Well within the time that a document is given; loading the readers takes a few seconds on a busy machine. */
const PATIENCE_MS = 100_000;

const TYPES = zipEntry(
  "[Content_Types].xml",
  `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Default Extension="rels" ContentType="application/vnd.openxmlformats-package.relationships+xml"/><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
);
const RELATIONS = zipEntry(
  "_rels/.rels",
  `<?xml version="1.0"?><Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="r1" Type="http://schemas.openxmlformats.org/officeDocument/2006/relationships/officeDocument" Target="word/document.xml"/></Relationships>`,
);
const WORD = "http://schemas.openxmlformats.org/wordprocessingml/2006/main";
const textBody = (text: string, doctype = "") =>
  `<?xml version="1.0"?>${doctype}<w:document xmlns:w="${WORD}"><w:body><w:p><w:r><w:t>${text}</w:t></w:r></w:p></w:body></w:document>`;
const docx = (document: Parameters<typeof zipOf>[0][number]) => zipOf([TYPES, RELATIONS, document]);

/** A document with words after an image of `imageBytes`. */
function illustrated(imageBytes: number): Buffer {
  const drawing = "http://schemas.openxmlformats.org/drawingml/2006";
  const relations = "http://schemas.openxmlformats.org/officeDocument/2006/relationships";
  const blip = `<a:blip xmlns:a="${drawing}/main" xmlns:r="${relations}" r:embed="p1"/>`;
  const inline = ["wp:inline", "a:graphic", "a:graphicData", "pic:pic", "pic:blipFill"];
  const image = inline.reduceRight((inner, name) => `<${name}>${inner}</${name}>`, blip);
  const names = `xmlns:w="${WORD}" xmlns:wp="${drawing}/wordprocessingDrawing" xmlns:a="${drawing}/main" xmlns:pic="${drawing}/picture"`;
  const body = `<w:p><w:r><w:drawing>${image}</w:drawing></w:r></w:p><w:p><w:r><w:t>After the image.</w:t></w:r></w:p>`;
  return zipOf([
    TYPES,
    RELATIONS,
    zipEntry("word/document.xml", `<w:document ${names}><w:body>${body}</w:body></w:document>`),
    zipEntry(
      "word/_rels/document.xml.rels",
      `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships"><Relationship Id="p1" Type="${relations}/image" Target="media/p.png"/></Relationships>`,
    ),
    zipEntry("word/media/p.png", randomBytes(imageBytes)),
  ]);
}

/** A packed text with `BOMB_BYTES` spaces between a beginning and an end. */
async function pack(stream: ReturnType<typeof createDeflate>, begin: string, end: string): Promise<Buffer> {
  const chunk = Buffer.alloc(1 << 20, " ");
  const pieces: Buffer[] = [];
  stream.on("data", (piece: Buffer) => pieces.push(piece));
  stream.write(begin);
  for (let written = 0; written < BOMB_BYTES; written += chunk.length) {
    if (!stream.write(chunk)) await new Promise((resolve) => stream.once("drain", resolve));
  }
  await new Promise<void>((resolve) => stream.end(end, resolve));
  return Buffer.concat(pieces);
}

function pdf(objects: readonly (string | Buffer)[]): Buffer {
  const parts: Buffer[] = [Buffer.from("%PDF-1.4\n")];
  for (const [index, object] of objects.entries()) {
    parts.push(Buffer.from(`${index + 1} 0 obj\n`), Buffer.from(object), Buffer.from("\nendobj\n"));
  }
  parts.push(Buffer.from(`trailer\n<< /Root 1 0 R /Size ${objects.length + 1} >>\n%%EOF\n`));
  return Buffer.concat(parts);
}

const CATALOG = "<< /Type /Catalog /Pages 2 0 R >>";

t.test("documents that unpack, nest or repeat without end are refused, and the service keeps running", async (t) => {
  const folder = t.testdir();
  const { signal } = new AbortController();
  const texts = new TextProcess({ signal });
  const smallTexts = new TextProcess({ signal, heapMb: SMALL_HEAP_MB });
  t.teardown(() => Promise.all([texts.close(), smallTexts.close()]));

  async function read(name: string, bytes: Buffer | string, process = texts): Promise<string> {
    const path = join(folder, name);
    await writeFile(path, bytes);
    const { passages } = await process.read({ path, extension: name.split(".").pop() as SourceExtension });
    return passages.map(({ text }) => text).join("\n\n");
  }

  async function refuses(name: string, bytes: Buffer | string, message: RegExp): Promise<void> {
    const startedMs = performance.now();
    await t.rejects(read(name, bytes, smallTexts), { code: "UNPROCESSABLE", message }, name);
    const tookMs = performance.now() - startedMs;
    t.ok(tookMs < PATIENCE_MS, `${name} was refused after ${(tookMs / 1000).toFixed(1)} s`);
    t.equal(await read("good.txt", "The next one is read.", smallTexts), "The next one is read.", `after ${name}`);
  }

  const honest = docx(zipEntry("word/document.xml", textBody("A word or two.")));
  t.equal(await read("honest.docx", honest), "A word or two.", "what the others are made like can be read");

  t.equal(await read("picture.docx", illustrated(20_000_000)), "After the image.", "images do not push the words out");

  const packed = await pack(
    createDeflateRaw({ level: 1 }),
    textBody("").split("</w:t>")[0],
    "</w:t></w:r></w:p></w:body></w:document>",
  );
  t.ok(packed.length < 10_000_000, `${(packed.length / 1e6).toFixed(1)} MB unpack to ${BOMB_BYTES / 1e6}`);
  const bomb = { name: "word/document.xml", packed, claimedBytes: BOMB_BYTES, crc: 0 };
  await refuses("bomb.docx", docx(bomb), /unpacks to more than/);
  await refuses("liar.docx", docx({ ...bomb, claimedBytes: 1_000 }), /too much memory|cannot be read/);

  const laughs = Array.from({ length: 9 }, (_, level) => {
    return `<!ENTITY lol${level + 1} "${`&lol${level};`.repeat(10)}">`;
  });
  const doctype = `<!DOCTYPE lolz [<!ENTITY lol0 "lol">${laughs.join("")}]>`;
  const laughing = docx(zipEntry("word/document.xml", textBody("&lol9;", doctype)));
  const laughed = await read("laughs.docx", laughing).catch((error: Error) => error.message);
  t.ok(laughed.length < 1_000, "entities are not expanded");

  const nested = `${"<w:p>".repeat(200_000)}${"</w:p>".repeat(200_000)}`;
  const deep = textBody("").replace(/<w:p>.*<\/w:p>/, nested);
  await refuses(
    "deep.docx",
    docx(zipEntry("word/document.xml", deep)),
    /cannot be read|too much memory|no text|too long/,
  );
  await refuses("empty.docx", zipOf([TYPES]), /cannot be read/);

  const page = "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 9 9] /Contents 4 0 R >>";
  const stream = await pack(createDeflate({ level: 1 }), "BT (", ") Tj ET");
  const header = `<< /Length ${stream.length} /Filter /FlateDecode >>\nstream\n`;
  const huge = Buffer.concat([Buffer.from(header), stream, Buffer.from("\nendstream")]);
  const pages = "<< /Type /Pages /Kids [3 0 R] /Count 1 >>";
  await refuses("huge.pdf", pdf([CATALOG, pages, page, huge]), /too much memory|too long|cannot be read|no text/);
  const endless = pdf([CATALOG, "<< /Type /Pages /Kids [2 0 R 2 0 R] /Count 2000000000 >>"]);
  await refuses("endless.pdf", endless, /cannot be read|no text|too long/);

  const before = "<p>Before.</p>";
  const shut = `${before}${"<div>".repeat(400_000)}Deep down.${"</div>".repeat(400_000)}<p>After.</p>`;
  t.equal(await read("deep.html", shut), "Before.", "of 400,000 nested elements those before are read");
  await refuses("open.html", "<div>".repeat(400_000), /no text/);
  const table = `name;price\n${"Kettle;30\n".repeat(500_000)}`;
  const rows = await read("long.csv", table);
  t.ok(rows.startsWith("name: Kettle; price: 30\nname: Kettle"), "of 5 MB of rows the first are read");
  const quoted = await read("quote.csv", `a,b\n"${"x".repeat(5_000_000)}`).catch((error: Error) => error.message);
  t.ok(quoted.length < 1_000, `a quote that never ends: ${quoted.slice(0, 60)}`);
  const long = await read("long.txt", "word ".repeat(2_000_000));
  t.ok(long.length <= 3_010_000 && long.length > 2_000_000, `10 MB of text are cut to ${long.length} characters`);
  t.equal(await read("last.txt", "Still here."), "Still here.");
});

t.test("an aborted document is left with the reason, and closing waits until its process is gone", async (t) => {
  const path = join(t.testdir(), "long.csv");
  await writeFile(path, `name;price\n${"Kettle;30\n".repeat(1_000_000)}`);
  const aborting = new AbortController();
  const texts = new TextProcess({ signal: aborting.signal });
  const reading = texts.read({ path, extension: "csv" });
  const [pid] = childPids("text-child");
  aborting.abort(new Error("the build is over"));
  await t.rejects(reading, /the build is over/);
  await texts.close();
  t.type(pid, "number");
  t.notOk(existsSync(`/proc/${pid}`));
});
