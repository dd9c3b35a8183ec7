/** A packed page of an inbox: IDs, kinds and states, oldest first, without contents. @module */
import {
  EVENT_CATEGORIES,
  type EventCategory,
  PRIORITIES,
  type Priority,
} from "../../../contract/events.ts";
import * as z from "zod";

export const PAGE_ROWS = 256;

const ID_BYTES = 16;
const READ = 1;
const ARCHIVED = 2;
const DELETED = 4;

/** One count for each combination of category, priority, archived and unread. */
export const CELLS = EVENT_CATEGORIES.length * PRIORITIES.length * 4;

/** The row counts of a page or an inbox: for each workspace, one number per cell. */
export type Cells = Map<number, Uint32Array>;

interface RowKind {
  readonly category: EventCategory;
  readonly priority: Priority;
}

interface NewRow extends RowKind {
  readonly id: string;
  /**
   * Number of the workspace that the notification is from; 0 for the account's own notifications.
   */
  readonly place: number;
}

export interface RowState {
  readonly id: string;
  readonly readAt: number | null;
  readonly archivedAt: number | null;
}

const kindOf = ({ category, priority }: RowKind): number =>
  EVENT_CATEGORIES.indexOf(category) * PRIORITIES.length + PRIORITIES.indexOf(priority);

export function cellOf(kind: RowKind, state: { archived: boolean; unread: boolean }): number {
  return cell(kindOf(kind), (state.archived ? ARCHIVED : 0) | (state.unread ? 0 : READ));
}

const cell = (kind: number, flags: number): number =>
  kind * 4 + ((flags & ARCHIVED) === 0 ? 0 : 2) + ((flags & READ) === 0 ? 1 : 0);

export const storedPage = z.object({
  /** Number of the last bulk change that was applied. */
  applied: z.number(),
  ids: z.instanceof(Uint8Array),
  kinds: z.instanceof(Uint8Array),
  flags: z.instanceof(Uint8Array),
  places: z.instanceof(Uint16Array),
  readAt: z.instanceof(Float64Array),
  archivedAt: z.instanceof(Float64Array),
});
export type StoredPage = z.infer<typeof storedPage>;

/** Returns the bytes of an ID, which sort in the same order as its text. */
export function idBytes(id: string): Uint8Array {
  return Uint8Array.fromHex(id.replaceAll("-", ""));
}

const grown = <T extends Uint8Array | Uint16Array | Float64Array>(target: T, source: T): T => {
  target.set(source);
  return target;
};

/** Modify only a copy, because other code may have references to the page. */
export class InboxPage {
  count: number;
  readonly cells: Cells = new Map();
  readonly #ids: Uint8Array;
  readonly #kinds: Uint8Array;
  readonly #flags: Uint8Array;
  readonly #places: Uint16Array;
  readonly #readAt: Float64Array;
  readonly #archivedAt: Float64Array;

  constructor(stored?: Omit<StoredPage, "applied">) {
    this.count = stored?.kinds.length ?? 0;
    this.#ids = grown(new Uint8Array(PAGE_ROWS * ID_BYTES), stored?.ids ?? new Uint8Array());
    this.#kinds = grown(new Uint8Array(PAGE_ROWS), stored?.kinds ?? new Uint8Array());
    this.#flags = grown(new Uint8Array(PAGE_ROWS), stored?.flags ?? new Uint8Array());
    this.#places = grown(new Uint16Array(PAGE_ROWS), stored?.places ?? new Uint16Array());
    this.#readAt = grown(new Float64Array(PAGE_ROWS), stored?.readAt ?? new Float64Array());
    this.#archivedAt = grown(new Float64Array(PAGE_ROWS), stored?.archivedAt ?? new Float64Array());
    for (let row = 0; row < this.count; row++) this.#tally(row, 1);
  }

  copy(): InboxPage {
    return new InboxPage(this.packed());
  }

  /** Returns the stored form, without space for rows that do not exist yet. */
  packed(): Omit<StoredPage, "applied"> {
    const { count } = this;
    return {
      ids: this.#ids.slice(0, count * ID_BYTES),
      kinds: this.#kinds.slice(0, count),
      flags: this.#flags.slice(0, count),
      places: this.#places.slice(0, count),
      readAt: this.#readAt.slice(0, count),
      archivedAt: this.#archivedAt.slice(0, count),
    };
  }

  get isFull(): boolean {
    return this.count === PAGE_ROWS;
  }

  get isDead(): boolean {
    return this.isFull && this.#flags.every((flags) => (flags & DELETED) !== 0);
  }

  /** Adds a row, whose ID must be greater than all earlier ones. */
  append({ id, place, ...kind }: NewRow): void {
    const row = this.count++;
    this.#ids.set(idBytes(id), row * ID_BYTES);
    this.#kinds[row] = kindOf(kind);
    this.#places[row] = place;
    this.#tally(row, 1);
  }

  /** Compares a row's ID with the given one. Returns a negative number if the row's ID is less. */
  compareId(row: number, id: Uint8Array): number {
    for (let index = 0; index < ID_BYTES; index++) {
      const difference = this.#ids[row * ID_BYTES + index]! - id[index]!;
      if (difference !== 0) return difference;
    }
    return 0;
  }

  /**
   * Returns the first row whose ID is not less than the given one; `count` if there is no such row.
   */
  rowFrom(id: Uint8Array): number {
    let [low, high] = [0, this.count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (this.compareId(middle, id) < 0) low = middle + 1;
      else high = middle;
    }
    return low;
  }

  /** Returns the cell in which a row is counted; `undefined` if the row is deleted. */
  cellAt(row: number): number | undefined {
    const flags = this.#flags[row]!;
    return (flags & DELETED) === 0 ? cell(this.#kinds[row]!, flags) : undefined;
  }

  placeAt(row: number): number {
    return this.#places[row]!;
  }

  stateAt(row: number): RowState {
    const id = this.#ids.subarray(row * ID_BYTES, (row + 1) * ID_BYTES).toHex();
    const flags = this.#flags[row]!;
    return {
      id: [id.slice(0, 8), id.slice(8, 12), id.slice(12, 16), id.slice(16, 20), id.slice(20)]
        .join("-"),
      readAt: (flags & READ) === 0 ? null : this.#readAt[row]!,
      archivedAt: (flags & ARCHIVED) === 0 ? null : this.#archivedAt[row]!,
    };
  }

  isRead(row: number): boolean {
    return (this.#flags[row]! & READ) !== 0;
  }

  isArchived(row: number): boolean {
    return (this.#flags[row]! & ARCHIVED) !== 0;
  }

  isDeleted(row: number): boolean {
    return (this.#flags[row]! & DELETED) !== 0;
  }

  read(row: number, at: number): void {
    this.#mark(row, READ);
    this.#readAt[row] = at;
  }

  archive(row: number, at: number): void {
    this.#mark(row, ARCHIVED);
    this.#archivedAt[row] = at;
  }

  delete(row: number): void {
    this.#mark(row, DELETED);
  }

  #mark(row: number, flag: number): void {
    this.#tally(row, -1);
    this.#flags[row] = this.#flags[row]! | flag;
    this.#tally(row, 1);
  }

  #tally(row: number, by: 1 | -1): void {
    const index = this.cellAt(row);
    if (index === undefined) return;
    const place = this.#places[row]!;
    let cells = this.cells.get(place);
    if (cells === undefined) this.cells.set(place, cells = new Uint32Array(CELLS));
    cells[index] = cells[index]! + by;
  }
}
