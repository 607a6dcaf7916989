// Table of agents' gestures, as created by migration 0035.
import type { ColumnType, Generated } from "kysely";
import type { DynamicsStatus } from "./dynamics.ts";

declare module "../kernel/database/database.ts" {
  interface Tables {
    agent_dynamics: {
      agent_id: string;
      user_id: string;
      agent_code: string;
      run: number;
      revision: number;
      status: DynamicsStatus;
      is_charged: boolean;
      seconds: number;
      progress: Generated<number>;
      error_message: string | null;
      made_run: number | null;
      made_revision: number | null;
      made_seconds: number | null;
      actions: ColumnType<string[], string[] | undefined, string[]>;
      updated_at: Date;
    };
  }
}
