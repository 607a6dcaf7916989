// What the service says, in the languages of the console.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { CREATION_PROGRESS } from "../../../../shared/creation-progress.ts";
import { ERROR_CODES } from "../../../../shared/errors.ts";
import { RequestError } from "../../../../web/shared/request-error.ts";
import { de } from "../../../../web/shared/service-words/de.ts";
import { es } from "../../../../web/shared/service-words/es.ts";
import { serviceWords } from "../../../../web/shared/service-words/service-words.ts";
import { listSources } from "../../../structure/read-sources.ts";

const ROOT = join(import.meta.dirname, "..", "..", "..", "..");

t.test("each error code and each progress has a sentence in each language", async (t) => {
  for (const [language, texts] of Object.entries({ de, es })) {
    t.same(Object.keys(texts.errors), [...ERROR_CODES], `${language}: in the order of the table`);
    t.same(Object.keys(texts.progress), Object.keys(CREATION_PROGRESS), language);
    const words = [...Object.values(texts.errors), ...Object.values(texts.progress)];
    t.notOk(words.includes(""), language);
    t.equal(new Set(Object.values(texts.errors)).size, ERROR_CODES.length, `${language}: no two are the same`);
  }
  const same = ERROR_CODES.filter((code) => de.errors[code] === es.errors[code]);
  t.same(same, [], "each in its own language");
});

t.test("the api writes no progress of an agent that the table lacks", async (t) => {
  for (const path of await listSources(["api"])) {
    const written = (await readFile(join(ROOT, path), "utf8")).match(/progressMessage: ["'][^"']+/g) ?? [];
    t.same(written, [], path);
  }
});

t.test("the service's own sentence stays beside the words, and alone where there are none", async (t) => {
  const german = serviceWords(de);
  t.same(german.error("NOT_FOUND", "No agent A1"), { words: de.errors.NOT_FOUND, detail: "No agent A1" });
  for (const code of ["HTTP_502", "", "constructor"])
    t.same(german.error(code, "Bad gateway"), { words: "Bad gateway" });
  t.equal(german.progress("Making the face"), de.progress.making);
  t.equal(german.progress("Ready. It looks away."), "Ready. It looks away.");
  t.same(serviceWords().error("NOT_FOUND", "No agent A1"), { words: "No agent A1" });

  const error = new RequestError("RATE_LIMITED", "Too many", { retryAfterSeconds: 3, reason: "r", topupUrl: "/u" });
  const { code, retryAfterSeconds, reason, topupUrl, message } = error.inWords(german);
  t.same([code, retryAfterSeconds, reason, topupUrl], ["RATE_LIMITED", 3, "r", "/u"]);
  t.equal(message, `${de.errors.RATE_LIMITED} (Too many)`);
});
