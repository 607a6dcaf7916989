// The page of a host of MCP Apps, with the official bridge: it shows an app in a sandboxed frame, gives it the result
// of a tool, and passes its calls on. Runs in the browser.
import { AppBridge, PostMessageTransport } from "@modelcontextprotocol/ext-apps/app-bridge";

export interface HostPageOptions {
  /** Address of the app. */
  frame: string;
  theme: "light" | "dark";
  /** Language tag that the host tells. Default: it tells none. */
  locale?: string;
  given: Record<string, unknown>;
  /** A result of a tool, as the protocol has it. */
  result: Record<string, unknown>;
  /** Whether the host passes calls of the app on. Default true. */
  hasTools?: boolean;
}

declare global {
  interface Window {
    /** Of the test: calls a tool of the server. */
    callTool(name: string, given: unknown): Promise<Record<string, unknown>>;
    showApp(options: HostPageOptions): Promise<void>;
    setTheme(theme: "light" | "dark"): void;
    teardown(): Promise<unknown>;
    /** Heights that the app told, px. */
    heights: number[];
  }
}

let bridge: AppBridge;
window.heights = [];
window.setTheme = (theme) => bridge.setHostContext({ theme });
window.teardown = () => bridge.teardownResource({});

window.showApp = async ({ frame: address, theme, locale, given, result, hasTools = true }) => {
  const frame = document.createElement("iframe");
  frame.setAttribute("sandbox", "allow-scripts");
  frame.setAttribute("allow", "autoplay");
  frame.title = "App";
  document.body.dataset.theme = theme;
  document.body.append(frame);
  const capabilities = hasTools ? { serverTools: {} } : {};
  const hostContext = { theme, ...(locale && { locale }) };
  bridge = new AppBridge(null, { name: "test-host", version: "1.0.0" }, capabilities, { hostContext });
  bridge.oncalltool = async ({ name, arguments: passed }) => (await window.callTool(name, passed)) as never;
  bridge.onsizechange = ({ height }) => {
    if (height === undefined) return;
    window.heights.push(height);
    frame.style.height = `${height}px`;
  };
  const isReady = new Promise<void>((resolve) => {
    bridge.oninitialized = () => resolve();
  });
  const target = frame.contentWindow!;
  await bridge.connect(new PostMessageTransport(target, target));
  frame.src = address;
  await isReady;
  await bridge.sendToolInput({ arguments: given });
  await bridge.sendToolResult(result as never);
};
