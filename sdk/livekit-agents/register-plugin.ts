// Makes the package known to the agents framework, which lists the plugins of a program.
import { Plugin } from "@livekit/agents";

const TITLE = "open-avatar";
const PACKAGE = "@open-avatar/livekit-agents";
/** That of the repository; a test compares them. */
const VERSION = "0.1.0";

class OpenAvatarPlugin extends Plugin {
  constructor() {
    super({ title: TITLE, version: VERSION, package: PACKAGE });
  }
}

Plugin.registerPlugin(new OpenAvatarPlugin());
