// Why an event of a client was refused. It becomes an `error` event, and the session goes on.

export interface RealtimeErrorOptions {
  /** What is wrong, for programs. */
  code: string;
  /** Path of the field, for example `session.voice`. Default: none. */
  param?: string;
}

export class RealtimeError extends Error {
  readonly code: string;
  readonly param: string | undefined;

  constructor(message: string, { code, param }: RealtimeErrorOptions) {
    super(message);
    this.name = "RealtimeError";
    this.code = code;
    this.param = param;
  }
}
