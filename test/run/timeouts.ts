// The time limits of tests, the same as in `.taprc`. They only end tests that hang; a slow, busy machine must not reach
// them.

/** One test: longer than any wait of its own (`waitFor`, `within`), which says what did not come. */
export const TEST_TIMEOUT_S = 400;
/** One file; the longest takes four minutes on a quiet machine. */
export const FILE_TIMEOUT_S = 900;
