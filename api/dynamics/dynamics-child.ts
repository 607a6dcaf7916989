// The process that makes an agent's gestures for the api.
import { limitMemory, serveTasks } from "../../program/child-process/serve-tasks.ts";
import type { DynamicsResult, DynamicsTask } from "./dynamics-messages.ts";
import { makeDynamics } from "./make-dynamics.ts";

/** Four times the memory of a clip on the largest canvas. */
const MAX_MEMORY_BYTES = 2_000_000_000;

limitMemory(MAX_MEMORY_BYTES);
serveTasks<DynamicsTask, DynamicsResult>(makeDynamics);
