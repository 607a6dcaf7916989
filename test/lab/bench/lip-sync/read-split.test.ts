import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { readSplit } from "../../../../lab/bench/lip-sync/read-split.ts";
import { writeWav } from "../../../../src/signal/audio/wav.ts";

const folder = t.testdir();
const list = join(folder, "split.jsonl");
await writeFile(join(folder, "a.wav"), writeWav({ samples: new Int16Array(16_000), sampleRateHz: 16_000 }));

t.test("a list of recordings is read, with phones as mouth shapes and files beside the list", async (t) => {
  await writeFile(
    list,
    '{"wav":"a.wav","language":"en","phones":[["SIL",0,0.1],["B",0.1,0.18],["OW1",0.18,0.38]]}\n\n',
  );
  const [clip] = await readSplit(list);
  t.match(clip, { id: "a.wav", language: "en", audio: { sampleRateHz: 16_000 } });
  t.same(
    clip.visemes.map(({ viseme, startMs, endMs }) => [viseme, Math.round(startMs), Math.round(endMs)]),
    [
      ["sil", 0, 100],
      ["PP", 100, 180],
      ["O", 180, 300],
      ["U", 300, 380],
    ],
  );
});

t.test("an error in a list names its line", async (t) => {
  const cases: [string, RegExp][] = [
    ["", /lists no recordings/],
    ["not json", /split\.jsonl, line 1: /],
    ['{"wav":"a.wav","phones":[]}', /line 1: /],
    ['{"wav":"a.wav","phones":[["QQ",0,1]]}', /line 1: QQ at 0 s is not a known phone/],
    ['{"wav":"a.wav","phones":[["B",0.5,0.1]]}', /line 1: B at 0\.5 s is not a known phone/],
    ['{"wav":"missing.wav","phones":[["B",0,1]]}', /missing\.wav cannot be opened/],
  ];
  for (const [text, message] of cases) {
    await writeFile(list, text);
    await t.rejects(readSplit(list), { message }, text);
  }
  await t.rejects(readSplit(join(folder, "nowhere.jsonl")), { message: /nowhere\.jsonl cannot be read/ });
});
