// Messages between the relay and its process of WebRTC calls, over a pipe that the test reads.
import t from "tap";
import { MessageQueue } from "../../../relay/webrtc/message-queue.ts";

function stage() {
  const unsent: (() => void)[] = [];
  let drains = 0;
  const queue = new MessageQueue<string>({
    post: (_, onSent) => unsent.push(onSent),
    onDrain: () => {
      drains += 1;
    },
  });
  return { queue, sendAll: () => unsent.splice(0).map((onSent) => onSent()), drains: () => drains };
}

t.test("a process that reads nothing holds a megabyte of messages, small ones counted with their overhead", (t) => {
  const { queue, sendAll, drains } = stage();
  let count = 0;
  while (queue.send("x", 1)) count += 1;
  t.equal(count, Math.floor((1024 * 1024) / 257));
  t.equal(queue.unsentBytes, (count + 1) * 257);
  sendAll();
  t.same([queue.unsentBytes, drains()], [0, 1]);
  t.ok(queue.send("x", 1), "and goes on");
  t.end();
});

t.test("a side that takes no more holds up the other one, until it takes more", (t) => {
  const { queue, sendAll, drains } = stage();
  queue.pause();
  t.notOk(queue.send("x", 1));
  sendAll();
  t.equal(drains(), 0, "though nothing waits here");
  queue.resume();
  t.equal(drains(), 1);
  queue.resume();
  t.equal(drains(), 1, "once");
  t.ok(queue.send("x", 1));
  t.end();
});
