// Launches that meet a full worker. What follows an admitted launch is tested with the whole worker
// (`test/integration/self-hosted.test.ts`).
import t from "tap";
import { LaunchJobs, type LaunchJobsOptions } from "../../../agent-worker/self-hosted/launch-jobs.ts";
import { createLogger } from "../../../program/log.ts";

const UNUSED = () => Promise.reject(new Error("no launch of this test is admitted by the service"));

t.test("eight launches wait three seconds for a slot, others are refused at once", async (t) => {
  let freeSlots = 0;
  const jobs = new LaunchJobs({
    service: { exchange: UNUSED },
    contact: { isReachable: true, noteAway: () => undefined },
    providers: ["cpu"],
    freeSlots: () => freeSlots,
    logger: createLogger({ level: "silent", name: "test" }),
  } as unknown as LaunchJobsOptions);
  const startMs = performance.now();
  const launch = async (number: number) => {
    const form = {
      livekitUrl: "ws://127.0.0.1:9",
      livekitToken: "join",
      roomName: `room ${number}`,
      avatarIdentity: "avatar",
      agentCode: "A",
      model: null,
      image: null,
      prompt: "",
      listens: true,
      apiSecret: null,
      isAsync: true,
    };
    const error = await jobs.launch({ form, credential: { kind: "secret", value: "s" }, owner: null }).then(
      () => undefined,
      (reason: unknown) => reason,
    );
    return { error, afterMs: performance.now() - startMs };
  };
  const answers = await Promise.all(Array.from({ length: 10 }, (_, index) => launch(index)));
  const full = { code: "SERVICE_UNAVAILABLE", retryAfterSeconds: 5 };
  for (const { error } of answers) t.match(error, full);
  t.equal(answers.filter(({ afterMs }) => afterMs < 1_500).length, 2, "at once");
  t.equal(answers.filter(({ afterMs }) => afterMs > 2_900).length, 8, "after three seconds without a slot");

  const waiting = launch(11);
  setTimeout(() => {
    freeSlots = 1;
  }, 300);
  t.match((await waiting).error, /admitted by the service/, "the slot was given");
});
