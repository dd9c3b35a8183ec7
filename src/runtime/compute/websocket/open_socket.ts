/** @module The opening handshake of a WebSocket to a server (RFC 6455, 4.1). */
import { dropHopByHop } from "../../../lib/hop_by_hop.ts";
import { ByteReader } from "../../http1/byte_reader.ts";
import { formatRequestHead, type ResponseHead } from "../../http1/head.ts";
import { OutboundError } from "../../http1/errors.ts";
import { readBody } from "../../http1/body_reader.ts";
import { readFinalHead } from "../../http1/connection.ts";
import { resolveSignal } from "../../http1/exchange_watch.ts";
import { forwardedHeaders } from "../server_client.ts";
import type { ComputeRequest, ComputeResponse, ComputeSocketResult } from "../types.ts";
import { ClientSocket } from "./client_socket.ts";

const GUID = "258EAFA5-E914-47DA-95CA-C5AB0DC85B11";

interface OpenSocketOptions {
  readonly dial: () => Promise<Deno.Conn>;
  readonly timeoutMs: number;
  /** Called once, when the socket is closed, or when the response that was sent instead is over. */
  readonly over: () => void;
}

/** Returns the response that proves that the server has read the key (RFC 6455, 4.2.2). */
export async function acceptFor(key: string): Promise<string> {
  const bytes = new TextEncoder().encode(key + GUID);
  return new Uint8Array(await crypto.subtle.digest("SHA-1", bytes)).toBase64();
}

/** Fields of the handshake that belong to one connection. Extensions are not offered. */
const OWN_FIELDS = /^sec-websocket-(?:key|version|extensions)$/i;

const HANDSHAKE_FIELD = /^sec-websocket-/i;

function handshake(request: Omit<ComputeRequest, "body">, key: string): Uint8Array {
  const headers = forwardedHeaders(request).filter(([name]) => !OWN_FIELDS.test(name));
  headers.push(
    ["connection", "Upgrade"],
    ["upgrade", "websocket"],
    ["sec-websocket-key", key],
    ["sec-websocket-version", "13"],
  );
  const text = formatRequestHead("GET", request.target, headers);
  return Uint8Array.from(text, (character) => character.charCodeAt(0));
}

const valueOf = (head: ResponseHead, wanted: string): string | undefined =>
  head.headers.find(([name]) => name.toLowerCase() === wanted)?.[1];

/** Returns the offered protocol that the server has chosen, or "" for none (RFC 6455, 4.1). */
function chosenProtocol({ headers }: Pick<ComputeRequest, "headers">, head: ResponseHead): string {
  const chosen = valueOf(head, "sec-websocket-protocol")?.trim();
  if (chosen === undefined) return "";
  const offered = headers.flatMap(([name, value]) =>
    name.toLowerCase() === "sec-websocket-protocol" ? value.split(",") : []
  );
  if (offered.some((protocol) => protocol.trim() === chosen)) return chosen;
  throw new OutboundError("bad_response", "The server chose a protocol that was not offered");
}

function asResponse(
  head: ResponseHead,
  reader: ByteReader,
  end: () => void,
): ComputeResponse {
  const { status, statusText, framing } = head;
  const headers = dropHopByHop(head.headers);
  if (framing.type === "none") {
    end();
    return { status, statusText, headers, body: null };
  }
  const next = readBody(reader, framing);
  const body = new ReadableStream<Uint8Array<ArrayBuffer>>({
    pull: async (controller) => {
      try {
        const part = await next();
        if (part !== null) return controller.enqueue(part);
        controller.close();
      } catch (error) {
        controller.error(error);
      }
      end();
    },
    cancel: end,
  }, { highWaterMark: 0 });
  return { status, statusText, headers, body };
}

/**
 * Opens a WebSocket, or returns the server's response instead.
 *
 * @throws OutboundError; `idle_timeout` if no head arrived in time
 */
export async function openSocket(
  request: Omit<ComputeRequest, "body">,
  { dial, timeoutMs, over }: OpenSocketOptions,
): Promise<ComputeSocketResult> {
  const key = crypto.getRandomValues(new Uint8Array(16)).toBase64();
  const bytes = handshake(request, key);
  const conn = await dial().catch((cause) => {
    throw new OutboundError("connect_failed", "The server does not accept connections", { cause });
  });
  let failure: OutboundError | undefined;
  let open = true;
  const close = (): void => {
    if (!open) return;
    open = false;
    conn.close();
  };
  const stop = (error: OutboundError): void => {
    failure = error;
    close();
  };
  const abort = (): void => stop(new OutboundError("aborted", "The request was aborted"));
  const timer = setTimeout(
    () => stop(new OutboundError("idle_timeout", "No response in time")),
    timeoutMs,
  );
  const signal = resolveSignal(request.signal);
  signal?.addEventListener("abort", abort, { once: true });
  const finish = (): void => {
    signal?.removeEventListener("abort", abort);
    over();
  };
  try {
    for (let at = 0; at < bytes.byteLength;) at += await conn.write(bytes.subarray(at));
    const reader = new ByteReader((buffer) => conn.read(buffer));
    const head = await readFinalHead(reader, "GET");
    if (head.status !== 101) {
      const end = (): void => {
        close();
        finish();
      };
      return { type: "response", response: asResponse(head, reader, end) };
    }
    if (valueOf(head, "sec-websocket-accept") !== await acceptFor(key)) {
      throw new OutboundError("bad_response", "The server did not accept the WebSocket correctly");
    }
    const protocol = chosenProtocol(request, head);
    const socket = new ClientSocket({ conn, reader, protocol, over: finish });
    signal?.removeEventListener("abort", abort);
    // The runtime aborts the signal of a request that it has upgraded. From here on, only the
    // client's own socket reports that it was closed.
    const headers = dropHopByHop(head.headers).filter(([name]) => !HANDSHAKE_FIELD.test(name));
    return { type: "open", socket, headers };
  } catch (error) {
    close();
    signal?.removeEventListener("abort", abort);
    if (failure !== undefined) throw failure;
    throw error instanceof OutboundError
      ? error
      : new OutboundError("reset", "The connection ended before the response was complete", {
        cause: error,
      });
  } finally {
    clearTimeout(timer);
  }
}
