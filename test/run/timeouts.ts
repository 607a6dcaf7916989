// The time limits of tests; `.taprc` names the same. They only end what hangs: a slow, busy machine must not reach them.

/** One test. */
export const TEST_TIMEOUT_S = 300;
/** One file; the longest takes a minute on a quiet machine. */
export const FILE_TIMEOUT_S = 600;
