// What a call takes and returns.

/** Options of one call. */
export interface CallOptions {
  /** Ends the call, whatever it is doing; it then rejects with the signal's reason. */
  signal?: AbortSignal;
  /** Time for each attempt, until the answer is read, ms. Default: the client's. */
  timeoutMs?: number;
  /** Further attempts after 429 and 5xx. Default: the client's. */
  maxRetries?: number;
  /** Names the request for the service, which charges it once. Default: a new one, the same for all attempts. */
  idempotencyKey?: string;
  /** Added to the request, or in place of its own. */
  headers?: Readonly<Record<string, string>>;
}

/** An answer with what came around it. */
export interface WithResponse<T> {
  data: T;
  /** Its body is read, unless it is the answer itself. */
  response: Response;
  /** The request's name in the service's log. */
  requestId: string | undefined;
}

/** A call that has begun: a promise of its answer. */
export interface Call<T> extends Promise<T> {
  /** The answer together with the HTTP response. */
  withResponse(): Promise<WithResponse<T>>;
}

/** One page of a list. */
export interface Page<Item, Body> {
  items: Item[];
  /** The whole answer. */
  body: Body;
  hasMore: boolean;
}

/** A list. Awaited, it is its first page; `for await` walks the entries of all pages. */
export interface ItemList<Item, Body = unknown> extends Call<Page<Item, Body>>, AsyncIterable<Item> {}

/** The content of a file, or where it is. */
export type FileSource =
  | Blob
  | Uint8Array
  | ReadableStream<Uint8Array>
  | AsyncIterable<Uint8Array>
  /** A file on disk; not in browsers. */
  | { path: string; name?: string }
  | { data: Blob | Uint8Array | ReadableStream<Uint8Array> | AsyncIterable<Uint8Array>; name: string };

/** A request body with any source in its fields for files. */
export type WithFiles<Body> = {
  [Field in keyof Body]: Blob extends Body[Field] ? Exclude<Body[Field], Blob> | FileSource : Body[Field];
};

/** How an operation is called. */
export interface Operation {
  method: string;
  /** With the names of its parameters in braces. */
  path: string;
  /** Whether it needs no credential. */
  isOpen?: true;
  /** Whether it accepts an idempotency key. */
  acceptsKey?: true;
  /** How the body is sent: as JSON, as a form, or as a form if it holds a file. */
  body?: "json" | "form" | "either";
  hasQuery?: true;
  /** Where the answer's content is: under `data`, or the response itself. Default: the whole JSON. */
  answer?: "data" | "raw";
  /** Where the entries of a list are in the answer. */
  items?: string;
  /** Whether the list takes an offset. */
  isPaged?: true;
}

/** Operations by resource and verb. */
export type OperationTable = Readonly<Record<string, Readonly<Record<string, Operation>>>>;
