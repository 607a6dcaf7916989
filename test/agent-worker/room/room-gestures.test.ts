import t from "tap";
import { RoomGestures } from "../../../agent-worker/room/room-gestures.ts";
import { FACE_PARAMETER_COUNT } from "../../../shared/face-parameters.ts";
import { gestureTracks } from "../../../src/face/gestures/gesture-track.ts";
import { GesturePlayer } from "../../../src/face/motion/gesture-player.ts";

/** Gestures on a clock of the test's own. */
function roomGestures(hasCues = true, language = "en") {
  const player = new GesturePlayer(gestureTracks({ seconds: 5 }));
  let nowMs = 0;
  const engine = {
    get gesture() {
      return player.current;
    },
    trigger: (name: string, atMostMs?: number) => player.trigger(name, atMostMs),
    stopGesture: () => player.stop(),
  };
  const gestures = new RoomGestures({ engine, hasCues, language, now: () => nowMs });
  return {
    gestures,
    playing: () => player.current,
    pass: (ms: number) => {
      nowMs += ms;
      const pose = new Float32Array(FACE_PARAMETER_COUNT);
      for (let tick = 0; tick < ms / 40; tick++) player.addTo(pose, { speaking: 0, shut: 0 });
    },
    ask: (request: unknown) => JSON.parse(gestures.perform(JSON.stringify(request))),
  };
}

t.test("a request names a gesture, its clip or words for it, and the answer says what plays", async (t) => {
  const { ask, pass } = roomGestures();
  const requests: [object, object][] = [
    [{ action: "nod" }, { action: "nod", animation_triggered: true, played: "nod" }],
    [{ action: "please wave" }, { action: "please wave", animation_triggered: true, played: "mini_wave_hello" }],
    [
      { target_video: "https://x.test/files/dynamics/093509e1-e9da-4e71-a5c4-c221f17a5475-6-nod.mp4?name=nod.mp4" },
      { played: "nod" },
    ],
    [
      { action: null, target_video: "wink" },
      { action: "wink", played: "wink" },
    ],
    [{ action: "fly" }, { action: "fly", animation_triggered: false, reason: "unknown_action" }],
    [{ action: { a: 1 } }, { action: "", animation_triggered: false, reason: "unknown_action" }],
    [[], { animation_triggered: false, reason: "invalid_payload" }],
    [{ action: "nod", force_action: "yes" }, { played: "nod" }],
  ];
  for (const [request, answer] of requests) {
    pass(6_000);
    t.match(ask(request), { status: "success", service: /./, ...answer }, JSON.stringify(request));
  }
  pass(6_000);
  t.equal(ask({ action: "x".repeat(10_000) }).action.length, 100);
});

t.test("requests are limited, and a gesture that plays is not started again unless it is forced", async (t) => {
  const { ask, pass, playing } = roomGestures();
  t.match(ask({ action: "nod" }), { animation_triggered: true });
  t.match(ask({ action: "laugh", force_action: true }), { animation_triggered: false, reason: "too_often" });
  pass(400);
  t.match(ask({ action: "say yes" }), { animation_triggered: false, reason: "already_playing" });
  t.match(ask({ action: "nod", force_action: true }), { animation_triggered: true });
  pass(400);
  t.match(ask({ action: "laugh" }), { animation_triggered: true, played: "laugh" }, "another one replaces it");
  t.equal(playing(), "laugh");
});

t.test("speech ends a gesture that says so, or keeps it from being started", async (t) => {
  for (const side of ["user", "agent"] as const) {
    const { gestures, ask, pass, playing } = roomGestures();
    const speak = (is: boolean) => (side === "user" ? gestures.userSpeaks(is) : gestures.agentSpeaks(is));
    const stopping = { action: "laugh", [`stop_on_${side}_speech`]: true };
    ask(stopping);
    pass(800);
    t.equal(playing(), "laugh");
    speak(true);
    t.equal(playing(), null, `${side}: it fades out`);
    t.match(ask(stopping), { animation_triggered: false, reason: `${side}_is_speaking` });
    t.match(ask({ ...stopping, force_action: true }), { animation_triggered: true });
    pass(800);
    speak(false);
    speak(true);
    t.equal(playing(), null);
    ask({ action: "nod" });
    speak(false);
    speak(true);
    t.equal(playing(), "nod", "a gesture without the field goes on");
  }
});

t.test("sentences have gestures where this is enabled, not too often, and never over another one", async (t) => {
  const { gestures, ask, pass, playing } = roomGestures();
  gestures.sentence("The museum opens at nine.");
  t.equal(playing(), null);
  gestures.sentence("Hello and welcome!");
  t.equal(playing(), "mini_wave_hello");
  pass(2_200);
  t.equal(playing(), null, "only its first movement");
  gestures.sentence("Yes, of course.");
  t.equal(playing(), null, "not right after another");
  pass(6_000);
  gestures.sentence("Yes, of course.");
  t.equal(playing(), "nod");
  gestures.interrupted();
  t.equal(playing(), null, "it ends with the sentence that is cut off");
  pass(6_000);
  ask({ action: "thinking" });
  gestures.sentence("No.");
  gestures.interrupted();
  t.equal(playing(), "thinking");
  const off = roomGestures(false);
  off.gestures.sentence("Hello!");
  t.equal(off.playing(), null);
});
