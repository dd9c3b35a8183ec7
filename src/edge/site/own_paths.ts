/**
 * Paths that only the platform may request, such as those of queues.
 *
 * @module
 */

/** A path as the most lenient server would read it, so that no spelling gets past the check. */
function plainPath(path: string): string {
  let decoded = path;
  try {
    decoded = decodeURIComponent(path);
  } catch { /* it stays as it is */ }
  return `/${
    decoded.toLowerCase().replaceAll("\\", "/").split("/").map((part) => part.split(";")[0])
      .filter((part) => part !== "" && part !== ".").join("/")
  }`;
}

export class OwnPaths {
  readonly #paths: ReadonlySet<string>;

  constructor(paths: readonly string[]) {
    this.#paths = new Set(paths.map(plainPath));
  }

  has(path: string): boolean {
    return this.#paths.size > 0 && this.#paths.has(plainPath(path));
  }
}
