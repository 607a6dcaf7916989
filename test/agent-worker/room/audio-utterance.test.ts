// Utterances of the avatar with audio of a server that speaks by itself.
import t from "tap";
import { Captions } from "../../../agent-worker/room/captions.ts";
import { Speaker } from "../../../agent-worker/room/speaker.ts";
import { createLogger } from "../../../program/log.ts";
import { NEUTRAL } from "../../../shared/expressions.ts";
import { EspeakVoice } from "../../../src/speech/voice/espeak-voice.ts";
import { notingEngine } from "../../helpers/faces/noting-engine.ts";
import { FakeRoom } from "../../helpers/rooms/fake-room.ts";

const RATE_HZ = 24_000;
const logger = createLogger({ level: "silent", name: "test" });

function speaking() {
  const { engine, notes, samples } = notingEngine();
  const shown: string[] = [];
  const captions = new Captions({
    room: new FakeRoom().asRoom,
    audioTrackSid: () => "TR_1",
    expression: () => NEUTRAL,
    onHeard: (text) => shown.push(text),
    logger,
  });
  let clears = 0;
  const speaker = new Speaker({
    engine,
    voice: new EspeakVoice(),
    speech: {},
    captions,
    logger,
    onAudio: () => undefined,
    clear: () => {
      clears += 1;
    },
  });
  return { speaker, captions, notes, samples, shown, clears: () => clears };
}

t.test("audio is played as it comes, and its end is its end", async (t) => {
  const { speaker, captions, notes, samples, shown } = speaking();
  const utterance = speaker.play(RATE_HZ);
  utterance.caption("Hello.", 0);
  utterance.push(new Int16Array(RATE_HZ).fill(7));
  t.same(notes, ["open speak-1 24000"]);
  utterance.push(new Int16Array(RATE_HZ / 2).fill(8));
  utterance.end();
  utterance.push(new Int16Array(10));
  t.same(notes, ["open speak-1 24000", "end speak-1"]);
  t.equal(samples.get("speak-1")?.length, 1.5 * RATE_HZ);
  speaker.started("speak-1");
  t.equal(await utterance.started, true);
  speaker.queued("speak-1", 700);
  t.equal(utterance.heardMs, 700);
  captions.finished("speak-1", 1_500);
  speaker.finished("speak-1", { positionMs: 1_500, interrupted: false });
  t.same(await utterance.ended, { heardMs: 1_500, interrupted: false });
  t.same(shown, ["Hello."]);
});

t.test("minutes that come at once go to the engine ten seconds ahead", async (t) => {
  const { speaker, notes, samples } = speaking();
  const utterance = speaker.play(RATE_HZ);
  for (let second = 0; second < 60; second++) utterance.push(new Int16Array(RATE_HZ));
  utterance.end();
  const seconds = () => (samples.get("speak-1")?.length ?? 0) / RATE_HZ;
  t.equal(seconds(), 10);
  speaker.queued("speak-1", 20_000);
  t.equal(seconds(), 30);
  t.equal(notes.length, 1, "it is not over");
  speaker.queued("speak-1", 55_000);
  t.equal(seconds(), 60);
  t.equal(notes.at(-1), "end speak-1");
});

t.test("an expression holds from the first audio on, or from what the engine gets next", async (t) => {
  const { speaker, notes } = speaking();
  const utterance = speaker.play(RATE_HZ);
  utterance.express({ emotion: "happy", intensity: 0.5 });
  utterance.push(new Int16Array(RATE_HZ));
  utterance.express({ emotion: "sad", intensity: 1 });
  utterance.push(new Int16Array(RATE_HZ));
  utterance.end();
  t.same(notes, ["open speak-1 24000", "happy speak-1 0", "sad speak-1 0", "end speak-1"]);
});

t.test("a stop clears the engine, and says how much was heard", async (t) => {
  const { speaker, clears } = speaking();
  const utterance = speaker.play(RATE_HZ);
  utterance.push(new Int16Array(2 * RATE_HZ));
  utterance.stop();
  utterance.stop();
  t.equal(clears(), 1);
  speaker.finished("speak-1", { positionMs: 640, interrupted: true });
  t.same(await utterance.ended, { heardMs: 640, interrupted: true });
});

t.test("audio after an interruption is ignored, and neither an end nor a stop changes what was heard", async (t) => {
  const { speaker, notes, samples, clears } = speaking();
  const utterance = speaker.play(RATE_HZ);
  utterance.push(new Int16Array(RATE_HZ));
  speaker.finished("speak-1", { positionMs: 400, interrupted: true });
  utterance.push(new Int16Array(RATE_HZ));
  t.equal(utterance.madeMs, 1_000);
  utterance.end();
  utterance.stop();
  speaker.clear();
  t.equal(samples.get("speak-1")?.length, RATE_HZ);
  t.same(notes, ["open speak-1 24000"]);
  t.equal(clears(), 0);
  t.same(await utterance.ended, { heardMs: 400, interrupted: true });
});

t.test("an utterance without audio, a stopped one and a dropped one end unheard", async (t) => {
  const { speaker, clears } = speaking();
  const [empty, stopped, dropped] = [speaker.play(RATE_HZ), speaker.play(RATE_HZ), speaker.play(RATE_HZ)];
  empty.end();
  stopped.stop();
  dropped.push(new Int16Array(100));
  speaker.clear();
  t.same(await Promise.all([empty.started, stopped.started, dropped.started]), [false, false, false]);
  t.match(await dropped.ended, { interrupted: true });
  t.equal(clears(), 0);
});
