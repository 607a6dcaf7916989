import t from "tap";
import { createLogger } from "../../shared/log.ts";

function capture(personal: boolean): { lines: Record<string, unknown>[]; logger: ReturnType<typeof createLogger> } {
  const lines: Record<string, unknown>[] = [];
  const stream = { write: (line: string) => void lines.push(JSON.parse(line) as Record<string, unknown>) };
  return { lines, logger: createLogger({ level: "info", name: "test", personal, stream }) };
}

t.test("secrets never reach a line, at the top or one level down", async (t) => {
  const { lines, logger } = capture(true);
  logger.info(
    { token: "abc", request: { authorization: "Bearer abc" }, apiSecret: "abc", livekitToken: "abc" },
    "launch",
  );
  t.notMatch(JSON.stringify(lines), /abc/);
});

t.test("room names and identities are shown only when asked for", async (t) => {
  const hidden = capture(false);
  hidden.logger.info({ roomName: "kitchen" }, "joined");
  t.notMatch(JSON.stringify(hidden.lines), /kitchen/);
  const shown = capture(true);
  shown.logger.info({ roomName: "kitchen" }, "joined");
  t.match(JSON.stringify(shown.lines), /kitchen/);
});
