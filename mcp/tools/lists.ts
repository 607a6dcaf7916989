// Answers of list tools.
import type { Page } from "../../sdk/client/index.ts";
import type { ToolAnswer } from "../tool.ts";

/** One page as a tool returns it. */
export function answerOf<Item>(name: string, { items, body, hasMore }: Page<Item, unknown>): ToolAnswer {
  const { total, pagination } = body as { total?: number; pagination?: { total?: number } };
  const count = total ?? pagination?.total;
  return { data: { [name]: items, ...(count !== undefined && { total: count }), has_more: hasMore } };
}
