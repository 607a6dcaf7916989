// The contribution of a noun to the api: `create…Module(dependencies)` builds it, `create-api.ts` combines the modules.
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
  /** Descriptions of the fields of its requests and answers, for the OpenAPI document. */
  fields?: FieldDescriptions;
  /** Kinds of durable jobs. One runner takes the jobs of all modules. */
  jobs: readonly JobKind[];
  /** Started in this order, closed in reverse. */
  loops: readonly BackgroundService[];
  /** Settles unfinished work of processes that died; called at start and every minute. */
  recover?(): Promise<void>;
  /** Releases the module's resources and aborts running jobs. Called after the loops are closed and the runner takes no
   *  more jobs. */
  close(): Promise<void>;
}
