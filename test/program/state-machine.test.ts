import t from "tap";
import { defineMoves, type Moves, StateMachine } from "../../program/state-machine.ts";

type LampState = "off" | "lit" | "broken";

const STATES: readonly LampState[] = ["off", "lit", "broken"];
const MOVES = defineMoves<LampState>({ off: ["lit", "broken"], lit: ["lit", "off"], broken: [] });

/** A machine that is in `state`. */
function machineIn(state: LampState): StateMachine<LampState> {
  return new StateMachine(MOVES, state);
}

for (const from of STATES) {
  for (const to of STATES) {
    const isAllowed = MOVES[from].includes(to);
    t.test(`a move from ${from} to ${to} is ${isAllowed ? "made" : "refused"}`, async (t) => {
      const machine = machineIn(from);
      t.equal(machine.canEnter(to), isAllowed);
      if (isAllowed) {
        machine.enter(to);
        t.equal(machine.current, to);
      } else {
        t.throws(() => machine.enter(to), { message: `a move from ${from} to ${to} is not allowed` });
        t.equal(machine.current, from, "the state is as before");
      }
    });
  }
}

t.test("a machine is in one of the named states, or in none of them", async (t) => {
  t.ok(machineIn("lit").is("lit"));
  t.ok(machineIn("lit").is("off", "lit"));
  t.notOk(machineIn("lit").is("off", "broken"));
  t.notOk(machineIn("lit").is());
});

t.test("two machines of one table do not share a state", async (t) => {
  const [one, other] = [machineIn("off"), machineIn("off")];
  one.enter("lit");
  t.equal(other.current, "off");
});

t.test("a table of moves cannot be changed", async (t) => {
  const table = MOVES as Record<LampState, LampState[]>;
  t.throws(() => table.broken.push("lit"), TypeError);
  t.throws(() => {
    table.broken = ["lit"];
  }, TypeError);
  t.same(MOVES satisfies Moves<LampState>, { off: ["lit", "broken"], lit: ["lit", "off"], broken: [] });
});
