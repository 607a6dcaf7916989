// The dashboard and the alerts beside a service in use: sessions, a conversation with the neural voice, realtime calls.
import { dispose } from "@livekit/rtc-node";
import { WIRE_FORMS } from "../../../test/helpers/servers/chat-wire-forms.ts";
import { withChatServer } from "../../../test/helpers/servers/with-chat-server.ts";
import {
  type PrometheusServer,
  untilPanelsHaveData,
  withPrometheus,
} from "../../../test/helpers/servers/with-prometheus.ts";
import {
  callRelay,
  findMetricsPorts,
  JOBS,
  type MonitoredService,
  serveSession,
} from "../../../test/helpers/service/monitored-service.ts";
import { visitAgent } from "../../../test/helpers/service/visit-agent.ts";
import { waitFor } from "../../../test/helpers/wait-for.ts";
import { startOwnService } from "../../bench/service/own-service.ts";
import { ROWS } from "../../dashboard/panels.ts";

export interface DashboardSoakOptions {
  environment: Readonly<Record<string, string | undefined>>;
  report(line: string): void;
}

export interface DashboardSoakResult {
  /** What each panel shows at the end; numbers of all its series. */
  panels: { title: string; series: number; least: number; most: number }[];
  alerts: number;
  violations: string[];
}

/** Of sessions, one after another, beside the conversation. */
const SESSIONS = 3;
const TURNS = ["Hello, who are you?", "Tell me more about that.", "Thank you."];
/** Of scrapes, s. */
const INTERVAL_S = 2;
const [{ words }] = WIRE_FORMS;
const ANSWER = words(["I am ", "an avatar, ", "and I like to talk about the weather."]);

/** Needs the program `prometheus`. */
export async function soakDashboard({ environment, report }: DashboardSoakOptions): Promise<DashboardSoakResult> {
  const port = await findMetricsPorts();
  const targets = Object.fromEntries(JOBS.map((job, index) => [job, `127.0.0.1:${port + index}`]));
  const judge = (prometheus: PrometheusServer) =>
    withChatServer(
      () => ({ body: ANSWER }),
      async (chat) => {
        const settings = { AVATAR_METRICS_PORT: String(port), OPENAI_BASE_URL: chat.baseUrl };
        const service = await startOwnService({ environment: { ...environment, ...settings }, report });
        try {
          await use({ ...service, baseUrl: service.client.baseUrl }, report);
          return await look(prometheus);
        } finally {
          await service.close();
          // The visitor's native library would keep this process running.
          await dispose();
        }
      },
    );
  return withPrometheus(targets, judge, { intervalS: INTERVAL_S });
}

async function use(service: MonitoredService, report: (line: string) => void): Promise<void> {
  const sessions = async () => {
    for (let session = 1; session <= SESSIONS; session++) {
      await serveSession(service);
      report(`session ${session} of ${SESSIONS} has ended`);
    }
  };
  await Promise.all([sessions(), converse(service, report), callRelay(service)]);
  await callRelay(service);
}

async function converse(service: MonitoredService, report: (line: string) => void): Promise<void> {
  const { person } = await visitAgent(service, crypto.randomUUID());
  try {
    const isIn = (state: string) => () => person.states.at(-1)?.state === state;
    await waitFor(isIn("listening"), "the avatar listens", 60_000);
    for (const text of TURNS) {
      const before = person.states.length;
      await person.type(text);
      const hasAnswered = () =>
        person.states.slice(before).some(({ state }) => state === "speaking") && isIn("listening")();
      await waitFor(hasAnswered, `an answer to "${text}"`, 60_000);
      report(`answered: ${text}`);
    }
  } finally {
    await person.close();
  }
}

async function look(prometheus: PrometheusServer): Promise<DashboardSoakResult> {
  const lacking = await untilPanelsHaveData(prometheus, { timeoutMs: 30_000 });
  const violations = lacking.map((title) => `the panel ${title} has no data`);
  const panels = await Promise.all(
    ROWS.flatMap((row) => row.panels).map(async ({ title, queries }) => {
      const asked = queries.map(({ promql }) => prometheus.query(promql.replaceAll("$__rate_interval", "1m")));
      const samples = (await Promise.all(asked)).flat();
      const values = samples.map(({ value }) => value).filter(Number.isFinite);
      const [least, most] = [Math.min(...values), Math.max(...values)].map((value) => Number(value.toPrecision(3)));
      return { title, series: samples.length, least, most };
    }),
  );
  const rules = await prometheus.rules();
  for (const { name, state, health, lastError } of rules) {
    if (state === "firing") violations.push(`the alert ${name} fires`);
    if (health !== "ok") violations.push(`the alert ${name}: ${lastError}`);
  }
  return { panels, alerts: rules.length, violations };
}
