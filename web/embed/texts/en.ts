// Texts of the embed page in English. The other languages have the same entries.
import { ENGLISH_DEVICE_TEXTS } from "../../shared/device-problem.ts";
import type { Language } from "../../shared/languages.ts";
import { pluralIn } from "../../shared/plural.ts";

const plural = pluralIn("en");

export const en = {
  language: "en" as Language,
  stage: {
    states: {
      waiting: "Connecting",
      idle: "Ready",
      listening: "Listening",
      thinking: "Thinking",
      speaking: "Speaking",
      lost: "Reconnecting",
      away: "",
    },
    face: "Talking face",
    faceOf: (name: string) => `Talking face of ${name}`,
    generated: "AI-generated face",
  },
  /** Share of the avatar's file that is there. */
  loading: (percent: number) => `Loading the face: ${percent} %`,
  gestures: {
    mini_wave_hello: "Hello",
    nod: "Nod",
    shake: "No",
    wink: "Wink",
    laugh: "Laugh",
    surprise: "Surprise",
    blow_kiss_heart: "Kiss",
  },
  moods: {
    group: "Mood",
    neutral: "Neutral",
    happy: "Happy",
    sad: "Sad",
    angry: "Angry",
    surprised: "Surprised",
    afraid: "Afraid",
    disgusted: "Disgusted",
    content: "Content",
  },
  gestureFailed: "The avatar did not make that gesture. Try again.",
  moodFailed: "The avatar did not take that mood. Try again.",
  devices: ENGLISH_DEVICE_TEXTS,
  buttons: {
    hear: "Tap to hear",
    camera: "Camera",
    ownCamera: "Your camera",
    puppet: "Puppet",
    puppetNote: "It says what you type",
    talk: "Talk",
    listening: "Listening",
    stop: "Stop",
    mute: "Mute",
    transcript: "Transcript",
    end: "End",
  },
  /** The text box, by what its text does. */
  typing: {
    ask: { button: "Send", placeholder: "Type a message", label: "Message to the avatar", hint: "" },
    say: {
      button: "Say it",
      placeholder: "Type what I should say",
      label: "What the avatar should say",
      hint: "Puppet: it says what you type.",
    },
  },
  charactersLeft: (count: number) => plural(count, "character left", "characters left"),
  notSent: {
    tooMuch: "You sent too much at once. Try again in a moment.",
    tooMuchFor: (seconds: number) => `You sent too much at once. Try again in ${plural(seconds, "second", "seconds")}.`,
    invalid: "That text cannot be sent. Use up to 500 characters.",
    offline: "Not sent: the service cannot be reached.",
    expired: "Not sent: this link has expired.",
    failed: "Not sent. Try again.",
  },
  /** What answers, in the avatar's words. */
  answers: {
    knowledge: "I answer from my documents and this product's. I am not a language model.",
    documents: "I answer from this product's documents. I am not a language model.",
    found: (model: string) => `Found ${model}. It answers now.`,
  },
  cameraNote: {
    watched: "With each thing you say, the avatar gets one image from your camera. Images are not kept.",
    unseen: "This avatar's language model takes no images: it does not see you.",
  },
  kept: (days: number) => `A transcript is kept for ${plural(days, "day", "days")}.`,
  remembers: "The avatar remembers what you talked about last time.",
  transcript: {
    empty: "What you both say is written here.",
    you: "You",
    heading: (name: string, at: string) => `Conversation with ${name}, ${at}`,
    copy: "Copy text",
    copied: "Copied.",
    notCopied: "This browser does not allow it. Save it as a file instead.",
    save: "Save text",
    fileName: "conversation.txt",
  },
  minutes: (count: number) => plural(count, "minute", "minutes"),
  seconds: (count: number) => plural(count, "second", "seconds"),
  together: (length: string) => `You were together for ${length}.`,
  retry: {
    again: "Try again",
    talkAgain: "Talk again",
    now: "Try now",
    trying: "Trying again …",
    wait: (seconds: number) => `Trying again in ${seconds} s.`,
  },
  /** Why there is no conversation. */
  notices: {
    expired: {
      title: "This link has expired",
      text: "Ask for a new link, or go back to the page that brought you here.",
    },
    incomplete: {
      title: "This link is incomplete",
      text: "It lacks its key. Open the whole link as you received it.",
    },
    busy: { title: "All avatars are busy", text: "None is free at the moment." },
    notReady: { title: "This avatar is not ready yet", text: "It is still being made." },
    gone: { title: "There is no such avatar", text: "It may have been removed. Check the link." },
    unavailable: {
      title: "This avatar cannot talk right now",
      text: "Its owner needs to look at the account. Nothing is wrong on your side.",
    },
    tomorrow: {
      title: "That was all for today",
      text: "This avatar talks for some time each day. Come back tomorrow.",
    },
    failed: { title: "Something went wrong", text: "The service had a problem. Try again." },
    missing: { title: "The avatar did not start", text: "It took too long to start. Try again." },
    offline: { title: "No connection", text: "The service cannot be reached. Check your connection." },
    restarting: { title: "The service is restarting", text: "It is back in a moment." },
    elsewhere: { title: "Open in another window", text: "This conversation goes on in another tab or window." },
    ended: { title: "The conversation has ended", text: "Thank you for talking." },
    noMediaPath: {
      title: "Firefox cannot reach the avatar here",
      text: "It sends no audio or video to a service on the same machine. Start that with AVATAR_LIVEKIT_OWN_ADDRESS=1, or open this page in another browser.",
    },
    noVideoFormat: {
      title: "This browser cannot show the video",
      text: "It lacks the video format that is sent. Try another browser.",
    },
  },
  /** Offers of the stream, by their reasons. */
  offers: {
    refused: {
      title: "This face comes as video only",
      text: "Its owner or the service does not let browsers draw it.",
    },
    browser: {
      title: "This browser cannot draw the face",
      text: "It is too old, or its settings or this page's policy forbid WebAssembly or workers.",
    },
    bundle: {
      title: "The face could not be loaded",
      text: "Its file did not arrive, is incomplete, or belongs to another avatar.",
    },
    stopped: { title: "The face has stopped", text: "This browser could not go on drawing it." },
    busy: {
      title: "No video is free right now",
      text: "The service has no room for it at the moment. Everything else goes on.",
    },
  },
  slow: {
    title: "This device is slow",
    text: (fps: number) => `It draws ${fps} of 25 frames a second. The service can send the face as video instead.`,
  },
  offerButtons: { video: "Show the video", again: "Try again", without: "Go on without", keep: "Keep it" },
};

export type EmbedTexts = typeof en;
