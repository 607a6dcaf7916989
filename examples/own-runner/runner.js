// A face of one's own: a drawn mouth that opens with the loudness of the agent's voice.
import { voice } from "@livekit/agents";
import { Room, VideoBufferType, VideoFrame } from "@livekit/rtc-node";
import { AvatarRunner, DataStreamAudioReceiver, VideoGenerator } from "@open-avatar/livekit-agents";
import { AccessToken } from "livekit-server-sdk";

const { LIVEKIT_URL, LIVEKIT_API_KEY, LIVEKIT_API_SECRET } = process.env;
const [roomName = "demo", agentIdentity = "agent"] = process.argv.slice(2);
const [SIZE, FPS] = [256, 25];

class DrawnMouth extends VideoGenerator {
  waiting = [];
  opening = 0;

  pushAudio(frame) {
    this.waiting.push(frame);
  }

  clearBuffer() {
    this.waiting = [];
  }

  async *[Symbol.asyncIterator]() {
    for (;;) {
      const next = this.waiting.shift();
      const isAudio = next !== undefined && !(next instanceof voice.AudioSegmentEnd);
      const loudness = isAudio
        ? Math.sqrt(next.data.reduce((sum, sample) => sum + sample ** 2, 0) / next.data.length)
        : 0;
      this.opening += (Math.min(1, loudness / 6000) - this.opening) / 2;
      yield this.draw();
      if (next) yield next;
    }
  }

  draw() {
    const pixels = new Uint8Array(SIZE * SIZE * 4).fill(255);
    const fill = (x, y, width, height, colour) => {
      for (let row = -height; row <= height; row++) {
        const half = Math.round(width * Math.sqrt(1 - (row / height) ** 2));
        for (let column = -half; column <= half; column++) pixels.set(colour, ((y + row) * SIZE + x + column) * 4);
      }
    };
    fill(128, 128, 110, 110, [255, 205, 150]);
    for (const x of [90, 166]) fill(x, 100, 10, 14, [40, 40, 60]);
    fill(128, 180, 40, 3 + Math.round(30 * this.opening), [150, 40, 50]);
    return new VideoFrame(pixels, SIZE, SIZE, VideoBufferType.RGBA);
  }
}

const attributes = { "lk.publish_on_behalf": agentIdentity };
const token = new AccessToken(LIVEKIT_API_KEY, LIVEKIT_API_SECRET, { identity: "own-avatar", attributes });
token.addGrant({ room: roomName, roomJoin: true });
token.kind = "agent";
const room = new Room();
await room.connect(LIVEKIT_URL, await token.toJwt(), { autoSubscribe: false, dynacast: false });
const audioRecv = new DataStreamAudioReceiver(room, { frameSizeMs: 1000 / FPS });
const options = { videoWidth: SIZE, videoHeight: SIZE, videoFps: FPS, audioSampleRate: 16000, audioChannels: 1 };
const runner = new AvatarRunner(room, { audioRecv, videoGen: new DrawnMouth(), options });
await runner.start();
console.log(`own-avatar is in the room ${roomName} and waits for ${agentIdentity}`);
