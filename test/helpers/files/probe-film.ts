// Reads a film back as a player would, to check what was written.
import { loadNodeAv } from "../../../src/signal/media/node-av.ts";

export interface ProbedFilm {
  widthPx: number;
  heightPx: number;
  videoCodec: string;
  audioCodec: string;
  colorSpace: string;
  colorRange: string;
  /** Time from the film's start and luma plane of each frame, in presentation order. */
  frames: { timeS: number; luma: Uint8Array }[];
}

/** Decodes every frame of a film. */
export async function probeFilm(path: string): Promise<ProbedFilm> {
  const { api, constants } = await loadNodeAv();
  const demuxer = await api.Demuxer.open(path);
  try {
    const video = demuxer.video();
    const audio = demuxer.audio();
    if (!video || !audio) throw new Error("the film has no video or no audio");
    const { width, height, codecId, colorSpace, colorRange } = video.codecpar;
    const frames: ProbedFilm["frames"] = [];
    const decoder = await api.Decoder.create(video);
    for await (const frame of decoder.frames(demuxer.packets(video.index))) {
      if (!frame) continue;
      const timeS = (Number(frame.pts) * video.timeBase.num) / video.timeBase.den;
      frames.push({ timeS, luma: Uint8Array.from(frame.toBuffer().subarray(0, width * height)) });
      frame.free();
    }
    return {
      widthPx: width,
      heightPx: height,
      videoCodec: codecId === constants.AV_CODEC_ID_H264 ? "h264" : String(codecId),
      audioCodec: audio.codecpar.codecId === constants.AV_CODEC_ID_AAC ? "aac" : String(audio.codecpar.codecId),
      colorSpace: colorSpace === constants.AVCOL_SPC_SMPTE170M ? "smpte170m" : String(colorSpace),
      colorRange: colorRange === constants.AVCOL_RANGE_MPEG ? "tv" : String(colorRange),
      frames,
    };
  } finally {
    await demuxer.close();
  }
}
