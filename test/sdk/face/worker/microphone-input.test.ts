// What a face in a tab hears of a microphone that comes in pieces through a port.
import t from "tap";
import { MicrophoneInput } from "../../../../sdk/face/worker/microphone-input.ts";
import { int16AtRate } from "../../../../src/signal/audio/at-rate.ts";
import { toFloatSamples } from "../../../../src/signal/audio/samples.ts";
import { UserHearing } from "../../../../src/speech/phrases/user-hearing.ts";
import { SENTENCES, withPhrases } from "../../../helpers/speech/spoken-phrases.ts";
import { waitFor } from "../../../helpers/wait-for.ts";

const RATE_HZ = 48_000;
const PIECE = RATE_HZ / 100;
const SECOND = RATE_HZ;

function speech(count: number): Promise<Float32Array> {
  return withPhrases(async (speak) => {
    const { samples } = await speak(SENTENCES.en.slice(0, count), { voiceId: "F1", language: "en" });
    return toFloatSamples(int16AtRate(samples, 16_000, RATE_HZ));
  });
}

t.test("phrases at the rate of the page's audio, and when the visitor speaks", async (t) => {
  const heard: string[] = [];
  const hearing = new UserHearing(RATE_HZ, {
    onHeard: (what) => heard.push(what),
    onSpeaking: (isSpeaking) => heard.push(isSpeaking ? "begins" : "is silent"),
  });
  const samples = await speech(2);
  for (let at = 0; at < samples.length; at += PIECE) hearing.push(samples.subarray(at, at + PIECE));
  hearing.push(new Float32Array(2 * SECOND));
  t.same(heard.slice(0, 3), ["speech", "begins", "statement"]);
  t.equal(heard.filter((what) => what === "question").length, 1);
  t.equal(heard.at(-1), "is silent", "after a second without a phrase");
  hearing.push(samples.subarray(0, 2 * SECOND));
  hearing.lost();
  t.same(heard.slice(-4), ["speech", "begins", "lost", "is silent"], "a microphone that drops out");
  t.throws(() => new UserHearing(4_000, { onHeard: () => undefined }), RangeError);
});

t.test("pieces come through a port until the microphone is off; a gap is a microphone that dropped out", async (t) => {
  const { port1, port2 } = new MessageChannel();
  const heard: string[] = [];
  const input = new MicrophoneInput(port2 as unknown as MessagePort, RATE_HZ, { onHeard: (what) => heard.push(what) });
  const samples = await speech(1);
  let atSample = 0;
  const send = (audio: Float32Array): void => {
    for (let at = 0; at + PIECE <= audio.length; at += PIECE) {
      port1.postMessage({ samples: audio.slice(at, at + PIECE), atSample });
      atSample += PIECE;
    }
  };
  send(samples);
  await waitFor(() => heard.includes("statement"), "a phrase has ended");
  t.equal(heard[0], "speech");
  const before = heard.length;
  send(samples.subarray(0, 2 * SECOND));
  atSample += SECOND;
  send(new Float32Array(SECOND));
  await waitFor(() => heard.length >= before + 2, "the gap is noticed");
  t.same(heard.slice(before), ["speech", "lost"], "what was begun has no end");
  input.close();
  t.equal(heard.at(-1), "lost");
  const count = heard.length;
  send(samples);
  await new Promise((resolve) => setTimeout(resolve, 100));
  t.equal(heard.length, count, "it hears nothing any more");
  port1.close();
});
