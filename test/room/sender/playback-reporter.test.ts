// What the avatar reports of playback, on a room in memory.
import { ConnectionState, RpcError } from "@livekit/rtc-node";
import t from "tap";
import { createLogger } from "../../../program/log.ts";
import { PlaybackReporter } from "../../../room/sender/playback-reporter.ts";
import { RPC_PLAYBACK_FINISHED, RPC_PLAYBACK_STARTED } from "../../../shared/wire-names.ts";
import { FakeRoom } from "../../helpers/rooms/fake-room.ts";
import { waitFor } from "../../helpers/wait-for.ts";

const logger = createLogger({ level: "silent", name: "test" });

t.test("PlaybackReporter", async (t) => {
  const report = (options: { returnLimitMs?: number } = {}) => {
    const room = new FakeRoom();
    const reporter = new PlaybackReporter({ room: room.asRoom, logger, ...options });
    reporter.start();
    const shown = () => room.calls.map(({ to, method, payload }) => `${to} ${method} ${payload}`.trim());
    return { room, reporter, shown };
  };

  t.test("each segment is reported as started once and as finished once, in order, in seconds", async (t) => {
    const { reporter, shown } = report();
    for (const id of ["a", "b"]) reporter.open(id, "voice");
    reporter.started("a");
    reporter.started("a");
    reporter.finished("a", { positionMs: 1500, interrupted: false });
    reporter.finished("a", { positionMs: 9, interrupted: true });
    reporter.started("a");
    reporter.finished("b", { positionMs: 0, interrupted: true });
    reporter.finished("never opened", { positionMs: 1, interrupted: false });
    await waitFor(() => shown().length === 3, "three reports");
    t.same(shown(), [
      `voice ${RPC_PLAYBACK_STARTED}`,
      `voice ${RPC_PLAYBACK_FINISHED} {"playback_position":1.5,"interrupted":false}`,
      `voice ${RPC_PLAYBACK_FINISHED} {"playback_position":0,"interrupted":true}`,
    ]);
  });

  t.test("a lost call is retried, with at most three calls in all; a refused one is not retried", async (t) => {
    const { room, reporter, shown } = report();
    room.answer = ({ to }) => {
      throw new RpcError(
        to === "deaf" ? RpcError.ErrorCode.UNSUPPORTED_METHOD : RpcError.ErrorCode.CONNECTION_TIMEOUT,
        "",
      );
    };
    reporter.open("a", "lost");
    reporter.open("b", "deaf");
    reporter.open("c", "last");
    reporter.finished("a", { positionMs: 1, interrupted: false });
    reporter.finished("b", { positionMs: 2, interrupted: false });
    reporter.finished("c", { positionMs: 3, interrupted: false });
    await waitFor(() => shown().filter((call) => call.startsWith("last")).length === 3, "all are tried");
    const count = (to: string) => room.calls.filter((call) => call.to === to).length;
    await waitFor(() => count("lost") === 3, "three attempts");
    t.same([count("lost"), count("deaf"), count("last")], [3, 1, 3]);
  });

  t.test("a missing answer delays the next report only for a limited time", async () => {
    const { room, reporter, shown } = report();
    room.answer = () => new Promise(() => undefined);
    reporter.open("a", "voice");
    reporter.started("a");
    reporter.finished("a", { positionMs: 1, interrupted: false });
    await waitFor(() => shown().length === 2, "both are sent");
  });

  t.test(
    "a flood of segments is bounded: the first thousand are reported, which is what a session can hand on",
    async (t) => {
      const { room, reporter, shown } = report();
      let release: () => void = () => undefined;
      const answered = new Promise<void>((resolve) => {
        release = resolve;
      });
      room.answer = () => answered.then(() => "");
      for (let i = 0; i < 3_000; i++) {
        reporter.open(`s${i}`, "voice");
        reporter.finished(`s${i}`, { positionMs: i, interrupted: true });
      }
      t.equal(reporter.openSegments.length, 1_000);
      release();
      await waitFor(() => shown().length === 1_000, "a thousand are told");
      t.match(shown()[999], /"playback_position":0.999,/);
      await waitFor(() => reporter.openSegments.length === 0, "none waits");
      reporter.open("later", "voice");
      reporter.finished("later", { positionMs: 7, interrupted: false });
      await waitFor(() => shown().length === 1_001, "later ones are told again");
    },
  );

  t.test(
    "a sender that left gets no reports, also after it joins again under the same identity, and its state is dropped",
    async (t) => {
      const { room, reporter, shown } = report();
      room.answer = () => {
        room.leave("voice");
        throw new RpcError(RpcError.ErrorCode.CONNECTION_TIMEOUT, "");
      };
      reporter.open("a", "voice");
      reporter.open("b", "voice");
      reporter.started("a");
      reporter.finished("b", { positionMs: 1, interrupted: false });
      await waitFor(() => shown().length === 1, "the first call");
      room.answer = () => "";
      reporter.open("c", "voice");
      reporter.finished("a", { positionMs: 1, interrupted: false });
      reporter.finished("c", { positionMs: 2, interrupted: false });
      await waitFor(() => shown().length === 2, "only what is said to the new one");
      t.match(shown()[1], /"playback_position":0.002/);
      await reporter.close();
      t.equal(room.listenerCount("participantDisconnected"), 0);
    },
  );

  t.test(
    "while the connection is restored, reports wait for their senders, and are then sent once, in order",
    async (t) => {
      const { room, reporter, shown } = report();
      const reports = (ids: string[]) => ids.map((id) => `${RPC_PLAYBACK_FINISHED} {"playback_position":${id}`);
      const matches = (expected: string[]) =>
        t.same(
          shown().map((call) => call.split(" ").slice(1).join(" ").split(",")[0]),
          expected,
        );
      for (let i = 1; i <= 4; i++) reporter.open(`s${i}`, "voice");
      reporter.open("other", "gone");
      // The first call is never answered: the connection breaks.
      room.answer = () => new Promise(() => undefined);
      reporter.finished("s1", { positionMs: 1_000, interrupted: false });
      await waitFor(() => shown().length === 1, "the first call");
      room.calls.length = 0;
      room.setConnection(ConnectionState.CONN_RECONNECTING);
      room.answer = async () => {
        await new Promise(setImmediate);
        return "";
      };
      room.leave("voice");
      room.leave("gone");
      for (let i = 2; i <= 3; i++) reporter.finished(`s${i}`, { positionMs: i * 1_000, interrupted: true });
      reporter.finished("other", { positionMs: 9_000, interrupted: true });
      room.setConnection(ConnectionState.CONN_CONNECTED);
      await new Promise(setImmediate);
      t.same(shown(), [], "the senders are not back");
      t.same(
        reporter.openSegments.map(({ position_ms }) => position_ms),
        [1_000, 2_000, 3_000, 0, 9_000],
        "another process could take over",
      );
      room.join("voice");
      await waitFor(() => shown().length === 3, "the reports");
      matches(reports(["1", "2", "3"]));
      reporter.finished("s4", { positionMs: 4_000, interrupted: false });
      await waitFor(() => reporter.openSegments.length === 1, "the others are told at once");
      matches(reports(["1", "2", "3", "4"]));

      // A stream of a sender that was not announced yet shows that it is back.
      room.setConnection(ConnectionState.CONN_RECONNECTING);
      room.leave("voice");
      room.setConnection(ConnectionState.CONN_CONNECTED);
      reporter.open("s5", "voice");
      reporter.finished("s5", { positionMs: 5_000, interrupted: false });
      await waitFor(() => shown().length === 5, "its report");
      await reporter.close();
      t.match(
        reporter.openSegments,
        [{ sender_identity: "gone", position_ms: 9_000 }],
        "what was not told is handed on",
      );
    },
  );

  t.test("a sender that does not return in time has left, and a lost connection leaves its reports open", async (t) => {
    const { room, reporter, shown } = report({ returnLimitMs: 30 });
    reporter.open("a", "voice");
    room.setConnection(ConnectionState.CONN_RECONNECTING);
    room.leave("voice");
    reporter.finished("a", { positionMs: 1_000, interrupted: true });
    room.setConnection(ConnectionState.CONN_CONNECTED);
    await waitFor(() => reporter.openSegments.length === 0, "its segment is dropped");
    reporter.open("b", "voice");
    room.isConnected = false;
    reporter.finished("b", { positionMs: 2_000, interrupted: true });
    await reporter.close();
    t.same(shown(), []);
    t.match(reporter.openSegments, [{ sender_identity: "voice", position_ms: 2_000, interrupted: true }]);
  });
});
