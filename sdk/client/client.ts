// The client: the calls of the service by resource, some with more than the bare call.
import { type AgentCreation, type ReadyOptions, untilReady } from "./agent-creation.ts";
import { toCall, toList } from "./call.ts";
import type { Call, CallOptions, FileSource, Operation, OperationTable, WithResponse } from "./call-types.ts";
import { ApiError } from "./errors.ts";
import type { AgentsCalls, ApiCalls } from "./generated/calls.gen.ts";
import { OPERATIONS } from "./generated/operations.gen.ts";
import type {
  Agent,
  AgentsGenerateData,
  AgentsGenerateResponse,
  ModelDownload,
  RealtimeConnectData,
} from "./generated/types.gen.ts";
import { Sender } from "./sender.ts";
import { type ClientOptions, toSettings } from "./settings.ts";
import { wait } from "./wait.ts";
import { type WebhookVerifier, webhooks } from "./webhooks.ts";

/** How long a download waits for a file that is not published yet, ms. */
const FILE_WAIT_MS = 120_000;
const FILE_POLL_MS = 2_000;

/** What an agent is made of. */
export type AgentOrder = Omit<NonNullable<AgentsGenerateData["body"]>, "image" | "audio"> & {
  /** A portrait with one face: a URL, base64, a data URI, or a file. */
  image?: string | FileSource | null;
  /** A sample of the voice: a URL, base64, a data URI, or a file. */
  audio?: string | FileSource | null;
};

export interface Agents extends Omit<AgentsCalls, "create"> {
  /** Create an agent from a prompt and an optional portrait, or regenerate one; `ready()` waits until it is made */
  create(order?: AgentOrder, options?: CallOptions): AgentCreation;
  /** Wait until an agent is ready that is being made; one that is ready already is returned at once */
  ready(code: string, options?: ReadyOptions): Promise<Agent>;
}

export interface DownloadQuery {
  /** Default: the agent's own. */
  model?: string;
  /** How long to wait for a file that is not published yet, ms. Default 120,000. */
  waitMs?: number;
}

export interface Models extends Omit<ApiCalls["models"], "download"> {
  /** Download the file of an agent's model; waits for one that is not published yet */
  download(code: string, query?: DownloadQuery, options?: CallOptions): Call<Response>;
  /** Get a link to the file of an agent's model, valid for one hour */
  link(code: string, query?: DownloadQuery, options?: CallOptions): Call<ModelDownload>;
}

export interface Samples extends Omit<ApiCalls["samples"], "download"> {
  /** Download the file of a sample avatar */
  download(slug: string, query?: DownloadQuery, options?: CallOptions): Call<Response>;
}

export interface Files extends Omit<ApiCalls["files"], "download"> {
  /** Fetch a file by a link of the service: an `image_url`, `video_url` or `file_url` */
  download(url: string, options?: CallOptions): Call<Response>;
}

/** The service's side of a call over WebRTC. */
export interface RealtimeConnection {
  /** The answer in SDP. */
  sdp: string;
  /** Id of the call. */
  call: string;
}

export interface Realtime {
  /** Open a realtime call over WebRTC with an offer in SDP */
  connect(offer: string, query?: RealtimeConnectData["query"], options?: CallOptions): Call<RealtimeConnection>;
  /** End a realtime call */
  hangUp(call: string, options?: CallOptions): Call<void>;
}

export interface Resources extends Omit<ApiCalls, "agents" | "models" | "samples" | "files" | "realtime" | "webhooks"> {
  agents: Agents;
  models: Models;
  samples: Samples;
  files: Files;
  realtime: Realtime;
  webhooks: ApiCalls["webhooks"] & WebhookVerifier;
}

// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the constructor assigns every resource
export class Client {
  /** Throws ConfigurationError if the options are unusable. */
  constructor(options: ClientOptions = {}) {
    Object.assign(this, createResources(new Sender(toSettings(options))));
  }
}

export interface Client extends Readonly<Resources> {}

function createResources(sender: Sender): Resources {
  const calls = createCalls(sender);
  const linkOf = (operation: Operation, name: string, query?: DownloadQuery, options?: CallOptions) =>
    untilPublished(
      () => sender.send(operation, { path: [name], query: { model: query?.model, redirect: "false" } }, options),
      query?.waitMs,
      options?.signal,
    ) as Promise<WithResponse<ModelDownload>>;
  const download = (operation: Operation) => (name: string, query?: DownloadQuery, options?: CallOptions) =>
    toCall(
      linkOf(operation, name, query, options).then(({ data }) => sender.fetchFile(data.url, options)) as Promise<
        WithResponse<Response>
      >,
    );
  const untilAgent = (code: string, isOrdered: boolean, options?: ReadyOptions): Promise<Agent> =>
    untilReady((signal) => calls.agents.status(code, { signal }), { ...options, isOrdered });
  return {
    ...calls,
    agents: {
      ...calls.agents,
      ready: (code, options) => untilAgent(code, false, options),
      create(order, options) {
        const ordered = calls.agents.create(order as AgentsGenerateData["body"], options);
        const ready = (wanted?: ReadyOptions): Promise<Agent> =>
          ordered.then((answer: AgentsGenerateResponse) => untilAgent(answer.agent_id, true, wanted));
        return Object.assign(ordered, { ready });
      },
    },
    models: {
      ...calls.models,
      download: download(OPERATIONS.models.download),
      link: (code, query, options) => toCall(linkOf(OPERATIONS.models.download, code, query, options)),
    },
    samples: { ...calls.samples, download: download(OPERATIONS.samples.download) },
    files: {
      ...calls.files,
      download: (url, options) => toCall(sender.fetchFile(url, options) as Promise<WithResponse<Response>>),
    },
    realtime: {
      connect(offer, query, options) {
        const body = { body: offer, contentType: "application/sdp" };
        const answered = sender.send(OPERATIONS.realtime.connect, { query, body }, options);
        return toCall(
          answered.then(async ({ response, requestId }) => {
            const data = { sdp: await response.text(), call: response.headers.get("x-service-call") ?? "" };
            return { data, response, requestId };
          }),
        );
      },
      hangUp(call, options) {
        const ended = sender.send(OPERATIONS.realtime.connect, { body: { action: "hangup", call } }, options);
        return toCall(ended.then((answer) => ({ ...answer, data: undefined })));
      },
    },
    webhooks: { ...calls.webhooks, ...webhooks },
  };
}

/** A function for every operation of the table. */
function createCalls(sender: Sender): ApiCalls {
  const resources = Object.entries(OPERATIONS as OperationTable).map(([resource, verbs]) => [
    resource,
    Object.fromEntries(Object.entries(verbs).map(([verb, operation]) => [verb, toFunction(sender, operation)])),
  ]);
  return Object.fromEntries(resources);
}

/** Takes the parameters of the path, then the body, then the query, then the options: those that the operation has. */
function toFunction(sender: Sender, operation: Operation): (...given: unknown[]) => unknown {
  const { body: hasBody, hasQuery, items, isPaged } = operation;
  const pathCount = operation.path.split("{").length - 1;
  return (...given) => {
    const path = given.slice(0, pathCount) as string[];
    const rest = given.slice(pathCount);
    const body = hasBody && ((rest.shift() ?? {}) as Record<string, unknown>);
    const query = hasQuery && (rest.shift() as Record<string, unknown> | undefined);
    const options = rest[0] as CallOptions | undefined;
    const send = (query?: Record<string, unknown>) =>
      sender.send(operation, { path, query, ...(body && { body }) }, options);
    const answer = send(query);
    if (!items) return toCall(answer);
    const fetchFrom = isPaged && ((offset: number) => send({ ...query, offset }));
    return toList(answer, { items, fetchFrom, offset: Number(query?.offset ?? 0) });
  };
}

/** Asks for a file until it is published, or `waitMs` are over. */
async function untilPublished<T>(ask: () => Promise<T>, waitMs = FILE_WAIT_MS, signal?: AbortSignal): Promise<T> {
  const deadlineMs = performance.now() + waitMs;
  for (;;) {
    try {
      return await ask();
    } catch (error) {
      const isPending = error instanceof ApiError && error.code === "MODEL_ARTIFACT_NOT_READY";
      const delayMs = (isPending && error.retryAfterMs) || FILE_POLL_MS;
      if (!isPending || performance.now() + delayMs > deadlineMs) throw error;
      await wait(delayMs, signal);
    }
  }
}
