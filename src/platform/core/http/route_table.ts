/**
 * Maps methods and paths to handlers. If several paths match a request, only the most specific one
 * is used: a fixed segment takes precedence over a parameter, from left to right. Therefore,
 * `/v1/notifications/preferences` is never mistaken for `/v1/notifications/{notification}`.
 *
 * @module
 */

/** A path in Hono's syntax, as in `/v1/projects/:project`. */
export type PathPattern = string;

interface RouteSet<Handler> {
  readonly path: PathPattern;
  /** Returns the handler for a method. HEAD is handled in the same way as GET. */
  find(method: string): Handler | undefined;
  /** Returns the value of the `Allow` field (RFC 9110, 10.2.1). */
  allow(): string;
}

/** Orders paths that match the same request by specificity, most specific first. */
function compareSpecificity(one: PathPattern, other: PathPattern): number {
  const [left, right] = [one, other].map((path) =>
    path.split("/").map((segment) => segment.startsWith(":") ? "1" : "0").join("")
  ) as [string, string];
  return left < right ? -1 : left > right ? 1 : 0;
}

/** Returns whether the path of `segments` receives every request that `others` matches. */
function covers(segments: readonly string[], others: readonly string[]): boolean {
  return segments.length === others.length &&
    segments.every((segment, index) => segment === others[index] || segment.startsWith(":"));
}

function allowed(methods: Iterable<string>): string {
  const all = new Set(methods).add("OPTIONS");
  if (all.has("GET")) all.add("HEAD");
  return [...all].sort().join(", ");
}

export class RouteTable<Handler> {
  readonly #paths = new Map<PathPattern, Map<string, Handler>>();
  readonly #taken = new Set<PathPattern>();

  /** @throws {TypeError} if the path already has a handler for that method. */
  add(method: string, path: PathPattern, handler: Handler): void {
    // Paths that differ only in parameter names would hide each other's methods.
    const shape = path.replace(/:\w+/g, ":");
    const same = this.#paths.keys().find((known) => known.replace(/:\w+/g, ":") === shape);
    if (same !== undefined && same !== path) {
      throw new TypeError(`${path} and ${same} are the same path: use the same parameter names`);
    }
    const handlers = this.#paths.get(path) ?? new Map<string, Handler>();
    if (handlers.has(method)) throw new TypeError(`${method} ${path} is bound twice`);
    this.#paths.set(path, handlers.set(method, handler));
  }

  /**
   * Returns the paths added since the last call, most specific first.
   *
   * @throws {TypeError} if a path returned by an earlier call would receive the requests of one of
   *   them.
   */
  takeSets(): RouteSet<Handler>[] {
    const fresh = [...this.#paths].filter(([path]) => !this.#taken.has(path));
    const taken = [...this.#taken].map((path) => path.split("/"));
    for (const [path] of fresh) {
      const segments = path.split("/");
      const earlier = taken.find((known) => covers(known, segments));
      if (earlier !== undefined) throw new TypeError(`${path} is hidden by ${earlier.join("/")}`);
    }
    for (const [path] of fresh) this.#taken.add(path);
    return fresh.sort(([one], [other]) => compareSpecificity(one, other)).map(
      ([path, handlers]) => ({
        path,
        find: (method) => handlers.get(method === "HEAD" ? "GET" : method),
        allow: () => allowed(handlers.keys()),
      }),
    );
  }
}
