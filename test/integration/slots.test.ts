// The slot of a real worker: voice agents that come and leave, one after the other and at the same time.
import t from "tap";
import { launchOne } from "../../lab/soak/sessions/launches-soak.ts";
import { withStack } from "../helpers/service/with-stack.ts";

const AGENTS = 4;

t.test("the only slot of a worker is free as soon as a voice agent has left its room", { timeout: 240_000 }, (t) =>
  withStack(
    async (stack) => {
      for (let number = 1; number <= AGENTS; number++) {
        const { refusal, shownMs } = await launchOne(stack);
        t.equal(refusal, null, `launch ${number} is accepted`);
        t.not(shownMs, null, `avatar ${number} comes`);
      }
      const together = await Promise.all([launchOne(stack), launchOne(stack), launchOne(stack)]);
      const refusals = together.flatMap(({ refusal }) => refusal ?? []);
      t.ok(refusals.length < together.length, "one of three at once is accepted");
      for (const refusal of refusals) t.equal(refusal, "503 SERVICE_UNAVAILABLE", "the others are told when to retry");
    },
    { AVATAR_MAX_SESSIONS: "1" },
  ),
);
