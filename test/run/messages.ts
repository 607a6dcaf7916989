// Messages between the test run and its processes.

/** `file` names a test file from the root, `bundle` is the absolute path of what is loaded. */
export type ParentMessage = { type: "run"; file: string; bundle: string } | { type: "end" };
/** `cpuS` is the CPU time of the file in seconds, with the processes that it started and ended. */
export type ChildReply = { type: "ready" } | { type: "finished"; cpuS: number };
