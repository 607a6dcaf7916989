// Makes calls and lists of promises.
import type { Call, ItemList, Page, WithResponse } from "./call-types.ts";

export function toCall<T>(answer: Promise<WithResponse<T>>): Call<T> {
  const data = answer.then((answered) => answered.data);
  const withResponse = (): Promise<WithResponse<T>> => {
    // Its failure is told by what is returned here.
    data.catch(() => {});
    return answer;
  };
  return Object.assign(data, { withResponse });
}

export interface ListOptions {
  /** Where the entries are in the answer. */
  items: string;
  /** Fetches the page that begins at an entry; undefined for a list of one page. */
  fetchFrom?: (offset: number) => Promise<WithResponse<unknown>>;
  offset: number;
}

/** What answers tell about the entries that follow. */
interface Position {
  total?: number;
  pagination?: { has_more: boolean };
}

/** `first` is the request of the first page. */
export function toList<Item, Body>(
  first: Promise<WithResponse<unknown>>,
  { items, fetchFrom, offset }: ListOptions,
): ItemList<Item, Body> {
  const toPage = ({ data, ...rest }: WithResponse<unknown>, from: number): WithResponse<Page<Item, Body>> => {
    const found = items.split(".").reduce((value, name) => value?.[name] as never, data as Record<string, unknown>);
    const entries = (found as unknown as Item[] | undefined) ?? [];
    const { total = 0, pagination } = data as Position;
    const hasMore = fetchFrom !== undefined && entries.length > 0;
    const isMore = pagination ? pagination.has_more : from + entries.length < total;
    return { ...rest, data: { items: entries, body: data as Body, hasMore: hasMore && isMore } };
  };
  const page = toCall(first.then((answer) => toPage(answer, offset)));
  async function* walk(): AsyncGenerator<Item, void, undefined> {
    let { items: entries, hasMore } = await page;
    for (let from = offset; ; ) {
      yield* entries;
      if (!hasMore || !fetchFrom) return;
      from += entries.length;
      ({ items: entries, hasMore } = toPage(await fetchFrom(from), from).data);
    }
  }
  return Object.assign(page, { [Symbol.asyncIterator]: walk });
}
