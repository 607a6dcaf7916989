// libuv's threads of the programs that are started here, as environment. A program cannot set it for itself: Node's
// loader has started the threads by then.

/** Half of the threads may look up names at a time. With the default of 4, two slow names would hold up all others. */
export const THREAD_POOL: NodeJS.ProcessEnv = { UV_THREADPOOL_SIZE: "16" };
