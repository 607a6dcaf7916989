// Runs the whole service until it is told to stop: what `npm start` and `avatar start` do.
import { SIGN_IN_LINK_MINUTES } from "../../../api/accounts/sign-in/sign-in-links.ts";
import { logUncaught } from "../../../program/log-uncaught.ts";
import { isLoopbackHost } from "../../../program/outgoing/loopback.ts";
import { hasPart } from "../../../program/parts/find-part.ts";
import { PART_NAMES } from "../../../program/parts/parts.ts";
import { SERVICE_REALTIME_MODEL } from "../../../shared/wire-names.ts";
import { checkPackages } from "../../start/check-packages.ts";
import { createProgress } from "../../start/progress.ts";
import { describeLlm } from "../../start/service/describe-llm.ts";
import { makeOperatorLink } from "../../start/service/operator-link.ts";
import { Service, type ServiceDetails } from "../../start/service/service.ts";
import { describeStartError } from "../../start/start-error.ts";
import { reportCliError, toCliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { needParts } from "../parts/need-parts.ts";

export interface StartFlags {
  json: boolean;
}

/** npm forwards the Ctrl-C that the terminal already sent: only a later one means "at once". */
const SAME_SIGNAL_MS = 1000;

/** Resolves when nothing is left running; after a failure, which it prints, with `process.exitCode` set. */
export async function runStart(flags: StartFlags, environment: Environment): Promise<void> {
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
    checkPackages();
    const missing = PART_NAMES.filter((name) => !hasPart(name));
    if (missing.length > 0) {
      progress.note(`fetching ${missing.join(", ")}, once`);
      await progress.step(
        "parts",
        () => needParts(environment, ...missing),
        () => `${missing.length} fetched`,
      );
    }
    service = new Service({ environment, progress });
    const stopped = stopOnSignal(service, () => {
      isInterrupted = true;
      progress.note("stopping");
    });
    const details = await Promise.race([service.start(), crashed]);
    const seconds = (performance.now() - startedAt) / 1000;
    // The start page opens with a face that is made by then.
    fetch(`${details.client.baseUrl}/samples`).catch(() => undefined);
    if (flags.json) writeJson(linksOf(details));
    else process.stdout.write(describeService(details, seconds, await makeOperatorLink(details)));
    await Promise.race([service.failed, stopped, crashed]);
  } catch (error) {
    // An interrupted start may fail anywhere; the error is irrelevant.
    if (!isInterrupted) reportFailure(error, flags);
  }
  await service?.close();
}

/** Unexpected errors have their stack: the logs of the service begin here. */
function reportFailure(error: unknown, { json }: StartFlags): void {
  const failure = toCliError(error);
  process.exitCode = failure.exitCode;
  if (json) {
    reportCliError(failure, "start", { isJson: true });
    return;
  }
  const sentences = [failure.message, failure.hint].filter(Boolean).join("\n");
  process.stderr.write(`\n${failure.kind === "internal" ? describeStartError(error) : sentences}\n`);
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
