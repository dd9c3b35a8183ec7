/**
 * @module Reads the backend's settings directly from its memory, because querying them with SQL
 * would cost more than most statements. The locations apply to PostgreSQL 18 compiled to
 * WebAssembly (`guc_tables.h`), and are verified when the backend starts.
 */
import type { PGlite } from "@electric-sql/pglite";

interface EngineMemory {
  readonly HEAPU8: Uint8Array<ArrayBuffer>;
  readonly _find_option: (name: number, create: number, skip: number, level: number) => number;
  readonly _malloc: (size: number) => number;
  readonly _free: (at: number) => void;
}

/** Offsets of fields in a setting's record, in bytes. */
const [TYPE, SOURCE, NEXT, VARIABLE] = [24, 32, 68, 92];
const LINKS = 64;

/** Types of settings: a string is a pointer, and a real number takes eight bytes. */
const [BOOL, INTEGER, REAL, TEXT] = [0, 1, 2, 3];
/** Source of a setting that was set in the session, not by the server, the database or the role. */
const SESSION = 13;

/** Maximum plausible number of settings in the ring. */
const MAX_SETTINGS = 5_000;

/** An unusual value, used to find a setting in memory. */
const TRIAL = 1_234_567;

/** Time limits that a client has set, in milliseconds, or 0 for none. */
export interface Timeouts {
  readonly statement: number;
  readonly idleInTransaction: number;
}

const NAMES = ["statement_timeout", "idle_in_transaction_session_timeout"] as const;

export class SettingsMemory {
  readonly #timeouts: readonly number[];
  /** The head of the ring that links all settings whose values are not the defaults. */
  readonly #head: number;
  #words = new Int32Array(0);
  #digest = "";
  #isReading = false;
  /** The words from which the last digest was computed: their positions and values. */
  readonly #read: { readonly positions: number[]; readonly values: number[] } = {
    positions: [],
    values: [],
  };

  readonly #memory: EngineMemory;

  private constructor(memory: EngineMemory) {
    this.#memory = memory;
    this.#timeouts = NAMES.map((name) => this.#find(name));
    this.#head = this.#findHead(this.#timeouts[0]!);
  }

  /**
   * Finds the settings of a backend.
   *
   * @throws {Error} if the settings are not where this version stores them
   */
  static async open(pg: PGlite): Promise<SettingsMemory> {
    for (const name of NAMES) await pg.exec(`SET ${name} = ${TRIAL}`);
    const settings = new SettingsMemory(pg.Module as unknown as EngineMemory);
    const { statement, idleInTransaction } = settings.timeouts;
    const trial = settings.digest;
    for (const name of NAMES) await pg.exec(`RESET ${name}`);
    const isFound = statement === TRIAL && idleInTransaction === TRIAL &&
      settings.timeouts.statement === 0 && settings.digest !== trial;
    if (!isFound) throw new Error("Cannot find the backend's settings");
    return settings;
  }

  get timeouts(): Timeouts {
    const [statement, idleInTransaction] = this.#timeouts;
    return {
      statement: this.#word(this.#word(statement! + VARIABLE)),
      idleInTransaction: this.#word(this.#word(idleInTransaction! + VARIABLE)),
    };
  }

  /**
   * A digest that changes whenever one of the session's settings changes, regardless of how it is
   * set.
   */
  get digest(): string {
    if (this.#hasChanged()) {
      this.#read.positions.length = this.#read.values.length = 0;
      this.#isReading = true;
      const settings = this.#ofSession().map((record) => `${record}=${this.#value(record)};`);
      this.#digest = settings.join("");
      this.#isReading = false;
    }
    return this.#digest;
  }

  /** Whether one of the words that the digest was computed from has changed. */
  #hasChanged(): boolean {
    const words = this.#heap();
    const { positions, values } = this.#read;
    for (let index = 0; index < positions.length; index++) {
      if (words[positions[index]!] !== values[index]) return true;
    }
    return positions.length === 0;
  }

  /** Names of the session's settings, including those that `pg_settings` does not show. */
  get names(): readonly string[] {
    return this.#ofSession().map((record) => this.#text(this.#word(record)));
  }

  #ofSession(): number[] {
    const found: number[] = [];
    let node = this.#word(this.#head + 4);
    for (let count = 0; node !== this.#head && count < MAX_SETTINGS; count++) {
      const record = node - LINKS;
      if (this.#word(record + SOURCE) === SESSION) found.push(record);
      node = this.#word(record + NEXT);
    }
    return found;
  }

  #value(record: number): string {
    const variable = this.#word(record + VARIABLE);
    switch (this.#word(record + TYPE)) {
      case BOOL:
        return String(this.#word(variable & ~3) >> 8 * (variable & 3) & 0xff);
      case TEXT: {
        const text = this.#word(variable);
        return text === 0 ? "" : JSON.stringify(this.#text(text));
      }
      case REAL:
        return `${this.#word(variable)} ${this.#word(variable + 4)}`;
      default:
        return String(this.#word(variable));
    }
  }

  #text(at: number): string {
    const { HEAPU8 } = this.#memory;
    const end = HEAPU8.indexOf(0, at);
    for (let word = at & ~3; word <= end; word += 4) this.#word(word);
    return new TextDecoder().decode(HEAPU8.slice(at, end));
  }

  #find(name: string): number {
    const { _malloc, _free, _find_option } = this.#memory;
    const bytes = new TextEncoder().encode(`${name}\0`);
    const at = _malloc(bytes.byteLength);
    this.#memory.HEAPU8.set(bytes, at);
    const record = _find_option(at, 0, 1, 0);
    _free(at);
    if (record === 0 || this.#word(record + TYPE) !== INTEGER) {
      throw new Error(`Cannot find the backend's setting ${name}`);
    }
    return record;
  }

  /** Walks the ring. Its head is the only link that belongs to no setting. */
  #findHead(record: number): number {
    const start = record + LINKS;
    let node = start;
    for (let count = 0; count < MAX_SETTINGS; count++) {
      node = this.#word(node + 4);
      if (node === start) break;
      if (!this.#isSetting(node - LINKS)) return node;
    }
    throw new Error("Cannot find the list of the backend's settings");
  }

  #isSetting(record: number): boolean {
    const name = this.#word(record);
    const { HEAPU8 } = this.#memory;
    if (name <= 0 || name >= HEAPU8.byteLength) return false;
    const end = HEAPU8.indexOf(0, name);
    if (end <= name || end - name > 63) return false;
    return this.#memory._find_option(name, 0, 1, 0) === record;
  }

  #heap(): Int32Array {
    const { buffer } = this.#memory.HEAPU8;
    // The memory gets a new buffer when it grows.
    if (this.#words.buffer !== buffer) this.#words = new Int32Array(buffer);
    return this.#words;
  }

  /** Returns the word at an address that is a multiple of 4. */
  #word(at: number): number {
    const value = this.#heap()[at >>> 2]!;
    if (this.#isReading) {
      this.#read.positions.push(at >>> 2);
      this.#read.values.push(value);
    }
    return value;
  }
}
