/** @module The project's own dev server as a site's server. */
import { IsrCache, IsrMemory, type IsrStore, type SiteCompute } from "../../edge/mod.ts";
import {
  type ComputeResult,
  connectRunningServer,
  type HeaderList,
  type RunningServer,
} from "../../runtime/mod.ts";
import type { ServerAddress } from "../process/announced_address.ts";

/**
 * Maximum time until the response headers arrive, in milliseconds. The limit is long because the
 * first request may compile a lot.
 */
const TIMEOUT_MS = 5 * 60_000;

/** Caches nothing, because a dev server's pages change. */
const NO_STORE: IsrStore = {
  list: () => Promise.resolve([]),
  read: () => Promise.resolve(undefined),
  write: () => Promise.resolve(),
  remove: () => Promise.resolve(),
};

interface FrameworkServerOptions {
  readonly deploymentId: string;
  /** Resolves with the dev server's address, or with the reason why it does not listen. */
  readonly address: () => Promise<ServerAddress | string>;
  /** Host and port that browsers use for the site. */
  readonly publicHost: () => string;
  /** Maximum time until the response headers arrive, in milliseconds. Defaults to five minutes. */
  readonly timeoutMs?: number;
}

const URL_FIELDS: ReadonlySet<string> = new Set(["location", "content-location", "refresh"]);

/**
 * Replaces the URLs of the dev server itself in response headers, because browsers must not open
 * them.
 */
function withPublicHost(
  headers: HeaderList,
  { port }: ServerAddress,
  publicHost: string,
): HeaderList {
  const own = new RegExp(
    `\\bhttps?://(?:localhost|127\\.0\\.0\\.1|\\[::1\\]|0\\.0\\.0\\.0):${port}(?=[/?#]|$)`,
    "i",
  );
  if (!headers.some(([name, value]) => URL_FIELDS.has(name.toLowerCase()) && own.test(value))) {
    return headers;
  }
  return headers.map(([name, value]) =>
    URL_FIELDS.has(name.toLowerCase())
      ? [name, value.replace(own, `http://${publicHost}`)] as const
      : [name, value] as const
  );
}

/** The dev server, which may restart at a different address. */
export class FrameworkServer implements SiteCompute {
  readonly pages: IsrCache;
  #address: ServerAddress | undefined;
  readonly #server: RunningServer;

  readonly #options: FrameworkServerOptions;

  constructor(options: FrameworkServerOptions) {
    this.#options = options;
    this.#server = connectRunningServer({
      dial: () => this.#dial(),
      timeoutMs: options.timeoutMs ?? TIMEOUT_MS,
    });
    this.pages = new IsrCache({
      deploymentId: options.deploymentId,
      store: NO_STORE,
      memory: new IsrMemory(0),
      now: () => Date.now(),
      onError: () => {},
    });
  }

  async fetch(
    _layer: string,
    request: Parameters<SiteCompute["fetch"]>[1],
  ): Promise<ComputeResult> {
    const problem = await this.#problem();
    if (problem !== undefined) {
      return { type: "failed", reason: "cannot_start", message: problem };
    }
    const result = await this.#server.fetch(request);
    if (result.type === "failed") return result;
    const { response } = result;
    const headers = withPublicHost(response.headers, this.#address!, this.#options.publicHost());
    if (headers === response.headers) return result;
    const { status, body, bytes } = response;
    return {
      type: "response",
      response: { status, headers, body, bytes },
    };
  }

  async connect(_layer: string, request: Parameters<SiteCompute["connect"]>[1]) {
    const problem = await this.#problem();
    return problem === undefined
      ? await this.#server.connect(request)
      : { type: "failed", reason: "cannot_start", message: problem } as const;
  }

  /** Closes idle connections. Called when the server has exited or is being replaced. */
  closeIdle(): void {
    this.#server.close();
  }

  /**
   * Resolves once the server listens or has exited. If there is no server, resolves with the
   * reason.
   */
  async #problem(): Promise<string | undefined> {
    const address = await this.#options.address();
    if (typeof address === "string") return address;
    this.#address = address;
    return undefined;
  }

  async #dial(): Promise<Deno.Conn> {
    const { hostname, port } = this.#address!;
    const conn = await Deno.connect({ hostname, port });
    conn.setNoDelay(true);
    return conn;
  }
}
