// Implements `avatar run`.
import { stat } from "node:fs/promises";
import type { z } from "zod";
import { readPage } from "../../../api/pages/page-files.ts";
import { isLoopbackHost } from "../../../program/outgoing/loopback.ts";
import type { Expression } from "../../../shared/expressions.ts";
import { findCredentials } from "../../account/credentials.ts";
import { openBrowser } from "../../account/open-browser.ts";
import { CliError } from "../../terminal/cli-error.ts";
import type { Environment } from "../../terminal/environment.ts";
import { interruptible } from "../../terminal/interrupt.ts";
import { isImx } from "../../terminal/read-input.ts";
import { writeJson } from "../../terminal/write-json.ts";
import { writeNote } from "../../terminal/write-note.ts";
import { isAvatarName, isGeneratedCode } from "../models/avatar-name.ts";
import { readAvatar } from "../models/read-avatar.ts";
import { parseEmotion } from "../parse-emotion.ts";
import { needParts } from "../parts/need-parts.ts";
import { facePage, type ShownFace } from "./face-page.ts";
import { LineSpeaker } from "./line-speaker.ts";
import { type PageServer, type PageServerOptions, startPageServer } from "./page-server.ts";
import type { runShape } from "./run-shape.ts";

export interface RunRequest {
  host: string;
  port: string;
  public?: boolean;
  /** What the face shows, of `--emotion`. */
  emotion?: string;
  /** False with --no-open. */
  open: boolean;
  json?: boolean;
}

/** Serves the page until Ctrl-C, which is its regular end. Throws CliError or EngineError. */
export async function runFace(
  avatar: string | undefined,
  request: RunRequest,
  environment: Environment,
): Promise<void> {
  const place = placeOf(request);
  const mood = request.emotion === undefined ? undefined : parseEmotion(request.emotion);
  await interruptible(async (signal) => {
    const shown = await open(avatar, request, environment, { mood, signal });
    try {
      const server = await startPageServer({ ...place, answer: shown.answer });
      try {
        await announce(server, shown, place, request, environment);
        await ended(signal);
      } finally {
        await server.close();
      }
    } finally {
      await shown.close();
    }
  });
}

interface Shown extends Pick<PageServerOptions, "answer"> {
  /** For people. */
  title: string;
  code: string | null;
  costPerMinute: number;
  creditBalance: number | null;
  close(): Promise<void>;
}

async function open(
  avatar: string | undefined,
  request: RunRequest,
  environment: Environment,
  { mood, signal }: { mood: Expression | undefined; signal: AbortSignal },
): Promise<Shown> {
  const agent = avatar === undefined ? null : await openAgent(avatar, request, environment, signal);
  if (agent) return agent;
  const face = avatar === undefined ? undefined : await openFace(avatar, request, environment, signal);
  await needPages(environment, signal);
  const speaker = new LineSpeaker(environment);
  return {
    title: face ? `${face.name}, rendered in your browser` : "A page that waits for a face",
    code: null,
    costPerMinute: 0,
    creditBalance: null,
    answer: facePage(face, speaker, mood),
    close: () => speaker.close(),
  };
}

/** Null if the word names no agent of the account; a file of this name wins. */
async function openAgent(
  avatar: string,
  { public: isPublic, emotion }: RunRequest,
  environment: Environment,
  signal: AbortSignal,
): Promise<Shown | null> {
  const isFile = await stat(avatar).then(
    () => true,
    () => false,
  );
  if (isFile || !isAvatarName(avatar)) return null;
  const mustBeAgent = isGeneratedCode(avatar);
  const credentials = await findCredentials(environment);
  if (!credentials) {
    if (!mustBeAgent) return null;
    throw new CliError("no_permission", `${avatar} is the code of an agent, and you are not signed in.`, {
      code: "NOT_SIGNED_IN",
      hint: "avatar login signs you in. A file or a sample (avatar list) needs no account.",
    });
  }
  const { openAgentPage } = await import("./agent-page.ts");
  const page = await openAgentPage(avatar, credentials, signal).catch((error: unknown) => {
    signal.throwIfAborted();
    // A sample may have this name, and one that was fetched before needs no service.
    if (!mustBeAgent) return null;
    throw error;
  });
  if (!page) return null;
  if (isPublic) {
    throw new CliError("usage", "--public is for faces that browsers render: a conversation would cost your credits.", {
      hint: "The console makes a public link to an agent.",
    });
  }
  if (emotion !== undefined) {
    throw new CliError("usage", "--emotion is for faces that browsers render. An agent has an emotion of its own.", {
      hint: `In the conversation, press a mood; or avatar speak ${avatar} --emotion ${emotion}.`,
    });
  }
  return {
    ...page,
    title: `${page.name}, shown by ${credentials.baseUrl}`,
    code: avatar,
    close: async () => undefined,
  };
}

/** Reads, and bakes an image. */
async function openFace(
  avatar: string,
  { json }: RunRequest,
  environment: Environment,
  signal: AbortSignal,
): Promise<ShownFace> {
  const isQuiet = json === true;
  const { bytes, name } = await readAvatar(avatar, { environment, signal, isQuiet });
  if (isImx(bytes)) {
    const { readImx } = await import("../../../src/face/imx/read-imx.ts");
    return { name, bundle: bytes, imx: await readImx(bytes) };
  }
  const { bakeShownImage } = await import("./bake-shown-image.ts");
  return { name, ...(await bakeShownImage(bytes, { signal, isQuiet })) };
}

/** In a clone, the pages are built when they are needed; an installed program has them, or fetches them. */
async function needPages(environment: Environment, signal: AbortSignal): Promise<void> {
  await needParts(environment, "pages");
  const isBuilt = await readPage("run", "/").then(
    () => true,
    () => false,
  );
  if (isBuilt) return;
  writeNote("Building the pages, which takes some seconds.");
  const { buildService } = await import("../../start/build/build-service.ts");
  await buildService(signal).catch((cause: unknown) => {
    signal.throwIfAborted();
    const hint = "npm start builds the pages.";
    throw new CliError("unavailable", "The page is not built, and it could not be built.", { hint, cause });
  });
}

/** Where to listen. Throws CliError(usage). */
function placeOf({ host, port, public: isPublic = false }: RunRequest): Omit<PageServerOptions, "answer"> {
  const number = Number(port);
  if (!/^\d+$/.test(port) || number > 65_535) {
    throw new CliError("usage", `--port must be a whole number from 0 to 65535, not ${port}.`);
  }
  if (!isLoopbackHost(host) && !isPublic) {
    throw new CliError("usage", `--host ${host} lets other computers use this page.`, {
      hint: "--public allows it. Without a certificate, browsers there give the page no microphone.",
    });
  }
  return { host: host.replace(/^\[|\]$/g, ""), port: number, isPublic };
}

async function announce(
  { url, host, port }: PageServer,
  { title, code, costPerMinute, creditBalance }: Shown,
  wanted: { port: number },
  request: RunRequest,
  environment: Environment,
): Promise<void> {
  if (wanted.port !== 0 && wanted.port !== port) {
    writeNote(`Port ${wanted.port} is taken, so the page is on ${port}.`);
  }
  if (request.json) {
    const event: z.input<typeof runShape> = {
      event: "session_started",
      url,
      code,
      host,
      port,
      cost_per_min: costPerMinute,
      credit_balance: creditBalance,
    };
    writeJson(event);
    return;
  }
  process.stdout.write(`${url}\n`);
  if (!process.stdout.isTTY) return;
  const cost = code === null ? "" : ` It costs ${costPerMinute} credits a minute; you have ${creditBalance}.`;
  writeNote(`${title}.${cost} Ctrl-C ends it.`);
  if (request.open) await openBrowser(url, environment);
}

function ended(signal: AbortSignal): Promise<void> {
  return new Promise((resolve) => {
    if (signal.aborted) resolve();
    else signal.addEventListener("abort", () => resolve(), { once: true });
  });
}
