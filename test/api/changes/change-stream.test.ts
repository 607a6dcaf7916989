// One page's stream: few events, and no queue for a reader that is slow.
import { Writable } from "node:stream";
import t from "tap";
import { ChangeStream } from "../../../api/changes/change-stream.ts";
import { CHANGE_NOUNS } from "../../../shared/change-nouns.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const OWNERS = { userId: "u", organizationId: null, isOperator: false };

t.test("a reader that takes nothing gets what has changed in one event, later", async (t) => {
  const stream = new ChangeStream(OWNERS, "s");
  let text = "";
  let isTaking = false;
  let take: () => void = () => undefined;
  const reader = new Writable({
    highWaterMark: 1,
    write(chunk, _encoding, done) {
      text += chunk;
      if (isTaking) done();
      else take = done;
    },
  });
  stream.pipe(reader);
  for (let round = 0; round < 5_000; round++) {
    stream.add(CHANGE_NOUNS[round % 3]);
    stream.beat();
  }
  await waitFor(() => text.includes("ready"), "the first event");
  t.ok(stream.readableLength <= 2_048, `${stream.readableLength} bytes wait`);
  isTaking = true;
  take();
  await waitFor(() => text.includes("event: change"), "the change");
  t.equal(text.split("event: change").length - 1, 1);
  t.match(text, 'data: {"nouns":["agents","sessions","messages"]}');
  stream.destroy();
});

t.test("a reader that has taken nothing for a minute is cut off; one that reads gets heartbeats", async (t) => {
  let nowMs = 0;
  const stuck = new ChangeStream(OWNERS, "s", () => nowMs);
  const reading = new ChangeStream(OWNERS, "s", () => nowMs);
  let text = "";
  reading.on("data", (chunk) => {
    text += chunk;
  });
  await waitFor(() => text.includes("ready"), "the first event");
  for (let round = 0; round < 500; round++) stuck.beat();
  t.ok(stuck.readableLength <= 2_048, `${stuck.readableLength} bytes wait`);
  nowMs = 59_000;
  stuck.beat();
  t.notOk(stuck.destroyed);
  nowMs = 60_000;
  stuck.beat();
  t.ok(stuck.destroyed);
  stuck.add("agents");
  stuck.end("service_closing");
  reading.beat();
  await waitFor(() => text.includes("event: beat"), "the heartbeat");
  reading.end("session_ended");
  reading.end("service_closing");
  await waitFor(() => reading.destroyed, "the end");
  t.match(text, /event: end\ndata: \{"reason":"session_ended"\}\n\n$/);
});
