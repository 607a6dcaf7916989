// What the test run and its processes say to each other.

export type ParentMessage = { type: "run"; file: string } | { type: "end" };
export type ChildReply = { type: "ready" } | { type: "finished" };
