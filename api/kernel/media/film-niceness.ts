// Priority of the processes that make films.

/** Default scheduling priority: a film takes what live sessions, and everything else, leave over. */
export const FILM_NICENESS = 19;
