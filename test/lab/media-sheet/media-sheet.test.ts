import { readdir } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { mediaPage } from "../../../lab/media-sheet/media-page.ts";
import { makeMediaSheet, type SheetItem } from "../../../lab/media-sheet/media-sheet.ts";
import { DefaultVoice } from "../../../src/speech/voice/default-voice.ts";
import { probeFilm } from "../../helpers/files/probe-film.ts";

t.setTimeout(240_000);

t.test("a quick sheet has voices, faces and gestures, each with its file", async (t) => {
  const folder = join(t.testdir(), "sheet");
  const voice = new DefaultVoice({ engine: "formant" });
  t.teardown(() => voice.close());
  const seen: SheetItem[] = [];
  const { signal } = new AbortController();
  const items = await makeMediaSheet({ folder, voice, isQuick: true, signal, onItem: (item) => seen.push(item) });
  t.same(items, seen);
  const countOf = (wanted: SheetItem["section"]) => items.filter(({ section }) => section === wanted).length;
  t.same([countOf("voices"), countOf("faces"), countOf("gestures")], [2, 2, 3]);
  t.same((await readdir(folder)).sort(), items.map(({ file }) => file).sort());
  const face = items.find(({ section }) => section === "faces");
  t.equal(face?.seconds, 3);
  t.equal((await probeFilm(join(folder, face?.file ?? ""))).frames.length, 75);
});

t.test("the page links every file and shows names as text", async (t) => {
  const item: SheetItem = { section: "faces", name: "<b>Ann & Bo</b>", about: "person", file: "a b.mp4", seconds: 20 };
  const page = mediaPage([item, { ...item, section: "voices", file: "voice-M1.wav" }]);
  t.match(page, /<video controls preload="metadata" src="a%20b\.mp4">/);
  t.match(page, /<audio controls preload="metadata" src="voice-M1\.wav">/);
  t.match(page, "&lt;b>Ann &amp; Bo&lt;/b>");
  t.notMatch(page, /Gestures/);
});
