// How Node runs a process that works in real time: with little memory, and without the secrets of its parent.

/** Names of environment variables that hold secrets, such as keys, passwords and the address of a database. */
const SECRETS = /SECRET|PASSWORD|TOKEN|_KEY(_ID)?$|^DATABASE_|_HEADERS$/;
/** glibc otherwise keeps a heap of up to 64 MB for each thread, and, once a large block was freed, takes blocks of that
 *  size from the heap, which then stays large: the system gets blocks of 1 MiB back at once. */
const ALLOCATOR = { MALLOC_ARENA_MAX: "2", MALLOC_MMAP_THRESHOLD_: "1048576", MALLOC_TRIM_THRESHOLD_: "1048576" };
/** libuv's default. The parent may have more. */
const FEW_THREADS = { UV_THREADPOOL_SIZE: "4" };

/** MiB of the young generation. What lives long is little, and V8 would let it grow to 48. */
export const LIGHT_PROCESS_FLAGS: readonly string[] = ["--max-semi-space-size=2"];

/** The environment of a process that is run so. */
export function lightEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return { ...ALLOCATOR, ...withoutSecrets(environment), ...FEW_THREADS };
}

function withoutSecrets(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !SECRETS.test(name)));
}
