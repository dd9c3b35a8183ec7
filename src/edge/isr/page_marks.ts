/**
 * @module Records which pages of a deployment were revalidated on demand, and when. A purge of any
 * size only adds a mark, which is a record of the purge. When a page is next requested, the marks
 * show whether the page was purged. Pure.
 */
import * as z from "zod";
import { isPurged } from "../cache/cache_store.ts";
import type { PurgeScope } from "../../feed/mod.ts";

/**
 * Maximum number of marks for one deployment. If there are more, the older half is replaced with
 * marks that apply to all pages.
 */
export const MAX_MARKS = 2000;

/** Maximum total length of all marks, in characters. They are written to disk as one file. */
const MAX_MARK_CHARACTERS = 256 * 1024;

/** A purge, with its order in this process, which is 0 for a purge in an earlier process. */
interface Mark {
  readonly scope: PurgeScope;
  readonly soft: boolean;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly order: number;
}

/** The fields of a page that determine which marks apply to the page. */
export interface MarkedPage {
  readonly path: string;
  readonly tags: readonly string[];
  /** When the page was requested, in milliseconds since the Unix epoch. */
  readonly askedAt: number;
  /** `PageMarks.order` when the page was requested. Missing for a page from disk. */
  readonly order?: number | undefined;
}

type MarkJudgment =
  | { readonly type: "current" }
  | { readonly type: "stale"; readonly since: number }
  | { readonly type: "gone" };

const CURRENT: MarkJudgment = { type: "current" };
const GONE: MarkJudgment = { type: "gone" };

const scopeSchema = z.discriminatedUnion("type", [
  z.object({ type: z.literal("all") }),
  z.object({ type: z.literal("path"), path: z.string() }),
  z.object({ type: z.literal("prefix"), prefix: z.string() }),
  z.object({ type: z.literal("tag"), tag: z.string() }),
]);

const fileSchema = z.object({
  version: z.literal(1),
  marks: z.array(z.object({ scope: scopeSchema, soft: z.boolean(), at: z.number() })),
});

/** Returns the key of a mark. Marks with the same key replace each other. */
function keyOf(scope: PurgeScope, soft: boolean): string {
  const what = scope.type === "path"
    ? scope.path
    : scope.type === "prefix"
    ? scope.prefix
    : scope.type === "tag"
    ? scope.tag
    : "";
  return `${soft ? "s" : "h"}${scope.type} ${what}`;
}

export class PageMarks {
  /** Oldest first. */
  readonly #marks = new Map<string, Mark>();
  /** Marks that cannot be found by a single path or tag. */
  readonly #wide = new Set<Mark>();
  #order = 0;
  #characters = 0;

  /**
   * A number that increases with each mark. A page that was checked at the current number does not
   * have to be checked again.
   */
  get order(): number {
    return this.#order;
  }

  /** Records a purge. */
  add(scope: PurgeScope, { soft, at }: { readonly soft: boolean; readonly at: number }): void {
    this.#order += 1;
    if (scope.type === "all" && !soft) this.#clear();
    this.#set({ scope, soft, at, order: this.#order });
    if (this.#marks.size > MAX_MARKS || this.#characters > MAX_MARK_CHARACTERS) this.#shorten();
  }

  /**
   * Adds the marks from an earlier process, in the form that `encode()` returned. Ignores malformed
   * marks.
   */
  addStored(bytes: Uint8Array): void {
    try {
      const { marks } = fileSchema.parse(JSON.parse(new TextDecoder().decode(bytes)));
      this.#order += 1;
      for (const mark of marks) {
        if (!this.#marks.has(keyOf(mark.scope, mark.soft))) this.#set({ ...mark, order: 0 });
      }
    } catch { /* the pages then keep their age */ }
  }

  /** Returns the marks as the bytes of a file. */
  encode(): Uint8Array<ArrayBuffer> {
    const marks = [...this.#marks.values()].map(({ order: _, ...mark }) => mark);
    return new TextEncoder().encode(JSON.stringify({ version: 1, marks }));
  }

  /** Judges a page by the purges that cover it and came after it was requested. */
  judge(page: MarkedPage): MarkJudgment {
    let since: number | undefined;
    for (const mark of this.#candidates(page)) {
      const isOlder = page.order === undefined
        ? page.askedAt <= mark.at
        : page.order < mark.order || (mark.order === 0 && page.askedAt <= mark.at);
      if (!isOlder) continue;
      if (!mark.soft) return GONE;
      since = Math.min(since ?? Infinity, mark.at);
    }
    return since === undefined ? CURRENT : { type: "stale", since };
  }

  *#candidates({ path, tags }: MarkedPage): Generator<Mark> {
    for (const soft of [false, true]) {
      const ofPath = this.#marks.get(keyOf({ type: "path", path }, soft));
      if (ofPath !== undefined) yield ofPath;
      for (const tag of tags) {
        const ofTag = this.#marks.get(keyOf({ type: "tag", tag }, soft));
        if (ofTag !== undefined) yield ofTag;
      }
    }
    for (const mark of this.#wide) if (isPurged(mark.scope, { path, tags })) yield mark;
  }

  #set(mark: Mark): void {
    const key = keyOf(mark.scope, mark.soft);
    this.#delete(key);
    this.#marks.set(key, mark);
    this.#characters += key.length;
    if (mark.scope.type === "all" || mark.scope.type === "prefix") this.#wide.add(mark);
  }

  #delete(key: string): void {
    const mark = this.#marks.get(key);
    if (mark === undefined) return;
    this.#marks.delete(key);
    this.#characters -= key.length;
    this.#wide.delete(mark);
  }

  #clear(): void {
    this.#marks.clear();
    this.#wide.clear();
    this.#characters = 0;
  }

  /** Replaces the older half of the marks with one mark of each kind for all pages. */
  #shorten(): void {
    const older = [...this.#marks].slice(0, this.#marks.size / 2);
    for (const [key] of older) this.#delete(key);
    for (const soft of [false, true]) {
      const last = older.map(([, mark]) => mark).filter((mark) => mark.soft === soft).at(-1);
      const known = this.#marks.get(keyOf({ type: "all" }, soft));
      if (last !== undefined && last.at > (known?.at ?? 0)) {
        this.#set({ ...last, scope: { type: "all" } });
      }
    }
  }
}
