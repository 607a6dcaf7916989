/** The environment variables of an entry point: only entry points read `process.env`, everything below them is given
 *  this. */
export type Environment = Readonly<Record<string, string | undefined>>;
