/** HTTP on one connection, from the handshake to the end. @module */
import { methodCaseProblem } from "../../../lib/method_case.ts";
import { fieldOf, hasField } from "../../../lib/raw_fields.ts";
import { isWhole } from "../../../lib/whole_answer.ts";
import type { ConnectionTable, Ending, Tracked } from "./connection_table.ts";
import { asLast } from "./last_answer.ts";
import type { EmptySockets, SocketCloser } from "./shut_down_sockets.ts";
import { CutSignal } from "./cut_signal.ts";
import { framingProblem, hostProblem, placeholderHost } from "./request_problems.ts";
import type { ServeConnection, ServedConnection } from "./serve_connection.ts";
import type { ClientConnection, ConnectionHandler } from "./types.ts";
import { watchAnswer } from "./watch_answer.ts";
import { leaveBody, watchRequest } from "./watch_body.ts";

export type AcceptedConn = Deno.TcpConn | Deno.TlsConn;

export const isTls = (conn: AcceptedConn): conn is Deno.TlsConn => "handshake" in conn;

interface HttpConnectionOptions {
  readonly serve: ServeConnection;
  readonly table: ConnectionTable;
  /** The connection's own entry in the table. */
  readonly entry: Tracked;
  readonly handler: ConnectionHandler;
  /** Returns whether each response must be the last one on its connection. */
  isLeaving(): boolean;
  readonly onError: (error: unknown) => Response;
  /** Closes the sockets of TLS connections that the runtime would otherwise keep open. */
  readonly closer: SocketCloser;
  readonly emptySockets: EmptySockets;
  /** Returns a number from 0 to 1 that decides whether a response is watched. */
  readonly random: () => number;
}

/**
 * Creates the response to a malformed request. Also closes the connection, because nothing that
 * follows such a request can be trusted.
 */
const refused = (problem: string): Response =>
  new Response(`${problem}\n`, { status: 400, headers: { connection: "close" } });

export class HttpConnection implements ClientConnection {
  readonly remoteAddress: string;
  readonly scheme: "http" | "https";
  /** Settles when HTTP has ended on the connection; never rejects. */
  readonly finished: Promise<void>;
  readonly #placeholder: string;
  readonly #cut = new CutSignal();
  isGone = false;
  readonly #holds = new Set<Promise<unknown>>();
  #isHttp2 = false;
  #served: ServedConnection | undefined;

  readonly #conn: AcceptedConn;
  readonly #options: HttpConnectionOptions;

  constructor(conn: AcceptedConn, options: HttpConnectionOptions) {
    this.#conn = conn;
    this.#options = options;
    this.remoteAddress = conn.remoteAddr.hostname;
    this.scheme = isTls(conn) ? "https" : "http";
    this.#placeholder = placeholderHost(conn.localAddr, this.scheme);
    options.entry.end = (how) => this.#end(how);
    // It is not an error if a client closes its connection early.
    this.finished = this.#run().catch(() => {}).then(() => {
      this.isGone = true;
    });
  }

  hold(ended: Promise<unknown>): void {
    const { table, entry } = this.#options;
    table.began(entry);
    const held = ended.catch(() => {}).finally(() => table.ended(entry));
    this.#holds.add(held);
  }

  exempt(): void {
    this.#options.table.exempt(this.#options.entry);
  }

  /** Resolves when the connection is closed, including a WebSocket to which it was upgraded. */
  async closed(): Promise<void> {
    await this.finished;
    await Promise.all(this.#holds);
  }

  async #run(): Promise<void> {
    const conn = this.#conn;
    const { serve, table, entry, onError } = this.#options;
    if (isTls(conn)) {
      try {
        this.#isHttp2 = (await conn.handshake()).alpnProtocol === "h2";
      } catch (error) {
        this.#closeConn();
        throw error;
      }
      table.shook(entry);
    } else conn.setNoDelay(true);
    const served = serve(conn, this.#cut, this.#handler(), onError, () => {});
    this.#served = served;
    await served.finished;
  }

  #handler() {
    const { table, entry, handler, isLeaving } = this.#options;
    const isHttp2 = this.#isHttp2;
    const placeholder = this.#placeholder;
    const ended = () => table.ended(entry);
    const awaits = () => table.awaitsBody(entry);
    entry.isShared = isHttp2;
    const mayBeShared = isHttp2 || !isTls(this.#conn);
    const watch = { table, entry, random: this.#options.random };
    /**
     * Sends a response. The request counts as finished once the client has received the response.
     */
    const send = (response: Response, { completed }: Deno.ServeHandlerInfo<Deno.NetAddr>) => {
      const watched = mayBeShared ? watchAnswer(response, watch) : undefined;
      if (watched === undefined) {
        if (isWhole(response)) ended();
        else completed.then(ended, ended);
        return response;
      }
      const { sending } = watched;
      const over = (how: "whole" | "reset") => {
        table.sent(entry, sending, how);
        ended();
      };
      completed.then(() => over("whole"), () => over("reset"));
      return watched.response;
    };
    /**
     * Sends a response once the client has sent the part of the request that its handler left
     * unread.
     */
    const sendBehind = (
      request: Request,
      response: Response,
      info: Deno.ServeHandlerInfo<Deno.NetAddr>,
    ) => {
      const rest = entry.isShared ? undefined : leaveBody(request, response);
      return rest === undefined ? send(response, info) : rest.then(() => send(response, info));
    };
    return (request: Request, info: Deno.ServeHandlerInfo<Deno.NetAddr>) => {
      const over = () => void info.completed.then(ended, ended);
      if (!table.began(entry)) {
        over();
        return new Response(null, { status: 503 });
      }
      try {
        const host = fieldOf(request.headers, "host");
        const problem = methodCaseProblem(request.method) ??
          hostProblem({ url: request.url, placeholder, isHttp2, host }) ??
          framingProblem(request.headers);
        if (problem === undefined && host === null) entry.isShared = true;
        const seen = watchRequest(request, { shared: entry.isShared, awaits });
        const answer = problem === undefined ? handler(seen, this) : refused(problem);
        // The runtime drops a Content-Length that follows Transfer-Encoding, so the end of such a
        // request is never trusted.
        const isCoded = hasField(request.headers, "transfer-encoding");
        const reply = (response: Response) =>
          sendBehind(seen, isCoded || isLeaving() ? asLast(response) : response, info);
        if (!(answer instanceof Promise)) return reply(answer);
        // The signal reports that the client reset the stream only if it was read before the reset.
        if (entry.isShared) void request.signal;
        return answer.then(reply, (error) => {
          over();
          throw error;
        });
      } catch (error) {
        over();
        throw error;
      }
    };
  }

  #end(how: Ending): void {
    const { closer, entry, emptySockets } = this.#options;
    const connection = this.#conn;
    if (how === "between requests") {
      if (entry.busy === 0) emptySockets.close({ connection, close: () => this.#end("at once") });
      return;
    }
    if (isTls(connection)) closer.add(connection);
    if (this.#served === undefined) this.#closeConn();
    else this.#cut.cut();
  }

  #closeConn(): void {
    try {
      this.#conn.close();
    } catch { /* it is already closed */ }
  }
}
