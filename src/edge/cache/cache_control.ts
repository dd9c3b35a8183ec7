/** @module The `Cache-Control` field (RFC 9111, 5.2) and other fields that contain seconds. */

/** Maximum time, in seconds. A longer time counts as the maximum (RFC 9111, 1.2.2). */
export const MAX_SECONDS = 2 ** 31;

const DIRECTIVE =
  /[\s,]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))?/y;

/** Directives that can name fields. If a directive is repeated, its fields are combined. */
const RESTRICTABLE = new Set(["private", "no-cache"]);

/**
 * Directives by lowercase name. If a directive is repeated, the stricter value counts or, if
 * neither is stricter, the first one (4.2.1).
 */
export class CacheControl {
  static readonly #none = new CacheControl(undefined);
  readonly #directives = new Map<string, string | undefined>();

  constructor(field: string | null | undefined) {
    if (field === null || field === undefined) return;
    let position = 0;
    while (position < field.length) {
      DIRECTIVE.lastIndex = position;
      const match = DIRECTIVE.exec(field);
      if (match === null) {
        // Skips text that is not a directive, up to the next comma.
        const comma = field.indexOf(",", position);
        position = comma < 0 ? field.length : comma + 1;
        continue;
      }
      position = DIRECTIVE.lastIndex;
      const name = match[1]!.toLowerCase();
      const value = match[2]?.replaceAll(/\\(.)/g, "$1") ?? match[3];
      this.#add(name, value);
    }
  }

  /** Works like the constructor, but all messages without the field share one object. */
  static of(field: string | null | undefined): CacheControl {
    return field === null || field === undefined ? CacheControl.#none : new CacheControl(field);
  }

  /** Creates an object from directives that were already parsed as a structured field. */
  static from(directives: Iterable<readonly [string, string | undefined]>): CacheControl {
    const control = new CacheControl(undefined);
    for (const [name, value] of directives) control.#add(name, value);
    return control;
  }

  #add(name: string, value: string | undefined): void {
    if (!this.#directives.has(name)) {
      this.#directives.set(name, value);
      return;
    }
    if (!RESTRICTABLE.has(name)) return;
    const before = this.#directives.get(name);
    const both = before === undefined || value === undefined ? undefined : `${before},${value}`;
    this.#directives.set(name, both);
  }

  has(name: string): boolean {
    return this.#directives.has(name);
  }

  /**
   * Returns the seconds in a directive's value, or `undefined` if the directive is missing. A value
   * that is not a number counts as 0, so the response is stale (4.2.1).
   */
  seconds(name: string): number | undefined {
    if (!this.#directives.has(name)) return undefined;
    return deltaSeconds(this.#directives.get(name)) ?? 0;
  }

  /** Returns the value of a directive, or `undefined` if the directive or its value is missing. */
  value(name: string): string | undefined {
    return this.#directives.get(name);
  }

  /** Returns the field names in the value of a directive, in lower case. */
  fields(name: string): readonly string[] {
    return (this.value(name) ?? "").toLowerCase().split(",").map((field) => field.trim())
      .filter((field) => field !== "");
  }

  /** Whether the directive applies to the whole response, not only to some of its fields. */
  hasUnqualified(name: string): boolean {
    return this.has(name) && this.fields(name).length === 0;
  }
}

/** Parses text as whole seconds (RFC 9111, 1.2.2). Returns `undefined` for any other text. */
export function deltaSeconds(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || !/^\d+$/.test(text)) return undefined;
  return Math.min(Number(text), MAX_SECONDS);
}
