// What an example must do.
import type { PackedProject } from "../../../test/helpers/packages/packed-project.ts";
import type { DrivenService } from "../../bench/service/own-service.ts";

export interface ExampleCheck {
  /** Folder below `examples/`. */
  example: string;
  /** Runs the example and checks it. Throws an Error that says what is not as it should be. */
  check(run: ExampleRun): Promise<void>;
}

export interface ExampleRun {
  /** The example with its packages, installed in an empty folder. */
  project: PackedProject;
  service: ExampleService;
  /** What a developer has exported: address and secret of the service, and its LiveKit server. */
  environment: Record<string, string>;
  /** Receives a line about what is done. */
  report(line: string): void;
}

/** The service that the examples use. */
export type ExampleService = Pick<DrivenService, "client" | "apiSecret" | "livekit" | "agentCode">;

/** Throws an Error with the text unless the condition holds. */
export function expect(condition: unknown, text: string): asserts condition {
  if (!condition) throw new Error(text);
}
