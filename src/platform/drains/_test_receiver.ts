/**
 * A strict OTLP/HTTP receiver for tests: it reads requests with the official definitions, and
 * rejects fields that they do not define.
 *
 * @module
 */
import assert from "node:assert/strict";
import { fileURLToPath } from "node:url";
import { gunzipSync } from "node:zlib";
import protobuf from "protobufjs";
import type { OutboundFetch } from "../../runtime/mod.ts";

const FOLDER = fileURLToPath(new URL("../../../fixtures/otlp/", import.meta.url));
const SERVICE = "opentelemetry.proto.collector";

const root = new protobuf.Root();
root.resolvePath = (_origin, target) => `${FOLDER}${target.replace(FOLDER, "")}`;
root.loadSync([
  "opentelemetry/proto/collector/logs/v1/logs_service.proto",
  "opentelemetry/proto/collector/metrics/v1/metrics_service.proto",
], { keepCase: false });

const TYPES = {
  "/v1/logs": root.lookupType(`${SERVICE}.logs.v1.ExportLogsServiceRequest`),
  "/v1/metrics": root.lookupType(`${SERVICE}.metrics.v1.ExportMetricsServiceRequest`),
} as const;

/** Encodes the response of a receiver that has rejected some records. */
export function partialSuccess(rejectedLogRecords: number, errorMessage: string) {
  const type = root.lookupType(`${SERVICE}.logs.v1.ExportLogsServiceResponse`);
  const answer = { partialSuccess: { rejectedLogRecords, errorMessage } };
  return new Uint8Array(type.encode(type.fromObject(answer)).finish());
}

const WIRE_TYPES: Readonly<Record<string, number>> = protobuf.types.basic;

/** Rejects fields that a type does not have, and incorrect wire types. */
function checkFields(type: protobuf.Type, bytes: Uint8Array): void {
  const reader = protobuf.Reader.create(bytes);
  while (reader.pos < reader.len) {
    const tag = reader.uint32();
    const field = type.fieldsById[tag >>> 3]?.resolve();
    assert.ok(field, `${type.name} has no field ${tag >>> 3}`);
    const isMessage = field.resolvedType instanceof protobuf.Type;
    const scalar = WIRE_TYPES[field.type];
    const isPacked = field.repeated && !isMessage && scalar !== 2;
    assert.equal(tag & 7, isMessage || isPacked ? 2 : scalar ?? 0, `wire type of ${field.name}`);
    if (isMessage) checkFields(field.resolvedType as protobuf.Type, reader.bytes());
    else reader.skipType(tag & 7);
  }
}

// deno-lint-ignore no-explicit-any -- messages of any kind
export type Message = Record<string, any>;

/** Decodes the message in a request. @throws if the message has unknown fields */
export function decodeOtlp(path: string, body: Uint8Array): Message {
  const type = TYPES[path as keyof typeof TYPES];
  assert.ok(type, `OTLP has no path ${path}`);
  const plain = gunzipSync(body);
  checkFields(type, plain);
  return type.toObject(type.decode(plain), { longs: Number, enums: String, bytes: String });
}

/** Converts attributes to a plain object. */
export const attributesOf = (list: readonly Message[] = []): Record<string, unknown> =>
  Object.fromEntries(list.map(({ key, value }) => [key, Object.values(value)[0]]));

/** A log record with its resource, in the form that tests compare. */
interface ReceivedRecord {
  readonly body: string;
  readonly severity: string;
  readonly traceId: string;
  readonly attributes: Record<string, unknown>;
  readonly resource: Record<string, unknown>;
}

export function recordsOf(message: Message): ReceivedRecord[] {
  return message.resourceLogs.flatMap(({ resource, scopeLogs }: Message) =>
    scopeLogs.flatMap(({ logRecords }: Message) =>
      logRecords.map((record: Message) => ({
        body: record.body.stringValue,
        severity: record.severityText,
        traceId: record.traceId === undefined ? "" : Uint8Array.fromBase64(record.traceId).toHex(),
        attributes: attributesOf(record.attributes),
        resource: attributesOf(resource.attributes),
      }))
    )
  );
}

/** The receiver's response; 200 without a body by default. */
export interface Answer {
  readonly status?: number;
  readonly headers?: readonly (readonly [string, string])[];
  readonly body?: Uint8Array;
}

export class TestReceiver {
  readonly records: ReceivedRecord[] = [];
  readonly metrics: Message[] = [];
  readonly headers: Headers[] = [];
  requests = 0;
  /** Decides how to respond to a request. The records in rejected requests are not kept. */
  answer: (request: number, signal?: AbortSignal) => Answer | Promise<Answer> = () => ({});

  async take(path: string, headers: Headers, body: Uint8Array, signal?: AbortSignal) {
    assert.equal(headers.get("content-type"), "application/x-protobuf");
    assert.equal(headers.get("content-encoding"), "gzip");
    const message = decodeOtlp(path, body);
    this.headers.push(headers);
    const answer = await this.answer(++this.requests, signal);
    if ((answer.status ?? 200) < 300) {
      if (path === "/v1/metrics") this.metrics.push(message);
      else this.records.push(...recordsOf(message));
    }
    return answer;
  }

  /** Receives requests directly, instead of over the network. */
  readonly outbound: OutboundFetch = async (request) => {
    const body = await new Response(request.body as ReadableStream<Uint8Array>).bytes();
    const { pathname } = new URL(request.url);
    const headers = new Headers(request.headers.map(([name, value]) => [name, value]));
    const answer = await this.take(pathname, headers, body, request.signal as AbortSignal);
    return {
      status: answer.status ?? 200,
      headers: answer.headers ?? [],
      body: answer.body === undefined ? null : new Blob([answer.body as BlobPart]).stream(),
    } as Awaited<ReturnType<OutboundFetch>>;
  };

  /** Serves requests over HTTP. */
  readonly handle = async (request: Request): Promise<Response> => {
    const body = await request.bytes();
    const answer = await this.take(new URL(request.url).pathname, request.headers, body);
    return new Response(answer.body as BodyInit ?? null, {
      status: answer.status ?? 200,
      headers: [...answer.headers ?? []] as [string, string][],
    });
  };
}
