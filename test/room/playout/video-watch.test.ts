// Who needs video and motion, by what participants say and what the sender of the video reads, in a room in memory.
import { ConnectionState, RoomEvent } from "@livekit/rtc-node";
import t from "tap";
import { createLogger } from "../../../program/log.ts";
import type { VideoSender } from "../../../room/playout/video-sender.ts";
import { VideoWatch, type VideoWatchOptions } from "../../../room/playout/video-watch.ts";
import { parseWatchReply, type WatchNeeds } from "../../../shared/watch.ts";
import { RPC_WATCH } from "../../../shared/wire-names.ts";
import { FakeRoom } from "../../helpers/rooms/fake-room.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const SENDING: VideoSender = { id: "video", isActive: true, framesSent: 500, keyFrameRequests: 0 };

interface Watched {
  room: FakeRoom;
  watch: VideoWatch;
  /** What the sender reads from now on; an Error: it cannot be read. */
  reads(sender: Partial<VideoSender> | Error | undefined): void;
  tell(identity: string, needs: WatchNeeds | string): ReturnType<typeof parseWatchReply> | Promise<unknown>;
  /** Resolves when `needsVideo` is this. */
  becomes(needsVideo: boolean): Promise<void>;
}

async function withWatch(
  work: (watched: Watched) => Promise<void>,
  options: Partial<VideoWatchOptions> & { first?: Partial<VideoSender> } = {},
): Promise<void> {
  const { first, ...rest } = options;
  const room = new FakeRoom();
  let current: VideoSender | Error | undefined = { ...SENDING, ...first };
  const watch = new VideoWatch({
    room: room.asRoom,
    logger: createLogger({ level: "silent", name: "test" }),
    readSender: async () => {
      if (current instanceof Error) throw current;
      return current;
    },
    ...rest,
  });
  watch.start();
  try {
    await work({
      room,
      watch,
      reads: (sender) => {
        current = sender instanceof Error || !sender ? sender : { ...SENDING, ...sender };
      },
      tell: async (identity, needs) =>
        parseWatchReply(
          await room.call(identity, RPC_WATCH, needs.startsWith("{") ? needs : JSON.stringify({ needs })),
        ),
      becomes: async (needsVideo) => {
        await waitFor(() => watch.needsVideo === needsVideo, `needsVideo turns ${needsVideo}`);
      },
    });
  } finally {
    watch.close();
    watch.close();
  }
}

t.jobs = 6;

t.test("video is needed unless the server has paused its sender", async (t) => {
  await withWatch(async ({ watch, reads, becomes }) => {
    t.equal(watch.needsVideo, true, "before anything was read");
    reads({ isActive: false });
    await becomes(false);
    reads({ isActive: true });
    await becomes(true);
    reads({ isActive: false });
    await becomes(false);
    reads(undefined);
    await becomes(true);
  });
});

t.test("a sender that cannot be read is watched, except for a moment", async (t) => {
  await withWatch(async ({ watch, reads, becomes }) => {
    reads({ isActive: false });
    await becomes(false);
    let changes = 0;
    watch.onChange(() => changes++);
    reads(new Error("the room reconnects"));
    await becomes(true);
    t.equal(changes, 1);
  });
});

t.test("a participant that needs video has it before the server says so, and for 5 s if it never does", async (t) => {
  await withWatch(async ({ watch, room, reads, tell, becomes }) => {
    room.join("person");
    reads({ isActive: false });
    await becomes(false);
    const startMs = performance.now();
    t.same(await tell("person", "video"), { ok: true, renders: "video" });
    t.equal(watch.needsVideo, true, "at once");
    await becomes(false);
    const heldMs = performance.now() - startMs;
    t.ok(heldMs > 4_900 && heldMs < 8_000, `${Math.round(heldMs)} ms`);
  });
});

t.test("motion is for sessions that viewers may render, until they say otherwise or leave", async (t) => {
  await withWatch(async ({ tell }) => {
    t.match(await tell("person", "motion"), { ok: false, code: "FORBIDDEN" });
  });
  await withWatch(
    async ({ watch, room, tell }) => {
      const told: string[][] = [];
      watch.onChange(() => told.push(watch.motionIdentities));
      for (const identity of ["ann", "ben", "eve"]) room.join(identity);
      for (const identity of ["ann", "ben", "eve"]) {
        t.same(await tell(identity, "motion"), { ok: true, renders: "motion" });
      }
      t.same(await tell("ann", "motion"), { ok: true, renders: "motion" }, "twice is once");
      t.same(await tell("ben", "nothing"), { ok: true, renders: "nothing" });
      room.leave("ann");
      t.same(await tell("eve", "video"), { ok: true, renders: "video" });
      t.same(told, [["ann"], ["ann", "ben"], ["ann", "ben", "eve"], ["ann", "eve"], ["eve"], []]);
    },
    { viewersMayRender: true },
  );
});

t.test("what a participant needs holds while the avatar's own connection is restored", async (t) => {
  await withWatch(
    async ({ watch, room, tell }) => {
      room.join("ann");
      await tell("ann", "motion");
      room.setConnection(ConnectionState.CONN_RECONNECTING);
      room.leave("ann");
      t.same(watch.motionIdentities, ["ann"]);
      room.setConnection(ConnectionState.CONN_CONNECTED);
      room.join("ann");
      t.same(watch.motionIdentities, ["ann"]);
    },
    { viewersMayRender: true },
  );
});

t.test("a caller that is never announced is forgotten", async (t) => {
  await withWatch(
    async ({ watch, tell }) => {
      await tell("ghost", "motion");
      t.same(watch.motionIdentities, ["ghost"], "the server announces participants late");
      await waitFor(() => watch.motionIdentities.length === 0, "it is forgotten");
    },
    { viewersMayRender: true },
  );
});

t.test("malformed payloads change nothing, and more than a thousand participants are refused", async (t) => {
  await withWatch(
    async ({ watch, tell }) => {
      for (const payload of ["{}", '{"needs":1}', `{"needs":"motion","a":"${"x".repeat(5_000)}"}`]) {
        t.match(await tell("ann", payload), { ok: false, code: "VALIDATION_ERROR" });
      }
      t.same(watch.motionIdentities, []);
      for (let i = 0; i < 1_000; i++) await tell(`viewer-${i}`, "motion");
      t.match(await tell("one more", "motion"), { ok: false, code: "SERVICE_UNAVAILABLE" });
      t.match(await tell("viewer-7", "nothing"), { ok: true });
      t.match(await tell("one more", "motion"), { ok: true });
    },
    { viewersMayRender: true },
  );
});

t.test("a participant that calls again and again makes no more timers than one that calls once", async (t) => {
  await withWatch(
    async ({ watch, room, tell }) => {
      room.join("ann");
      const { setTimeout: set, clearTimeout: clear } = globalThis;
      const pending = new Set<unknown>();
      globalThis.setTimeout = Object.assign((work: () => void, ms?: number) => {
        const timer = set(() => {
          pending.delete(timer);
          work();
        }, ms);
        pending.add(timer);
        return timer;
      }, set);
      globalThis.clearTimeout = (timer) => {
        pending.delete(timer);
        clear(timer);
      };
      try {
        for (let i = 0; i < 600; i++) await tell("ann", (["motion", "video", "nothing"] as const)[i % 3]);
        // Other tests of this file run meanwhile.
        t.ok(pending.size < 100, `${pending.size} timers`);
      } finally {
        Object.assign(globalThis, { setTimeout: set, clearTimeout: clear });
      }
      t.same(watch.motionIdentities, []);
    },
    { viewersMayRender: true },
  );
});

t.test("a session that viewers render sends video until its track is announced, then to who asks", async (t) => {
  await withWatch(
    async ({ watch, reads, becomes, room }) => {
      t.equal(watch.needsVideo, true, "senders wait for the track");
      reads({ framesSent: 12 });
      await becomes(false);
      reads({ framesSent: 12, keyFrameRequests: 1 });
      await becomes(true);
      reads({ framesSent: 40, keyFrameRequests: 1, isActive: false });
      await becomes(false);
      reads({ framesSent: 40, keyFrameRequests: 1 });
      await becomes(true);
      reads({ id: "published again", framesSent: 0 });
      room.emit(RoomEvent.ParticipantConnected, {});
      t.equal(watch.needsVideo, true);
      reads({ id: "published again", framesSent: 30 });
      await becomes(false);
    },
    { viewersRender: true, viewersMayRender: true, first: { framesSent: 0 } },
  );
});

t.test("where viewers render, video is admitted by its worker: a refused caller keeps what it had", async (t) => {
  let isFree = false;
  let asked = 0;
  let released = 0;
  const admitVideo = async () => {
    asked++;
    return isFree;
  };
  await withWatch(
    async ({ watch, room, reads, tell, becomes }) => {
      room.join("ann");
      await becomes(false);
      t.equal(asked, 0, "what announces the track is not asked about");
      await tell("ann", "motion");
      t.match(await tell("ann", "video"), { ok: false, code: "SERVICE_UNAVAILABLE" });
      t.same([watch.needsVideo, watch.motionIdentities], [false, ["ann"]]);
      isFree = true;
      const [first, second] = await Promise.all([tell("ann", "video"), tell("ben", "video")]);
      t.match([first, second], [{ ok: true }, { ok: true }]);
      t.same([asked, watch.needsVideo, released], [2, true, 0], "one question for both");
      reads({ isActive: false });
      await becomes(false);
      t.equal(released, 1, "the worker learns that its slot is free");
      isFree = false;
      reads({ isActive: true });
      await waitFor(() => asked === 3, "a subscriber that says nothing is asked about");
      t.equal(watch.needsVideo, false);
      isFree = true;
      await becomes(true);
      t.equal(released, 1);
    },
    { viewersRender: true, viewersMayRender: true, admitVideo, releaseVideo: () => void released++ },
  );
});
