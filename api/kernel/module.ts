// What each noun gives to the api: `create…Module(dependencies)` builds it, `create-api.ts` puts all of them together.
import type { FieldDescriptions } from "./http/describe-fields.ts";
import type { Route } from "./http/route.ts";
import type { JobKind } from "./jobs/job-runner.ts";

/** Work that goes on beside the requests. `close` is idempotent and waits for what is running. */
export interface BackgroundService {
  start(): Promise<void>;
  close(): Promise<void>;
}

export interface Module {
  routes: readonly Route[];
  /** What the fields of its requests and answers mean, for the OpenAPI document. */
  fields?: FieldDescriptions;
  /** Kinds of durable jobs; one runner takes those of all modules. */
  jobs: readonly JobKind[];
  /** Started in this order, closed in reverse. */
  loops: readonly BackgroundService[];
  /** Settles what a process that died has left unfinished; called at start and every minute. */
  recover?(): Promise<void>;
  /** Releases what the module holds, and cuts running jobs short. Called once the loops are closed and no job is taken any more. */
  close(): Promise<void>;
}
