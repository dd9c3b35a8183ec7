/**
 * Handles requests that a predecessor passes on in the form in which its clients sent them. @module
 */
import { type Connection, contentOf } from "../../edge/mod.ts";
import { announcesContent } from "../../lib/announced_content.ts";
import { keepUncompressed } from "../../lib/automatic_compression.ts";
import type { ClientConnection } from "../../platform/core/listener/mod.ts";
import {
  ADDRESS_FIELD,
  HANDOVER_FIELDS,
  READING,
  SCHEME_FIELD,
  URL_FIELD,
} from "./request_wire.ts";
import { stopServer } from "../../lib/stop_server.ts";

type PassedConnection = ClientConnection & Pick<Connection, "content">;

type PassedHandler = (
  request: Request,
  connection: PassedConnection,
) => Response | Promise<Response>;

/** A request with the URL as the client sent it. */
class PassedRequest extends Request {
  readonly #given: Request;
  readonly #url: string;

  constructor(given: Request, url: string) {
    const headers = [...given.headers].filter(([name]) => !HANDOVER_FIELDS.has(name));
    const isReading = READING.has(given.method);
    super("http://passed/", {
      method: isReading ? "GET" : "POST",
      headers: headers as [string, string][],
      body: isReading || !announcesContent(given.headers) ? null : given.body,
    });
    this.#given = given;
    this.#url = url;
  }

  override get url(): string {
    return this.#url;
  }

  override get method(): string {
    return this.#given.method;
  }

  override get signal(): AbortSignal {
    return this.#given.signal;
  }
}

/** Serves the socket until it is closed. */
export function takeRequests(
  path: string,
  dispatch: Readonly<Record<"http" | "https", PassedHandler>>,
): { close(): Promise<void> } {
  const handle = (given: Request): Response | Promise<Response> => {
    const [url, remoteAddress] = [given.headers.get(URL_FIELD), given.headers.get(ADDRESS_FIELD)];
    if (url === null || remoteAddress === null) return new Response(null, { status: 400 });
    const scheme = given.headers.get(SCHEME_FIELD) === "https" ? "https" : "http";
    const content = READING.has(given.method) ? contentOf(given) : null;
    return dispatch[scheme](new PassedRequest(given, url), {
      remoteAddress,
      scheme,
      hold: () => {},
      ...(content === null ? {} : { content }),
    });
  };
  const server = Deno.serve({ path, onListen: () => {} }, keepUncompressed(handle));
  return { close: () => stopServer(server) };
}
