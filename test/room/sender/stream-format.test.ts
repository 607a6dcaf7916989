import t from "tap";
import { parseStreamFormat } from "../../../room/sender/stream-format.ts";

t.test(
  "sample rate and channels are parsed as integers within the limits, and errors name the attribute",
  async (t) => {
    t.same(parseStreamFormat({ sample_rate: "24000", num_channels: "1" }), {
      format: { sampleRateHz: 24_000, channels: 1 },
    });
    t.same(parseStreamFormat({ sample_rate: "48000", num_channels: "2", extra: "x" }), {
      format: { sampleRateHz: 48_000, channels: 2 },
    });
    const wrong: (Record<string, string> | undefined)[] = [
      undefined,
      {},
      { sample_rate: "24000" },
      { num_channels: "1" },
      { sample_rate: "", num_channels: "1" },
      { sample_rate: "24k", num_channels: "1" },
      { sample_rate: "24000.5", num_channels: "1" },
      { sample_rate: "-24000", num_channels: "1" },
      { sample_rate: "7999", num_channels: "1" },
      { sample_rate: "192001", num_channels: "1" },
      { sample_rate: "24000", num_channels: "0" },
      { sample_rate: "24000", num_channels: "33" },
    ];
    for (const attributes of wrong) {
      const { format, problem } = parseStreamFormat(attributes);
      t.equal(format, undefined, JSON.stringify(attributes));
      t.match(problem, /sample_rate|num_channels/);
    }
  },
);
