// The items that a client makes itself, and the images that they show.
import sharp from "sharp";
import t from "tap";
import { withRealtimeSession } from "../../../../helpers/conversation/with-realtime-session.ts";

t.test("items are created, ordered and deleted by their ids", async (t) => {
  await withRealtimeSession({}, async (test) => {
    const message = (id: string, text: string) => ({
      item: { id, type: "message", role: "user", content: [{ type: "input_text", text }] },
    });
    test.send("conversation.item.create", message("one", "First."));
    test.send("conversation.item.create", message("three", "Third."));
    test.send("conversation.item.create", { previous_item_id: "one", ...message("two", "Second.") });
    t.match(test.events.at(-1), { previous_item_id: "one", item: { id: "two" } });
    test.send("conversation.item.create", { previous_item_id: "root", ...message("zero", "Before.") });
    test.send("conversation.item.create", { event_id: "twice", ...message("two", "Second.") });
    t.match(test.events.at(-1), { error: { code: "item_create_duplicate_id", event_id: "twice" } });
    test.send("conversation.item.delete", { item_id: "three" });
    t.match(test.events.at(-1), { type: "conversation.item.deleted", item_id: "three" });
    test.send("response.create", { response: { output_modalities: ["text"] } });
    await test.until("response.done");
    t.match(test.server.requests[0].body.messages.at(-1), { content: "Before.\nFirst.\nSecond." });
  });
});

t.test("the newest image since the last answer is shown to the model, as it was sent", async (t) => {
  const image = sharp({ create: { width: 8, height: 8, channels: 3, background: "#abc" } });
  const contents = {
    jpeg: await image.jpeg().toBuffer(),
    png: await image.png().toBuffer(),
    webp: await image.webp().toBuffer(),
  };
  await withRealtimeSession({}, async (test) => {
    const show = (...content: object[]) =>
      test.send("conversation.item.create", { item: { type: "message", role: "user", content } });
    const image = (type: keyof typeof contents) => ({
      type: "input_image",
      image_url: `data:image/${type};base64,${contents[type].toString("base64")}`,
    });
    show(image("jpeg"));
    show(image("webp"));
    show(image("png"), { type: "input_text", text: "What is it?" });
    test.send("response.create", { response: { output_modalities: ["text"] } });
    await test.until("response.done");
    t.match(test.server.requests[0].body.messages.at(-1).content, [
      { type: "text", text: "What is it?" },
      { type: "image_url", image_url: { url: image("png").image_url } },
    ]);
    const from = test.events.length;
    show({ type: "input_text", text: "And this?" });
    test.send("response.create", { response: { output_modalities: ["text"] } });
    await test.until("response.done", from);
    t.equal(test.server.requests[1].body.messages.at(-1).content, "And this?", "an earlier one is not shown again");
  });
});

t.test("an image that cannot be decoded is an error that names its type, and nothing is added", async (t) => {
  const image = sharp({ create: { width: 64, height: 64, channels: 3, background: "#abc" } });
  const png = await image.png().toBuffer();
  const urls: [string | undefined, RegExp][] = [
    [`data:image/gif;base64,${(await image.gif().toBuffer()).toString("base64")}`, /image\/gif/],
    [`data:image/png;base64,${png.subarray(0, -20).toString("base64")}`, /image\/png/],
    [`data:image/jpeg;base64,${Buffer.from("no image").toString("base64")}`, /image\/jpeg/],
    ["data:application/pdf;base64,JVBERg==", /application\/pdf/],
    ["https://example.com/x.png", /not fetched/],
    [undefined, /data URL/],
  ];
  await withRealtimeSession({}, async (test) => {
    for (const [image_url, message] of urls) {
      test.send("conversation.item.create", {
        event_id: "shown",
        item: { type: "message", role: "user", content: [{ type: "input_image", image_url }] },
      });
      t.match(test.events.at(-1), { error: { code: "invalid_image", message, event_id: "shown" } });
    }
    t.same(test.of("conversation.item.added"), []);
    const huge = Buffer.from(png);
    huge.writeUInt32BE(1_000_000, 16);
    test.send("response.create", {
      response: {
        input: [
          {
            type: "message",
            role: "user",
            content: [{ type: "input_image", image_url: `data:image/png;base64,${huge.toString("base64")}` }],
          },
        ],
      },
    });
    t.match(test.events.at(-1), { error: { code: "invalid_image" } });
  });
});
