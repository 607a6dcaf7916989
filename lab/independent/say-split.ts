// Says a text with a built-in voice and writes down when the mouth does what, for check_mouth.py:
//
//   npx tsx lab/independent/say-split.ts FOLDER [voice] [language]
//
// FOLDER gets text.txt (for `avatar render --text`), speech.wav and split.jsonl, with mouth classes as phones.
import { mkdir, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { speakText } from "../../cli/commands/voices/speak-text.ts";
import { writeWav } from "../../src/signal/audio/wav.ts";

const TEXT =
  `Please remember to bring my big blue paper bag back home before Monday. How many people would you like to invite, and where should
they sit? I have moved your appointment to Thursday afternoon at half past five. My mother made some marmalade for Bob, but Pamela prefers plum jam.
We wanted to show you two new shoes in the window. Above the hills a small white cloud was moving slowly to the west. Fifty foxes found a few soft
feathers over the valley. Maybe we should meet at the pub and compare both maps.`.replace(/\s+/g, " ");

const [folder, voiceId = "F1", language = "en"] = process.argv.slice(2);
if (!folder) throw new Error("usage: npx tsx lab/independent/say-split.ts FOLDER [voice] [language]");
const { audio, visemes } = await speakText(process.env, TEXT, { voiceId, language });
await mkdir(folder, { recursive: true });
await writeFile(join(folder, "text.txt"), TEXT);
await writeFile(join(folder, "speech.wav"), writeWav(audio));
const phones = visemes.map(({ viseme, startMs, endMs }) => [
  viseme === "sil" ? "SIL" : viseme,
  startMs / 1000,
  endMs / 1000,
]);
await writeFile(join(folder, "split.jsonl"), `${JSON.stringify({ wav: "speech.wav", phones })}\n`);
