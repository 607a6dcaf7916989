// The parts of the start page that lead from a picture to a moving face, and need no browser.
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import t from "tap";
import { StateMachine } from "../../program/state-machine.ts";
import { isVoiceId } from "../../src/speech/voice/voice-catalogue.ts";
import { asSentence } from "../../web/home/agent-client.ts";
import { middleCrop, movedCrop, scaledCrop } from "../../web/home/crop.ts";
import { HOME_MOVES, type HomeState, TAKES_PICTURES } from "../../web/home/home-state.ts";
import { agentCode, frameCode } from "../../web/home/next-steps.ts";
import { voiceChoices } from "../../web/home/voices.ts";
import { RetryCountdown } from "../../web/shared/retry-countdown.ts";
import { openTabStorage } from "../../web/shared/tab-storage.ts";

t.test("a picture leads through the tab to the service, and every state has a way back", (t) => {
  const ways: HomeState[][] = [
    ["finding", "waking", "chosen", "making", "talking", "empty"],
    ["finding", "framing", "finding", "waking", "chosen", "access", "making", "marking", "making", "talking"],
    ["finding", "framing", "chosen", "making", "refused", "making", "refused", "framing", "waking", "chosen"],
    ["finding", "chosen", "making", "chosen", "finding"],
    ["making", "access", "making", "talking", "empty"],
    ["opening", "talking", "opening", "refused", "empty"],
  ];
  for (const way of ways) {
    const machine = new StateMachine<HomeState>(HOME_MOVES, "empty");
    for (const state of way) t.doesNotThrow(() => machine.enter(state), `${machine.current} to ${state}`);
  }
  for (const [state, next] of Object.entries(HOME_MOVES)) {
    t.ok(next.includes("empty"), `${state} can be left for the beginning`);
    if (TAKES_PICTURES.includes(state as HomeState)) t.ok(next.includes("finding"), `${state} takes a picture`);
  }
  const machine = new StateMachine<HomeState>(HOME_MOVES, "empty");
  t.throws(() => machine.enter("talking"), "nothing talks without an agent");
  t.throws(() => machine.enter("chosen"), "nothing is chosen without a picture");
  t.end();
});

t.test("a crop is square, stays in the picture, and is never smaller than a face needs", (t) => {
  const picture = { widthPx: 1000, heightPx: 600 };
  const crop = middleCrop(picture);
  t.same(crop, { x: 200, y: 0, widthPx: 600, heightPx: 600 });
  t.same(movedCrop(crop, -5000, 40, picture), { ...crop, x: 0 });
  t.same(movedCrop(crop, 5000, 0, picture), { ...crop, x: 400 });
  const closer = scaledCrop(crop, 0.5, picture);
  t.same(closer, { x: 350, y: 150, widthPx: 300, heightPx: 300 });
  t.equal(scaledCrop(closer, 0.01, picture).widthPx, 160);
  t.same(scaledCrop(closer, 100, picture), crop, "at most the picture");
  t.same(scaledCrop(middleCrop({ widthPx: 90, heightPx: 80 }), 0.1, { widthPx: 90, heightPx: 80 }).widthPx, 80);
  t.end();
});

t.test("a retry counts whole seconds, once, and can be stopped", (t) => {
  const seen: (number | string)[] = [];
  let next: (() => void) | undefined;
  const countdown = new RetryCountdown({
    onSecond: (leftS) => seen.push(leftS),
    onEnd: () => seen.push("again"),
    wait: (_, act) => {
      next = act;
      return () => {
        next = undefined;
      };
    },
  });
  countdown.start(2.2);
  while (next) {
    const act: () => void = next;
    next = undefined;
    act();
  }
  t.same(seen, [3, 2, 1, "again"]);
  seen.length = 0;
  countdown.start(0);
  countdown.start(3600);
  t.same(seen, [1, 60], "between a second and a minute");
  countdown.stop();
  t.equal(next, undefined);
  t.end();
});

t.test("three voices are offered first, then all of them", (t) => {
  const few = voiceChoices({ areAll: false });
  const all = voiceChoices({ areAll: true });
  t.equal(few.length, 3);
  t.same(all.slice(0, 3), few);
  t.equal(new Set(all.map(({ id }) => id)).size, 10);
  t.ok(all.every(({ id }) => isVoiceId(id)));
  t.end();
});

t.test("a character becomes a sentence, and sentences stay as they are", (t) => {
  t.equal(asSentence("A patient guide"), "You are a patient guide.");
  t.equal(asSentence("NASA pilot"), "You are NASA pilot.");
  t.equal(asSentence("You answer briefly!"), "You answer briefly!");
  t.end();
});

t.test("code to copy names the agent, and is that of the manual", async (t) => {
  const code = agentCode("page-1-2", "https://avatars.example");
  t.match(code, 'agent_id: "page-1-2"');
  t.match(code, 'fetch("https://avatars.example/v1/runtime-tokens/request"');
  const manual = await readFile(join(import.meta.dirname, "../../docs/operating/openai-clients.md"), "utf8");
  const lines = code
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "" && !line.startsWith("//") && !/agent_id|fetch\(|launch\(|\benv\b/.test(line));
  const known = manual.split("\n").map((line) => line.trim());
  t.same(
    lines.filter((line) => !known.includes(line)),
    [],
    "all other lines stand in docs/operating/openai-clients.md",
  );
  const frame = frameCode("https://avatars.example/a/x", 'Vera "<b>');
  t.match(frame, /^<iframe src="https:\/\/avatars\.example\/a\/x" title="Vera b"/);
  t.match(frameCode("https://a/", ""), 'title="Avatar"');
});

t.test("where a browser denies storage, the page keeps what it needs in memory", (t) => {
  const denied = openTabStorage(() => {
    throw new DOMException("denied", "SecurityError");
  });
  denied.setItem("a", "1");
  t.equal(denied.getItem("a"), "1");
  denied.removeItem("a");
  t.equal(denied.getItem("a"), null);
  const real = openTabStorage(() => denied);
  t.equal(real, denied);
  t.end();
});
