// What each noun contributes to the api: `create…Module(dependencies)` builds it, `create-api.ts` combines the modules.
import type { FieldDescriptions } from "./http/describe-fields.ts";
import type { Route } from "./http/route.ts";
import type { JobKind } from "./jobs/job-runner.ts";

/** Background work. `close` is idempotent and waits for running work. */
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
  /** Settles unfinished work of processes that died; called at start and every minute. */
  recover?(): Promise<void>;
  /** Releases what the module holds, and cuts running jobs short. Called once the loops are closed and no job is
   *  taken any more. */
  close(): Promise<void>;
}
