import t from "tap";
import type { SpeechFeatures } from "../../../../src/face/lip-sync/lip-sync-stream.ts";
import { blendWithText, VisemeTrack } from "../../../../src/face/lip-sync/viseme-track.ts";
import type { TimedViseme } from "../../../../src/speech/visemes/timed-viseme.ts";
import { VISEME_COUNT, VISEME_INDEX, type Viseme } from "../../../../src/speech/visemes/visemes.ts";

/** Shapes that follow each other: name and length in ms. */
function shapes(...parts: [Viseme, number][]): TimedViseme[] {
  let endMs = 0;
  return parts.map(([viseme, durationMs]) => {
    endMs += durationMs;
    return { viseme, startMs: endMs - durationMs, endMs };
  });
}

function closures(track: VisemeTrack, frames: number): number[] {
  return Array.from({ length: frames }, (_, index) => track.frame(index)?.closurePeak ?? -1);
}

t.test("a closure at any time shuts at least one video frame, and only frames that it overlaps", async (t) => {
  for (const durationMs of [36, 50, 60, 80, 100]) {
    for (let startMs = 80; startMs < 120; startMs++) {
      const track = new VisemeTrack();
      track.add(shapes(["aa", startMs], ["PP", durationMs], ["aa", 200]), 0);
      const shut = closures(track, 8).flatMap((closure, index) => (closure > 0.5 ? [index] : []));
      const touched = Math.ceil((startMs + durationMs) / 40) - Math.floor(startMs / 40);
      t.ok(
        shut.length >= 1 && shut.length <= touched,
        `${durationMs} ms from ${startMs}: ${shut.length} of ${touched}`,
      );
      t.ok(shut.every((index) => index * 40 < startMs + durationMs && (index + 1) * 40 > startMs));
    }
  }
});

t.test("a vowel of 60 ms between two closures opens one video frame", async (t) => {
  for (let startMs = 80; startMs < 120; startMs++) {
    const track = new VisemeTrack();
    track.add(shapes(["aa", startMs], ["PP", 70], ["aa", 60], ["PP", 70], ["aa", 200]), 0);
    const course = closures(track, 12);
    const first = course.indexOf(1);
    const last = course.lastIndexOf(1);
    t.ok(course.slice(first, last).includes(0), `from ${startMs}: ${course.join(" ")}`);
  }
});

t.test("video frames without known text use the network's output", async (t) => {
  const track = new VisemeTrack();
  t.equal(track.frame(0), null);
  track.add(shapes(["aa", 100]), 400);
  t.equal(track.frame(5), null, "before it");
  t.ok(track.frame(11));
  t.equal(track.frame(13), null, "after it");
});

t.test("removed audio moves the shapes after it", async (t) => {
  const track = new VisemeTrack();
  track.add(shapes(["aa", 400], ["PP", 80], ["aa", 400]), 0);
  track.leaveOut(100, 80);
  t.same(closures(track, 12).indexOf(1), 8, "at 320 ms instead of 400");
  track.leaveOut(100, 1000);
  t.equal(track.frame(9), null, "more than there is leaves nothing");
});

t.test("shapes are weighted means around a time slightly ahead of the audio", async (t) => {
  const track = new VisemeTrack();
  track.add(shapes(["sil", 200], ["U", 400]), 0);
  const before = track.frame(4)!.visemes;
  t.ok(before[VISEME_INDEX.U] > 0.3, "lips round before the sound begins");
  t.ok(Math.abs(before.reduce((sum, value) => sum + value, 0) - 1) < 1e-5);
  t.ok(track.frame(8)!.visemes[VISEME_INDEX.U] > 0.99);
});

t.test("the text gives shapes and times, the audio gives the loudness", async (t) => {
  const visemes = new Float32Array(VISEME_COUNT);
  visemes[VISEME_INDEX.aa] = 1;
  const heard: SpeechFeatures = { visemes, closurePeak: 0.1, closureMean: 0.1, levelDb: -33, speech: 0.2 };
  const text = { visemes: new Float32Array(VISEME_COUNT), closurePeak: 1, closureMean: 1 };
  text.visemes[VISEME_INDEX.PP] = 1;
  const blended = blendWithText(heard, text);
  t.equal(blended.closurePeak, 1);
  t.equal(blended.closureMean, 1);
  t.equal(blended.levelDb, -33);
  t.equal(blended.speech, 1, "a closure is quiet and still speech");
  t.ok(blended.visemes[VISEME_INDEX.PP] > 0.7);
});
