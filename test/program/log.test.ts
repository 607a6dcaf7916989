import t from "tap";
import { createLogger } from "../../program/log.ts";

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

t.test("room names and identities are shown only if the setting allows it", async (t) => {
  const hidden = capture(false);
  hidden.logger.info({ roomName: "kitchen" }, "joined");
  t.notMatch(JSON.stringify(hidden.lines), /kitchen/);
  const shown = capture(true);
  shown.logger.info({ roomName: "kitchen" }, "joined");
  t.match(JSON.stringify(shown.lines), /kitchen/);
});

t.test("an error is logged with its stack and its causes, and without the tokens in its text", (t) => {
  const { lines, logger } = capture(true);
  const token = "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiJhdmF0YXIifQ.c2lnbmF0dXJl";
  const cause = new Error(`GET wss://media.example/rtc?access_token=${token}&sdk=node failed`);
  const error = Object.assign(new Error("the room refused the avatar", { cause }), {
    code: "UPSTREAM_ERROR",
    url: token,
  });
  logger.error({ err: error }, "avatar session failed");
  logger.error({ err: `${token} is no error` }, "thrown text");
  const { err } = lines[0] as { err: Record<string, string> };
  t.match(err, { type: "Error", message: /refused the avatar.*sdk=node failed/, code: "UPSTREAM_ERROR" });
  t.match(err.stack, /log\.test\.ts[\s\S]*caused by: Error: GET wss/);
  t.notMatch(JSON.stringify(lines), /eyJ/);
  t.match((lines[1] as { err: string }).err, /\[redacted\] is no error/);
  t.end();
});
