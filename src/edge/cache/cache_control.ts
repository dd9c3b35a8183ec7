/**
 * The `Cache-Control` field (RFC 9111, 5.2) and other fields that hold seconds.
 *
 * @module
 */

/** Longer times than this are as good as for ever (RFC 9111, 1.2.2). */
export const MAX_SECONDS = 2 ** 31;

const DIRECTIVE =
  /[\s,]*([!#$%&'*+.^_`|~0-9A-Za-z-]+)(?:\s*=\s*(?:"((?:[^"\\]|\\.)*)"|([^\s,;"]*)))?/y;

/** Directives that may be restricted to fields; repeated, they hold for the fields of all. */
const RESTRICTABLE = new Set(["private", "no-cache"]);

/** Directives by lower-case name. Of one that is repeated the stricter counts, else the first (4.2.1). */
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
        // What is no directive ends at the next comma.
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

  /** As the constructor; what has no field shares one object. */
  static of(field: string | null | undefined): CacheControl {
    return field === null || field === undefined ? CacheControl.#none : new CacheControl(field);
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
   * The seconds of a directive; `undefined` where it is missing. A value that
   * is no number is 0: such an answer counts as stale (4.2.1).
   */
  seconds(name: string): number | undefined {
    if (!this.#directives.has(name)) return undefined;
    return deltaSeconds(this.#directives.get(name)) ?? 0;
  }

  /** The text of a directive; `undefined` where it is missing or has none. */
  value(name: string): string | undefined {
    return this.#directives.get(name);
  }

  /** Field names, in lower case, to which a directive is restricted; none where it is not. */
  fields(name: string): readonly string[] {
    return (this.value(name) ?? "").toLowerCase().split(",").map((field) => field.trim())
      .filter((field) => field !== "");
  }

  /** True where the directive stands for the whole answer, not for some fields. */
  hasUnqualified(name: string): boolean {
    return this.has(name) && this.fields(name).length === 0;
  }
}

/** Whole seconds (RFC 9111, 1.2.2); `undefined` for what is none. */
export function deltaSeconds(text: string | null | undefined): number | undefined {
  if (text === null || text === undefined || !/^\d+$/.test(text)) return undefined;
  return Math.min(Number(text), MAX_SECONDS);
}
