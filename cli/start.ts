// `npm start`: starts the whole service with one command and stops it on Ctrl-C.
import { Command } from "commander";
import { SIGN_IN_LINK_MINUTES } from "../api/accounts/sign-in/sign-in-links.ts";
import { logUncaught } from "../program/log-uncaught.ts";
import { isLoopbackHost } from "../program/outgoing/loopback.ts";
import { SERVICE_REALTIME_MODEL } from "../shared/wire-names.ts";
import { createProgress } from "./start/progress.ts";
import { describeLlm } from "./start/service/describe-llm.ts";
import { makeOperatorLink } from "./start/service/operator-link.ts";
import { Service, type ServiceDetails } from "./start/service/service.ts";
import { describeStartError } from "./start/start-error.ts";

interface StartFlags {
  json: boolean;
}

/** npm forwards the Ctrl-C that the terminal already sent: only a later one means "at once". */
const SAME_SIGNAL_MS = 1000;

const program = new Command("npm start --")
  .description(
    "Starts PostgreSQL, the LiveKit server, the api, a realtime relay, one avatar worker and the pages, and keeps them\n" +
      "running. " +
      "Settings are environment variables; .env.example lists them. Ctrl-C stops everything, a second one at once.",
  )
  .option("--json", "print one line of JSON when ready (the operator's secret is not in it)", false)
  .parse();

await run(program.opts<StartFlags>());

async function run(flags: StartFlags): Promise<void> {
  const startedAt = performance.now();
  // With --json, standard output has only the one line.
  const progress = createProgress(flags.json ? process.stderr : process.stdout);
  let service: Service | null = null;
  let isInterrupted = false;
  const crashed = new Promise<never>((_, reject) => {
    // What the command ends with is printed below.
    const note = ({ err }: { err: unknown }, message: string) =>
      progress.note(`${message}: ${describeStartError(err)}`);
    logUncaught({ error: note, fatal: () => undefined }, reject);
  });
  crashed.catch(() => undefined);
  try {
    service = new Service({ environment: process.env, progress });
    const stopped = stopOnSignal(service, () => {
      isInterrupted = true;
      progress.note("stopping");
    });
    const details = await Promise.race([service.start(), crashed]);
    const seconds = (performance.now() - startedAt) / 1000;
    // The start page opens with a face that is made by then.
    fetch(`${details.client.baseUrl}/samples`).catch(() => undefined);
    process.stdout.write(
      flags.json
        ? `${JSON.stringify(linksOf(details))}\n`
        : describeService(details, seconds, await makeOperatorLink(details)),
    );
    await Promise.race([service.failed, stopped, crashed]);
  } catch (error) {
    // An interrupted start may fail anywhere; the error is irrelevant.
    if (!isInterrupted) {
      process.stderr.write(`\n${describeStartError(error)}\n`);
      process.exitCode = 1;
    }
  }
  await service?.close();
  process.exit();
}

/** Closes the service at the first signal and ends this process at the second. Resolves when closed. */
function stopOnSignal(service: Service, onFirst: () => void): Promise<void> {
  return new Promise((resolve, reject) => {
    let firstAt = 0;
    for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) {
      process.on(signal, () => {
        if (firstAt === 0) {
          firstAt = Date.now();
          onFirst();
          service.close().then(resolve, reject);
        } else if (Date.now() - firstAt > SAME_SIGNAL_MS) {
          service.kill();
          process.exit(130);
        }
      });
    }
  });
}

function linksOf(service: ServiceDetails): Record<string, string> {
  const { http, pages } = service.config;
  const { publicUrl, host } = http;
  return {
    url: publicUrl,
    ...(pages.demoAccess !== "no-one" && { demo: `${publicUrl}/demo` }),
    docs: `${publicUrl}/docs`,
    openapi: `${publicUrl}/openapi.json`,
    ready: `${publicUrl}/readyz`,
    realtime: `${publicUrl.replace(/^http/, "ws")}/v1/realtime`,
    livekit: service.livekit.url,
    host,
    demo_agent: service.demoAgentCode,
    ...(service.llm && { language_model: service.llm.model }),
    ...(service.operator.file ? { operator_secret_file: service.operator.file } : {}),
  };
}

/** Models that callers of the relay may name. */
function describeRealtime({ realtime }: ServiceDetails["config"]): string {
  return [SERVICE_REALTIME_MODEL, ...realtime.upstreams.map(({ name }) => name)].join(", ");
}

/** `link`: signs the operator in to the console. */
function describeService(service: ServiceDetails, seconds: number, link: string): string {
  const links = linksOf(service);
  const { secret, isNew, file } = service.operator;
  const lines = [
    `Ready after ${seconds.toFixed(1)} s.`,
    "",
    `  Start here     ${links.url}/`,
    `  Console        ${link}`,
    `                 (signs in once, within ${SIGN_IN_LINK_MINUTES} minutes; avatar accounts link makes more)`,
    `  Demo           ${links.demo ?? "closed (AVATAR_DEMO=1 opens it)"}`,
    `  REST api       ${links.docs}`,
    `  Realtime       ${links.realtime} (${describeRealtime(service.config)})`,
    `  LiveKit        ${links.livekit}`,
    `  Language model ${describeLlm(service.llm, service.config)}`,
  ];
  if (file) lines.push(`  API secret     in ${file}`);
  // Shown once, and only on a terminal: a service manager would log it.
  if (isNew && process.stdout.isTTY) lines.push("", `  API secret of the operator (shown only once):  ${secret}`);
  if (!isLoopbackHost(links.host)) {
    lines.push("", `  HOST is ${links.host}: other machines can reach the api and the LiveKit server.`);
  }
  return `\n${lines.join("\n")}\n\n  Ctrl-C stops everything.\n`;
}
