// A text that is spoken before it is wanted.
import t from "tap";
import { VoiceAhead } from "../../../agent-worker/session/voice-ahead.ts";
import type { SpokenPiece, Voice } from "../../../src/speech/voice/voice.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const GREETING = "Hello. What can I do for you?";

/** A voice that makes `count` pieces of `seconds` of audio, each of them known by its first sample. */
function countingVoice({ count = 3, seconds = 1, failsAt = -1 } = {}) {
  const made: string[] = [];
  let isClosed = false;
  let ended = 0;
  const voice: Voice = {
    async *synthesize(text) {
      try {
        for (let index = 0; index < count; index++) {
          if (index === failsAt) throw new Error("the voice failed");
          await new Promise((resolve) => setImmediate(resolve));
          made.push(`${text} ${index}`);
          yield {
            sampleRateHz: 100,
            samples: Int16Array.of(index, ...new Array(100 * seconds - 1).fill(0)),
            endsSentence: true,
          };
        }
      } finally {
        ended += 1;
      }
    },
    close: async () => {
      isClosed = true;
    },
  };
  return { voice, made, hasClosed: () => isClosed, endedCount: () => ended };
}

async function read(pieces: AsyncIterable<SpokenPiece>, most = Number.POSITIVE_INFINITY): Promise<number[]> {
  const read: number[] = [];
  for await (const { samples } of pieces) {
    read.push(samples[0]);
    if (read.length >= most) break;
  }
  return read;
}

t.test("a text is spoken once: what was made ahead, then the rest, in order", async (t) => {
  for (const { count, seconds, ahead } of [
    { count: 3, seconds: 1, ahead: 3 },
    { count: 6, seconds: 4, ahead: 4 },
  ]) {
    const { voice, made } = countingVoice({ count, seconds });
    const speaker = new VoiceAhead(voice);
    speaker.prepare(GREETING, {});
    await waitFor(() => made.length === ahead, "what is made ahead, at most some seconds");
    t.same(await read(speaker.synthesize("Something else.", {})), [...Array(count).keys()], "other texts pass by");
    t.same(await read(speaker.synthesize(GREETING, {})), [...Array(count).keys()]);
    t.equal(made.filter((text) => text.startsWith(GREETING)).length, count, "no piece was made twice");
    t.same(await read(speaker.synthesize(GREETING, {})), [...Array(count).keys()], "the next time it is made anew");
    t.equal(made.filter((text) => text.startsWith(GREETING)).length, 2 * count);
  }
});

t.test("a reader who comes at once gets each piece as it is made", async (t) => {
  const { voice, made } = countingVoice({ count: 5 });
  const speaker = new VoiceAhead(voice);
  speaker.prepare(GREETING, {});
  t.same(await read(speaker.synthesize(GREETING, {})), [0, 1, 2, 3, 4]);
  t.equal(made.length, 5);
});

t.test("a reader who stops ends the voice, and its failure is told to the reader", async (t) => {
  const stopped = countingVoice({ count: 5 });
  const first = new VoiceAhead(stopped.voice);
  first.prepare(GREETING, {});
  t.same(await read(first.synthesize(GREETING, {}), 2), [0, 1]);
  await waitFor(() => stopped.endedCount() === 1, "the voice ends");
  await first.close();
  t.ok(stopped.hasClosed());

  const failing = countingVoice({ failsAt: 1 });
  const second = new VoiceAhead(failing.voice);
  second.prepare(GREETING, {});
  await waitFor(() => failing.endedCount() === 1, "the voice fails before anyone listens");
  await t.rejects(read(second.synthesize(GREETING, {})), /the voice failed/);
});
