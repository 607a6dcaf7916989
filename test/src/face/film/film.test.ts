import t from "tap";
import { FACE_PARAMETER_INDEX } from "../../../../shared/face-parameters.ts";
import { secondsOf, speakText } from "../../../../src/face/film/film-speech.ts";
import { expectedFrames } from "../../../../src/face/film/film-ticks.ts";
import { generatedMark } from "../../../../src/face/film/generated-mark.ts";
import { restLoop } from "../../../../src/face/film/rest-loop.ts";
import { writeWebVtt } from "../../../../src/face/film/web-vtt.ts";
import { EspeakVoice } from "../../../../src/speech/voice/espeak-voice.ts";

const TEXT = "The whales come first. Then the stars & the sea.";

t.test("a spoken text is one piece of audio, with the times of its phrases and mouth shapes", async (t) => {
  const voice = new EspeakVoice();
  t.teardown(() => voice.close());
  const { audio, phrases, visemes } = await speakText(voice, TEXT, { voiceId: "F1" });
  t.same(
    phrases.map(({ text }) => text),
    ["The whales come first.", "Then the stars & the sea."],
  );
  t.equal(phrases[1].startMs, phrases[0].endMs);
  t.ok(Math.abs(phrases[1].endMs - 1000 * secondsOf(audio)) < 0.1);
  t.ok(visemes.some(({ startMs }) => startMs > phrases[1].startMs));
  t.equal(expectedFrames(audio), Math.ceil(secondsOf(audio) * 25));
  const short = await speakText(voice, TEXT, { voiceId: "F1" }, { maxSeconds: 0.5 });
  t.equal(short.phrases.length, 1, "nothing is spoken after the limit");
  t.ok(secondsOf(short.audio) > 0.5, "and the audio shows that there was more");
  const stopping = new AbortController();
  const stopped = speakText(voice, TEXT, { voiceId: "F1" }, { signal: stopping.signal });
  stopping.abort(new Error("no longer wanted"));
  await t.rejects(stopped, /no longer wanted/);
});

t.test("a face at rest loops: the step from its last frame to its first is an ordinary one", async (t) => {
  const frames = restLoop({ restPose: {}, headMotion: 1 }, 250);
  t.equal(frames.length, 250);
  const parameters = frames[0].parameters.keys();
  for (const k of parameters) {
    const step = (a: number, b: number) => Math.abs(frames[a].parameters[k] - frames[b].parameters[k]);
    const largest = Math.max(...frames.slice(1).map((_, index) => step(index, index + 1)));
    t.ok(step(249, 0) <= largest, `parameter ${k}`);
  }
  const lids = frames.map(({ parameters: pose }) => pose[FACE_PARAMETER_INDEX.blinkL]);
  t.ok(Math.max(...lids) > 0.9, "it blinks");
});

t.test("the mark of a film is one whole box with an XMP packet that names the kind of source", async (t) => {
  const box = Buffer.from(generatedMark());
  t.equal(box.readUInt32BE(0), box.length);
  t.equal(box.toString("latin1", 4, 8), "uuid");
  t.equal(box.toString("hex", 8, 24), "be7acfcb97a942e89c71999491e3afac");
  t.match(box.toString("utf8", 24), /^<\?xpacket.*DigitalSourceType>http:\/\/cv\.iptc\.org\/\S+<.*xpacket end/s);
});

t.test("subtitles have a cue for each phrase, and several for a long one", async (t) => {
  const long = `${"word ".repeat(30)}end.`;
  const text = writeWebVtt([
    { text: "Then the <stars> & the sea.", startMs: 0, endMs: 1_500.4 },
    { text: long, startMs: 1_500.4, endMs: 3_661_500 },
  ]);
  const [head, first, ...rest] = text.trim().split("\n\n");
  t.equal(head, "WEBVTT");
  t.equal(first, "00:00:00.000 --> 00:00:01.500\nThen the &lt;stars&gt; &amp; the sea.");
  t.equal(rest.length, 2);
  t.match(rest[0], /^00:00:01\.500 --> /);
  t.match(rest[1], / --> 01:01:01\.500\n/);
  const lines = rest.map((cue) => cue.split("\n")[1]);
  t.equal(lines.join(" "), long);
  t.ok(lines.every((line) => line.length <= 84));
  t.equal(writeWebVtt([]).trim(), "WEBVTT");
});
