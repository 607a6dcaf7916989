import t from "tap";
import { FLOOD_NAMES } from "../../../../lab/soak/hostile-input/floods.ts";
import { soakHostileInput } from "../../../../lab/soak/hostile-input/hostile-input-soak.ts";

/** The hour is `npm run soak -- hostile-input`. */
const MINUTES = 0.3;
const SEED = 20_261_124;
t.setTimeout(290_000);

t.test(
  "a short flood at every input ends no program, fills no memory and meets refusals of the contract",
  async (t) => {
    const { violations, turns } = await soakHostileInput({
      minutes: MINUTES,
      seed: SEED,
      environment: process.env,
      report: (line) => t.comment(line),
    });
    t.same(violations, []);
    t.same(new Set(turns.map(({ flood }) => flood)), new Set(FLOOD_NAMES), "every input was flooded");
  },
);
