import t from "tap";
import { designedVoiceCode, parseDesignedVoice } from "../../../../../src/speech/voice/shaping/designed-voice.ts";
import { isSpeakableVoice, shapedSpeech } from "../../../../../src/speech/voice/shaping/shaped-speech.ts";
import { NEUTRAL_AXES } from "../../../../../src/speech/voice/shaping/voice-axes.ts";

const axes = { gender: 0.125, pitch: -0.5, rate: 0.3, brightness: 0 };
const CODE = designedVoiceCode({ baseVoiceId: "F3", axes });

t.test("a code contains its voice, and only a whole code of this version is one", async (t) => {
  t.match(CODE, /^bv1_[\w-]{18}$/);
  t.same(parseDesignedVoice(CODE), { baseVoiceId: "F3", axes });
  t.equal(CODE, "bv1_BwB9_gwBLAAA73THrg", "codes are kept by callers: the form must not change");
  for (const index of [...CODE].keys()) {
    const changed = CODE.slice(0, index) + (CODE[index] === "A" ? "B" : "A") + CODE.slice(index + 1);
    t.equal(parseDesignedVoice(changed), null, changed);
  }
  const beyond = designedVoiceCode({ baseVoiceId: "F3", axes: { ...axes, pitch: 0.501 } });
  for (const code of ["", "bv1_", CODE.slice(0, -1), `${CODE}A`, `${CODE}=`, CODE.replace("bv1", "bv2"), beyond]) {
    t.equal(parseDesignedVoice(code), null, code);
  }
});

t.test("a designed voice is its base voice with its axes", async (t) => {
  t.same([CODE, "M1", "X9", "bv1_x"].map(isSpeakableVoice), [true, true, false, false]);
  const designed = shapedSpeech({ voiceId: CODE, speed: 1, axes: { pitch: 0.4 }, language: "de" });
  t.match(designed, { options: { voiceId: "F3", language: "de" } });
  t.ok(Math.abs((designed.options.speed ?? 0) - 2 ** 0.3) < 1e-9);
  t.ok(Math.abs((designed.shape?.pitch ?? 0) - 2 ** -0.375) < 1e-9, "its own axes win");
  t.equal(shapedSpeech({ voiceId: CODE, speed: 1.9 }).options.speed, 2, "the tempo stays within the bounds of speed");
  t.same(shapedSpeech({ voiceId: "M1" }), { options: { voiceId: "M1", speed: 1.05 }, shape: undefined });
  t.equal(
    shapedSpeech({ axes: { ...NEUTRAL_AXES, rate: 0.1 } }).shape,
    undefined,
    "the engine changes the tempo itself",
  );
  t.throws(() => shapedSpeech({ voiceId: "bv1_x" }), { code: "unknown-voice" });
  t.throws(() => shapedSpeech({ axes: { pitch: 0.51 } }), { code: "invalid-input", message: /pitch/ });
  t.throws(() => shapedSpeech({ axes: { rate: Number.NaN } }), { code: "invalid-input" });
});
