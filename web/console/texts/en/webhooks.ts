// Texts of the view of webhooks.
import { pluralIn } from "../plural.ts";

const plural = pluralIn("en");

export const webhooks = {
  title: "Webhooks",
  lead: "The service calls your server when something happens: an agent is ready, a film is done, a conversation goes on.",
  ownOnly:
    "Webhooks belong to a person. You are signed in with the secret of an organization, so you can look but not change or test.",
  registered: "Registered webhooks",
  empty:
    "No webhook yet. Register the address of your server below, keep the secret that is shown once, and send a test.",
  session: "Session webhook",
  sessionLead: "One for the account: who joins a conversation, and each message of it.",
  setUp: "Set it up",
  one: "Webhook",
  settings: "Settings",
  add: "Register a webhook",
  url: "Address of your server",
  urlNote: "It begins with https://",
  description: "Note, for yourself",
  created: "Registered",
  events: "Events",
  allEvents: "All events",
  everyEvent: "All events",
  everyEventNote: "Also those of later versions.",
  eventNotes: {
    "agent.ready": "An agent was made.",
    "agent.failed": "An agent could not be made.",
    "video.completed": "A film is done.",
    "video.failed": "A film could not be made.",
    "dynamics.ready": "Gestures are there.",
    "dynamics.failed": "Gestures could not be made.",
    "room.join": "A conversation has begun.",
    "chat.push": "A message is complete: of the person or the agent.",
  },
  register: "Register",
  secret: "Secret of the webhook",
  secretTitle: "The secret of this webhook",
  secretNote:
    "Your server checks signatures with it. Copy it now: it is shown this once, then it is gone from this page too.",
  test: "Send a test",
  testing: "Sending …",
  testOf: (name: string) => `Send a test to ${name}`,
  outcome: (isDelivered: boolean, status: number | null) =>
    status === null
      ? "Your server did not answer. The delivery below says why."
      : isDelivered
        ? `Delivered: your server answered ${status}.`
        : `Not delivered: your server answered ${status}, not 2xx.`,
  pause: "Pause",
  resume: "Resume",
  paused: "paused",
  pausedTitle: "This webhook is paused.",
  pausedNote:
    "Its owner has paused it, here or by a program; the service itself never does. It is sent tests only. What happens meanwhile is not sent later.",
  deleteTitle: "Delete the webhook",
  deleteNote: (url: string) =>
    `${url} is sent nothing more. What was sent to it is forgotten, and waiting deliveries are dropped.`,
  rotate: "Make another secret",
  rotateNote: "The present secret becomes invalid at once. Your server refuses deliveries until it has the new one.",
  remove: "Remove the webhook",
  headers: "Headers of your own",
  headersNote: "They replace all former ones. Values are not shown again, so type them all.",
  noHeaders: "None. A bearer token, for example, can be added to each delivery.",
  hiddenValue: "value hidden",
  addHeaders: "Add headers",
  replaceHeaders: "Replace the headers",
  addHeader: "Another header",
  headerName: (row: number) => `Name of header ${row}`,
  headerValue: (row: number) => `Value of header ${row}`,
  removeHeader: (row: number) => `Remove header ${row}`,
  deliveries: "Deliveries",
  retries:
    "Your server has 10 s to answer with 2xx. If it does not, the delivery is sent again after 2, 5 and 30 s, then given up. Deliveries of one agent keep their order: a later one waits for the one before it.",
  sessionRetries:
    "Your server has 30 s to answer with 2xx. If it does not, the delivery is sent again after 1, 5 and 30 s, then given up. Deliveries of one conversation keep their order: a later one waits for the one before it.",
  noDeliveries: "Nothing was sent yet. A test appears here.",
  ofSession: "Those about",
  allDeliveries: "All of them",
  noneOfSession: "Nothing was sent about this session.",
  newest: (event: string, state: string) => `The last one: ${event}, ${state}.`,
  states: { delivered: "delivered", waiting: "waiting", retrying: "will be sent again", gaveUp: "not delivered" },
  isTest: "test",
  attempts: (count: number) => plural(count, "attempt", "attempts"),
  lastAnswer: (status: number | null) => (status === null ? "no answer" : `answered ${status}`),
  nextIn: (seconds: number) => `next attempt in ${plural(seconds, "second", "seconds")}`,
  nextNow: "next attempt now",
  attemptsOf: (event: string) => `Attempts to deliver ${event}`,
  attempt: "Attempt",
  time: "Time",
  answer: "Answer",
  taken: "Time taken",
  testFailed: "Tests are sent once. Send another one when your server is ready.",
  gaveUpNote: "It is not sent again. Read what you have missed through the API.",
  body: "Body sent",
  deliveryId: "Delivery",
  check: "Check a signature",
  checkLead: "Is a delivery really from this service, and unchanged?",
  checkTitle: "Signature checker",
  checkNote:
    "Paste what your server received. All is checked in this tab: nothing of it, and above all not the secret, is sent anywhere or kept.",
  rawBody: "Body, as it arrived",
  rawBodyNote: "Byte for byte, before any program has parsed it.",
  receivedHeaders: "Headers, one on each line",
  checkSecretNote: "It stays in this tab.",
  checkIt: "Check",
  genuine: "verified",
  genuineNote: (event: string, family: string) => `It is genuine: the event ${event} of ${family}.`,
  families: { registered: "a registered webhook", session: "the session webhook" },
  notGenuine: "not verified",
  faults: {
    "no-secret": "The secret is missing.",
    "secret-shape":
      "This is not the secret of a webhook: that is whsec_ and 64 digits. API secrets and secrets of other services do not fit.",
    "no-signature": "The header X-Service-Signature is missing. Something on the way may have removed it.",
    "signature-shape": "The signature is incomplete: it is sha256= and 64 digits.",
    "no-timestamp": "The header X-Service-Timestamp is missing. The signature covers it.",
    "not-json": "The body is not JSON. Paste all of it.",
    "space-around": "White space was added to the body, or removed. Without that, the signature is right.",
    rewritten:
      "The body was parsed and written again. It says the same, but the signature is of the bytes that were sent. Use the raw body.",
    mismatch:
      "The signature is not of this body, time and secret. The secret may be of another webhook, or of before it was changed; or the body or the header with the time was changed.",
    "too-old":
      "The signature is right, but the delivery is older than 5 minutes: it may have been recorded and sent again.",
    "in-future": "The signature is right, but the delivery is of the future: a clock is wrong.",
  },
  apart: (length: string) => `(${length} from this computer's clock)`,
  codeTitle: "The same in your server",
  codeNote:
    "For both kinds of webhooks, without further packages. The package @open-avatar/client has webhooks.verify, too.",
  copyCode: (language: string) => `Copy the ${language} code`,
};
