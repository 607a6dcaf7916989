// Which mouth shapes count as the same, on real speech.
import t from "tap";
import { posesOf, visemeAgreement } from "../../../../../lab/bench/scale/local/viseme-agreement.ts";
import { speakSentences } from "../../../../helpers/speech/spoken.ts";

const [first, second] = await speakSentences(
  ["Please bring my big blue paper bag back home.", "The weather was fine, so we talked about music."],
  ["M1"],
);

t.test(
  "the same speech agrees, also shifted and with another rest pose; lost frames and other speech do not",
  async (t) => {
    const poses = await posesOf(first.samples, first.sampleRateHz);
    const same = visemeAgreement(poses, poses);
    t.equal(same.share, 1);
    t.ok(same.frames > 40, `${same.frames} frames of speech`);
    const moved = poses.slice(20).map((pose) => pose.map((value) => value + 0.1));
    t.equal(visemeAgreement(moved, poses).share, 1, "begun later, on another portrait");
    const shortened = [...poses.slice(0, 90), ...poses.slice(92)];
    t.ok(visemeAgreement(shortened, poses).share > 0.75, "two frames were left out");
    const lost = poses.map((pose, frame) => (frame > 60 && frame % 10 === 0 ? null : pose));
    const lossy = visemeAgreement(lost, poses);
    t.ok(lossy.share < 0.95 && lossy.share > 0.8, `with lost frames ${lossy.share}`);
    t.equal(lossy.share_of_arrived, 1);
    const other = visemeAgreement(await posesOf(second.samples, second.sampleRateHz), poses);
    t.ok(other.share < 0.6, `other speech ${other.share}`);
  },
);
