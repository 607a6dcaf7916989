// Which jobs a worker takes, and what the api hears of them, against an HTTP server that answers as told.
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import t from "tap";
import { JobIntake, type JobIntakeOptions, type OfferedJob } from "../../agent-worker/job-intake.ts";
import { createLogger } from "../../shared/log.ts";
import { waitFor } from "../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });

interface Bench {
  /** Ids of the jobs that have a process; changed by the test. */
  active: string[];
  intake: JobIntake;
  /** Sessions whose acceptance the api was told of, in order. */
  told: string[];
  /** Answers of the api; 200 at first. */
  status: number;
  /** Offers a job; what became of it. */
  offer(id: string, metadata?: string): Promise<"accepted" | "rejected">;
}

async function withIntake(
  options: Pick<JobIntakeOptions, "maxSessions" | "reportIntervalMs" | "processStartMs" | "arrivalMs">,
  work: (bench: Bench) => Promise<void>,
): Promise<void> {
  const server = createServer((request, response) => {
    bench.told.push(/sessions\/(\w+)\/events/.exec(request.url ?? "")?.[1] ?? "");
    response.writeHead(bench.status, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const api_url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const active: string[] = [];
  const intake = new JobIntake({ ...options, activeJobIds: () => active, providers: ["cpu"], logger });
  const bench: Bench = {
    ...{ active, intake, told: [], status: 200 },
    async offer(id, metadata = JSON.stringify({ avatar_session_id: `cs_${id}`, runtime_token: "t", api_url })) {
      let outcome: "accepted" | "rejected" | undefined;
      const job = { metadata } as OfferedJob["job"];
      await intake.answer({
        ...{ id, job },
        accept: async () => {
          outcome = "accepted";
        },
        reject: async () => {
          outcome = "rejected";
        },
      });
      if (!outcome) throw new Error("the job was not answered");
      return outcome;
    },
  };
  try {
    await work(bench);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

t.test(
  "a worker accepts no more jobs than its limit, including jobs that wait for a process",
  { timeout: 30_000 },
  async (t) => {
    await withIntake({ maxSessions: 2, processStartMs: 0, arrivalMs: 1_000 }, async (bench) => {
      t.equal(await bench.offer("a"), "accepted");
      bench.active.push("a");
      t.equal(bench.intake.heldJobs, 1, "a job with a process counts once");
      t.equal(await bench.offer("b"), "accepted");
      t.equal(await bench.offer("c"), "rejected");
      const gpu = { avatar_session_id: "cs_g", runtime_token: "t", api_url: "http://127.0.0.1:9", provider: "cuda" };
      t.equal(await bench.offer("g", JSON.stringify(gpu)), "rejected", "nor one that needs a GPU it lacks");
      t.same(bench.told, ["cs_a", "cs_b"], "the api hears of what is taken alone");
      bench.active.push("b");
      bench.active.shift();
      await waitFor(() => bench.intake.heldJobs === 1, "the end of the first job", 15_000);
      t.equal(await bench.offer("d"), "accepted");
    });
  },
);

t.test("a job that the api has cancelled is rejected; a job is accepted if the api cannot be reached", async (t) => {
  await withIntake({ maxSessions: 8 }, async (bench) => {
    for (const status of [404, 409]) {
      bench.status = status;
      t.equal(await bench.offer(`refused${status}`), "rejected");
    }
    bench.status = 503;
    t.equal(await bench.offer("unheard"), "accepted");
    const away = { avatar_session_id: "cs_away", runtime_token: "t", api_url: "http://127.0.0.1:9" };
    t.equal(await bench.offer("away", JSON.stringify(away)), "accepted");
    t.equal(await bench.offer("nonsense", "{"), "rejected");
    t.equal(bench.intake.heldJobs, 2, "what is rejected holds no place");
  });
});

t.test(
  "the acceptance of a job is reported again while the job waits behind others",
  { timeout: 30_000 },
  async (t) => {
    await withIntake({ maxSessions: 8, reportIntervalMs: 100, processStartMs: 1_500 }, async (bench) => {
      await bench.offer("first");
      await bench.offer("second");
      const reportsOf = (id: string) => bench.told.filter((told) => told === id).length;
      await waitFor(
        () => reportsOf("cs_first") > 1,
        "a report of the first, whose process is starting with the worker",
      );
      await waitFor(() => reportsOf("cs_second") > reportsOf("cs_first") + 1, "more of the second");
      t.same(new Set(bench.told.slice(-2)), new Set(["cs_second"]), "one whose process is overdue is not reported");
      bench.active.push("first", "second");
      await waitFor(() => bench.intake.heldJobs === 2, "both to run");
    });
  },
);
