// `<avatar-face>` in a real LiveKit room, in a React page of LiveKit's components: the video of an avatar beside an
// agent, and the face of an agent without an avatar. LiveKit's hook finds what it always found.
import {
  AudioFrame,
  AudioSource,
  LocalAudioTrack,
  type Room,
  TrackPublishOptions,
  TrackSource,
} from "@livekit/rtc-node";
import { build } from "esbuild";
import t from "tap";
import { CHROMIUM_MISSING, findChromium } from "../../../lab/bench/with-chromium.ts";
import { ATTRIBUTE_AGENT_STATE } from "../../../shared/wire-names.ts";
import { writeImx } from "../../../src/face/imx/write-imx.ts";
import type { SpokenSentence } from "../../../src/speech/voice/voice.ts";
import { bakedFace } from "../../helpers/faces/baked-face.ts";
import { FACE_POLICY, withFacePages } from "../../helpers/pages/with-face-pages.ts";
import { withRoomAvatar } from "../../helpers/rooms/with-room-avatar.ts";
import { speakSentences } from "../../helpers/speech/spoken.ts";

const AGENT = "agent";
const PIECE_MS = 20;

/** Shows what the hook says, and two faces: one follows the room, one the hook's audio track. */
const APP = `
import { createElement as h, useEffect } from "react";
import { createRoot } from "react-dom/client";
import { LiveKitRoom, RoomAudioRenderer, useRoomContext, useVoiceAssistant } from "@livekit/components-react";
import { AvatarFace } from "./sdk/face/react.ts";

function Assistant() {
  const { state, audioTrack, videoTrack, agent } = useVoiceAssistant();
  const room = useRoomContext();
  useEffect(() => {
    globalThis.hook = { state, agent: agent?.identity, audio: audioTrack?.participant.identity, video: videoTrack?.participant.identity };
  });
  return h("div", null, h(AvatarFace, { id: "room", src: "face.imx", source: room }), h(AvatarFace, { id: "track", source: audioTrack, muted: true }));
}

const { url, token } = Object.fromEntries(new URLSearchParams(location.hash.slice(1)));
createRoot(document.getElementById("app")).render(
  h(LiveKitRoom, { serverUrl: url, token, connect: true, audio: false, video: false }, h(Assistant), h(RoomAudioRenderer)),
);
`;

const INIT = `
  globalThis.face = () => document.getElementById("room");
  globalThis.part = (name) => face()?.shadowRoot.querySelector("." + name);
  globalThis.when = async (isTrue) => {
    for (let i = 0; !isTrue(); i++) {
      if (i > 1000) throw new Error("waited too long: " + isTrue + " " + JSON.stringify(globalThis.hook) + " " + face()?.state);
      await new Promise((resolve) => setTimeout(resolve, 20));
    }
  };
`;

const skip = findChromium() ? false : CHROMIUM_MISSING;

t.test("a face in a LiveKit room", { skip, timeout: 180_000 }, async (t) => {
  const [spoken] = await speakSentences(
    ["Papa bought five open boxes, and my mother always heard a far piano."],
    ["F1"],
  );
  const bundled = await build({
    stdin: { contents: APP, resolveDir: process.cwd(), loader: "js" },
    bundle: true,
    format: "esm",
    minify: true,
    write: false,
    logLevel: "silent",
    define: { "process.env.NODE_ENV": '"production"' },
  });
  const files = { "app.js": bundled.outputFiles[0].contents, "face.imx": await writeImx(await bakedFace("drawing")) };
  await withFacePages({ files }, ({ open }) =>
    withRoomAvatar(async ({ url, mintToken, joinSender, runner, avatarRoom }) => {
      const sender = await joinSender(AGENT);
      await sender.room.localParticipant!.setAttributes({ [ATTRIBUTE_AGENT_STATE]: "listening" });
      const { page, problems } = await open({
        body: `<div id="app"></div><script type="module" src="app.js"></script>`,
        policy: FACE_POLICY.replace("connect-src 'self'", `connect-src 'self' ${url} ${url.replace("ws", "http")}`)
          // LiveKit's own.
          .replace("script-src 'self'", "script-src 'self' blob:"),
        initScript: INIT,
        hash: new URLSearchParams({ url, token: await mintToken("visitor") }).toString(),
      });
      const run = (code: string) => page.evaluate(code);

      await t.test("shows the avatar's video, state and captions, and plays its audio once", async (t) => {
        await run(`when(() => part("moving")?.localName === "video" && part("moving").videoWidth > 0)`);
        await run(`when(() => face().state === "listening")`);
        t.ok(await page.locator("#room").getByText("AI-generated face").isVisible());
        await page.mouse.click(5, 5);
        await sender.say(spokenAt16k(spoken));
        await run(`when(() => hook.video === "avatar")`);
        t.match(await run("hook"), { agent: AGENT, audio: "avatar", video: "avatar", state: "listening" });
        const playing = `[...document.querySelectorAll("audio")].filter((one) => !one.muted && one.volume > 0).length`;
        t.equal(await run(playing), 1, "LiveKit's renderer plays it");
        t.equal(await run(`document.getElementById("track").state`), "empty", "a face without a file");
        const [{ sid: trackSid = "" }] = avatarRoom.localParticipant!.trackPublications.values();
        const segment = { id: "1", text: "Papa bought five.", final: true, language: "", startTime: 0n, endTime: 0n };
        await avatarRoom.localParticipant!.publishTranscription({
          participantIdentity: "avatar",
          trackSid,
          segments: [segment],
        });
        await page.locator("#room").getByText("Papa bought five.").waitFor();
        await sender.room.localParticipant!.setAttributes({ [ATTRIBUTE_AGENT_STATE]: "thinking" });
        await run(`when(() => face().state === "thinking" && hook.state === "thinking")`);
      });

      await t.test("once the avatar has left, the agent's own voice moves the face", async (t) => {
        await runner.close();
        await avatarRoom.disconnect();
        await run(`when(() => part("moving")?.localName === "canvas")`);
        await sender.room.localParticipant!.setAttributes({ [ATTRIBUTE_AGENT_STATE]: "idle" });
        const stop = await publishVoice(sender.room, spoken);
        await run(`when(() => face().state === "speaking")`);
        await run(`when(() => hook.audio === "${AGENT}")`);
        t.equal(await run("hook.video"), undefined);
        const playing = `[...document.querySelectorAll("audio")].filter((one) => !one.muted && one.volume > 0).length`;
        t.equal(await run(playing), 0, "LiveKit's renderer is silent while the face plays it with its frames");
        await run(`face().remove(); when(() => ${playing} === 1)`);
        await stop();
      });

      t.same(problems, []);
      await page.context().close();
    }),
  );
});

function spokenAt16k({ samples, sampleRateHz }: SpokenSentence): Int16Array {
  return Int16Array.from(
    { length: Math.floor((samples.length * 16_000) / sampleRateHz) },
    (_, i) => samples[Math.floor((i * sampleRateHz) / 16_000)],
  );
}

/** Publishes a voice that repeats, as an agent without an avatar does. Returns what ends it. */
async function publishVoice(room: Room, spoken: SpokenSentence): Promise<() => Promise<void>> {
  const source = new AudioSource(spoken.sampleRateHz, 1);
  const track = LocalAudioTrack.createAudioTrack("voice", source);
  const options = new TrackPublishOptions();
  options.source = TrackSource.SOURCE_MICROPHONE;
  await room.localParticipant!.publishTrack(track, options);
  let isOver = false;
  const pieceSamples = Math.floor((spoken.sampleRateHz * PIECE_MS) / 1000);
  const speaking = (async () => {
    while (!isOver)
      for (let at = 0; at + pieceSamples <= spoken.samples.length && !isOver; at += pieceSamples)
        await source.captureFrame(
          new AudioFrame(spoken.samples.slice(at, at + pieceSamples), spoken.sampleRateHz, 1, pieceSamples),
        );
  })();
  return async () => {
    isOver = true;
    await speaking;
    await track.close();
  };
}
