// The contact with a service that accepts the secret, refuses it, or is away.
import t, { type Test } from "tap";
import { ServiceAwayError } from "../../../agent-worker/self-hosted/account-service.ts";
import { ServiceContact } from "../../../agent-worker/self-hosted/service-contact.ts";
import { createLogger } from "../../../program/log.ts";
import { ServiceError } from "../../../shared/errors.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const AWAY = "the service cannot be reached";
const REFUSED = "the service refuses AVATAR_API_SECRET";

type Answer = "accepted" | "refused" | "away";

function contactWith(t: Test, first: Answer) {
  const state = { answer: first, refusals: 0 };
  const contact = new ServiceContact({
    service: {
      exchange: () => Promise.reject(new Error("this worker has no secret")),
      reach: async () => {
        if (state.answer === "away") throw new ServiceAwayError("no answer");
        if (state.answer === "refused") throw new ServiceError("UNAUTHORIZED", "Invalid secret");
      },
    },
    secret: undefined,
    installId: "install",
    onRefused: () => {
      state.refusals += 1;
    },
    logger: createLogger({ level: "silent", name: "test" }),
  });
  contact.start();
  t.teardown(() => contact.close());
  const problemBecomes = async (answer: Answer, problem: string | null) => {
    state.answer = answer;
    await waitFor(() => {
      if (contact.problem === problem) return true;
      contact.noteAway();
      return false;
    }, `problem: ${problem}`);
  };
  return { contact, state, problemBecomes };
}

t.test("it is away, accepts, refuses, is away again and accepts", async (t) => {
  const { contact, state, problemBecomes } = contactWith(t, "away");
  t.equal(contact.problem, AWAY);
  t.notOk(contact.isReachable);
  await problemBecomes("accepted", null);
  t.ok(contact.isReachable);
  await problemBecomes("refused", REFUSED);
  t.notOk(contact.isReachable);
  await problemBecomes("away", AWAY);
  await problemBecomes("refused", REFUSED);
  await problemBecomes("accepted", null);
  t.equal(state.refusals, 0, "the secret was good at the start: the worker goes on");
});

t.test("a refusal that is the first answer is reported once", async (t) => {
  const { contact, state, problemBecomes } = contactWith(t, "refused");
  await waitFor(() => contact.problem === REFUSED, "the refusal");
  await problemBecomes("away", AWAY);
  await problemBecomes("refused", REFUSED);
  t.equal(state.refusals, 1);
});
