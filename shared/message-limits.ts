// How much of a conversation is kept and passed on. People who talk stay far below; a server of the account's own
// could send without end, and its words count as said. The worker and the api hold the same bounds.

/** Messages of a session that are taken at once, and further ones a second. People talk at less than half of that. */
export const MESSAGE_BURST = 60;
export const MESSAGES_PER_SECOND = 1;
/** The same in bytes of UTF-8. Two people who talk without a pause say 60 bytes a second. */
export const MESSAGE_BURST_BYTES = 200_000;
export const MESSAGE_BYTES_PER_SECOND = 500;

/** Size of a message, bytes of UTF-8. */
export function messageBytes({ message }: { message: string }): number {
  return Buffer.byteLength(message);
}
