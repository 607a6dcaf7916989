// Messages between the test run and its processes.

/** `file` names a test file from the root, `bundle` is the absolute path of what is loaded. */
export type ParentMessage = { type: "run"; file: string; bundle: string } | { type: "end" };
export type ChildReply = { type: "ready" } | { type: "finished" };
