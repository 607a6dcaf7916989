// What the avatar tells about this product: it can be spoken, and its figures are those of the code and the documents.
import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import t from "tap";
import { findAnswer } from "../../../../src/conversation/answers/answer-from-documents.ts";
import { readProductDocument } from "../../../../src/conversation/answers/product-document.ts";
import { LANGUAGE_CODES } from "../../../../src/speech/languages/languages.ts";

const ROOT = fileURLToPath(new URL("../../../../", import.meta.url));
const PERSONA = { name: "Nova", systemPrompt: "", hasDocuments: false };
const answer = (text: string) =>
  findAnswer({ text, history: [], passages: [], persona: PERSONA, language: "en" }) ?? "";

/** The README, and all documents in `docs`. */
async function documents(): Promise<string> {
  const names = (await readdir(join(ROOT, "docs"), { recursive: true })).filter((name) => name.endsWith(".md"));
  const paths = ["README.md", ...names.map((name) => join("docs", name))];
  return (await Promise.all(paths.map((path) => readFile(join(ROOT, path), "utf8")))).join("\n");
}

t.test("each entry is one to three sentences that can be spoken, and each way to ask leads to an answer", async (t) => {
  const entries = readProductDocument();
  t.ok(entries.length > 30);
  for (const { questions, answer: spoken } of entries) {
    t.ok(questions.length > 0 && spoken.length > 0);
    t.ok(spoken.length <= 330, `${spoken.length} characters: ${spoken}`);
    t.notMatch(spoken, /[`*_#<>{}|]|https?:/, spoken);
    t.match(spoken, /[.]$/);
    t.equal(answer(`${questions[0]}?`), spoken, questions[0]);
  }
});

t.test("its figures are those of the code and the documents", async (t) => {
  const text = await documents();
  const { license, engines } = JSON.parse(await readFile(join(ROOT, "package.json"), "utf8"));
  t.match(answer("What is the licence?"), license.replace("-", " "));
  t.ok(engines.node.includes("20"), "24 is best, not needed");
  t.match(answer("Which languages do you speak?"), new RegExp(`speak ${LANGUAGE_CODES.length} languages`));
  const recognition = await readFile(join(ROOT, "models/recognition/README.md"), "utf8");
  t.match(recognition, /99 languages/);
  t.match(answer("Which languages do you speak?"), /understands 99\./);
  t.match(await readFile(join(ROOT, ".env.example"), "utf8"), /^AVATAR_TRANSCRIPT_DAYS=30$/m);
  t.match(answer("Is this conversation recorded?"), /30 days/);
  t.match(text, /25(?:\.0)? fps/);
  t.match(answer("What is the frame rate?"), /^25 frames/);
  t.match(text, /26 to 30 % of one core/);
  t.match(answer("Do I need a GPU?"), /about 30 percent of one core/);
  t.match(text, /230 MB; 100 MB[^|]*350 MB/);
  t.match(answer("How much memory does it need?"), /230 megabytes.*100\..*350 more/);
  t.match(text, /Disk: 2 GB/);
  t.match(answer("How much memory does it need?"), /2 gigabytes of disk/);
  t.match(text, /0\.94 s; 1\.01 s; 1\.22 s/);
  t.match(answer("How quickly do you answer?"), /1\.2 seconds/);
  t.match(text, /161 ms, 177 ms/);
  t.match(answer("How big is the latency of the mouth?"), /180 milliseconds.*16 milliseconds/);
  t.match(text, /A\/V offset at a LiveKit client[^\n]*16 ms/);
});
