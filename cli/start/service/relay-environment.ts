// The environment of the relay process.
import { settingNames } from "../../../program/config.ts";
import { RELAY_PARTS } from "../../../relay/relay-config.ts";

/** Settings of the relay, and what Node and the system read. It speaks with strangers, so it gets no key of a model, a
 *  bucket or a database. */
const RELAY_ENVIRONMENT = [
  ...settingNames(RELAY_PARTS),
  "PATH",
  "HOME",
  "TZ",
  "LANG",
  "NODE_OPTIONS",
  "NODE_EXTRA_CA_CERTS",
  "SSL_CERT_FILE",
  "SSL_CERT_DIR",
];

/** The part of an environment that the relay gets. */
export function relayEnvironment(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(RELAY_ENVIRONMENT.map((name) => [name, environment[name]]));
}
