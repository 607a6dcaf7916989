import { createServer } from "node:http";
import { type AddressInfo, connect } from "node:net";
import t from "tap";
import { answerConnectionErrors } from "../../../../api/kernel/http/connection-errors.ts";

/** Sends bytes to a server of our own and returns all that it answers before it hangs up. */
async function exchange(bytes: string): Promise<string> {
  const server = createServer((_request, response) => response.end("handled"));
  answerConnectionErrors(server);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    const socket = connect((server.address() as AddressInfo).port, "127.0.0.1");
    socket.write(bytes);
    let answer = "";
    for await (const chunk of socket) answer += chunk;
    return answer;
  } finally {
    await new Promise((resolve) => server.close(resolve));
  }
}

t.test("bytes that are not an HTTP request are answered with the error envelope, too", async (t) => {
  const cases: [string, string, number, RegExp][] = [
    ["a URL that is too long", `GET /?x=${"y".repeat(20_000)} HTTP/1.1\r\nHost: x\r\n\r\n`, 431, /too long/],
    ["no HTTP", "HELLO\r\n\r\n", 400, /not a valid HTTP request/],
    ["a space in a header name", "GET / HTTP/1.1\r\nHost: x\r\nbad name: 1\r\n\r\n", 400, /not a valid HTTP request/],
  ];
  for (const [name, bytes, status, message] of cases) {
    const answer = await exchange(bytes);
    const [head, body] = answer.split("\r\n\r\n");
    t.match(head, new RegExp(`^HTTP/1.1 ${status} `), name);
    t.match(head, /^X-Request-Id: [0-9a-f-]{36}$/m, name);
    t.match(
      JSON.parse(body),
      { status: "error", status_code: status, error: { code: "VALIDATION_ERROR", httpStatus: status, message } },
      name,
    );
  }
});
