// Ends of what was said: with its agent, and after the days that the operator keeps it.
import { BackgroundLoop } from "../../kernel/background-loop.ts";
import type { Events } from "../../kernel/events/events.ts";
import type { BackgroundService } from "../../kernel/module.ts";
import type { SessionServices } from "../session-services.ts";
import { deleteMessageDays } from "./message-budget.ts";
import { deleteMessagesBefore, deleteMessagesOfAgent } from "./message-store.ts";

const SWEEP_INTERVAL_MS = 60_000;

/** Deletes messages with each deletion of an agent, in its transaction. */
export function deleteMessagesWithAgent(events: Events): void {
  events.on("agent.deleted", (transaction, { userId, agentCode }) =>
    deleteMessagesOfAgent(transaction, userId, agentCode),
  );
}

/** Sweeps every minute. With a retention of 0 days it deletes what an earlier setting kept. */
export function createMessageSweep({ database, config, logger, now }: SessionServices): BackgroundService {
  return new BackgroundLoop({
    name: "messages",
    intervalMs: SWEEP_INTERVAL_MS,
    logger,
    async work() {
      await deleteMessagesBefore(database, new Date(now() - config.retention.transcriptMs));
      await deleteMessageDays(database, new Date(now()));
    },
  });
}
