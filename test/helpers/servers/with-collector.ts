// A server that takes traces as a collector of OpenTelemetry does (OTLP over HTTP, JSON), for the length of a callback.
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

export interface CollectedSpan {
  traceId: string;
  spanId: string;
  parentSpanId: string | undefined;
  name: string;
  kind: number;
  /** Milliseconds since the epoch. */
  startMs: number;
  endMs: number;
  attributes: Record<string, string | number | boolean>;
  isError: boolean;
  /** Of its process. */
  resource: Record<string, string | number | boolean>;
}

export interface Collector {
  /** `http://127.0.0.1:…`, as OTEL_EXPORTER_OTLP_ENDPOINT. */
  url: string;
  spans: CollectedSpan[];
  requests: { path: string; headers: IncomingHttpHeaders; text: string }[];
  /** Status of its answers; 200 at first. */
  status: number;
}

interface WireAttribute {
  key: string;
  value: { stringValue?: string; intValue?: string; doubleValue?: number; boolValue?: boolean };
}

interface WireSpan extends Pick<CollectedSpan, "traceId" | "spanId" | "parentSpanId" | "name" | "kind"> {
  startTimeUnixNano: string;
  endTimeUnixNano: string;
  attributes: WireAttribute[];
  status?: { code: number };
}

interface WireRequest {
  resourceSpans: { resource: { attributes: WireAttribute[] }; scopeSpans: { spans: WireSpan[] }[] }[];
}

export async function withCollector<T>(work: (collector: Collector) => Promise<T>): Promise<T> {
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk);
    const text = Buffer.concat(chunks).toString();
    collector.requests.push({ path: request.url ?? "", headers: request.headers, text });
    if (collector.status === 200) {
      for (const { resource, scopeSpans } of (JSON.parse(text) as WireRequest).resourceSpans) {
        for (const span of scopeSpans.flatMap(({ spans }) => spans)) {
          collector.spans.push(readSpan(span, readAttributes(resource.attributes)));
        }
      }
    }
    response.writeHead(collector.status, { "content-type": "application/json" }).end("{}");
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const collector: Collector = { url, spans: [], requests: [], status: 200 };
  try {
    return await work(collector);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}

function readSpan(span: WireSpan, resource: CollectedSpan["resource"]): CollectedSpan {
  const { traceId, spanId, parentSpanId, name, kind } = span;
  return {
    traceId,
    spanId,
    parentSpanId,
    name,
    kind,
    resource,
    startMs: Number(BigInt(span.startTimeUnixNano) / 1000n) / 1000,
    endMs: Number(BigInt(span.endTimeUnixNano) / 1000n) / 1000,
    attributes: readAttributes(span.attributes),
    isError: span.status?.code === 2,
  };
}

function readAttributes(attributes: WireAttribute[]): CollectedSpan["attributes"] {
  return Object.fromEntries(
    attributes.map(({ key, value: { stringValue, intValue, doubleValue, boolValue } }) => [
      key,
      stringValue ?? (intValue === undefined ? undefined : Number(intValue)) ?? doubleValue ?? boolValue ?? "",
    ]),
  );
}
