/**
 * @module Reads a write-ahead log as recovery does, to find the last commit before a time. The
 * format is defined in PostgreSQL's src/include/access/xlogrecord.h, xlog_internal.h and xact.h.
 */
import { concatBytes } from "../../wire/messages.ts";
import { crc32c } from "./crc32c.ts";
import { SEGMENT_BYTES } from "./log_position.ts";

const PAGE_BYTES = 8192;
const [PAGE_HEADER, FIRST_PAGE_HEADER] = [24, 40];
const RECORD_HEADER = 24;
/** Records start at multiples of this number of bytes. */
const ALIGNMENT = 8;

/** Flags of a page. */
const [CONTINUES, HAS_LONG_HEADER, OVERWRITES] = [1, 2, 8];

/** Offsets in a record's header. */
const [PREVIOUS_AT, INFO_AT, MANAGER_AT, CRC_AT] = [8, 16, 17, 20];
/** Resource managers, and the kinds of records that are relevant here. */
const [LOG, TRANSACTIONS] = [0, 1];
const [KIND_OF_LOG, SWITCH] = [0xf0, 0x40];
const KIND_OF_TRANSACTION = 0x70;
/** The kinds for commit and abort, including the kinds for prepared transactions. */
const ENDS = new Set([0x00, 0x20, 0x30, 0x40]);
/**
 * The optional blocks before a record's data, and their sizes. The last two are headers of the
 * data.
 */
const BLOCKS: Readonly<Record<number, number>> = { 252: 5, 253: 3, 254: 5, 255: 2 };
const DATA = 254;

/** PostgreSQL counts microseconds from the year 2000. */
const EPOCH_MS = Date.UTC(2000, 0, 1);

const aligned = (bytes: number): number => Math.ceil(bytes / ALIGNMENT) * ALIGNMENT;
const viewOf = ({ buffer, byteOffset, byteLength }: Uint8Array): DataView =>
  new DataView(buffer, byteOffset, byteLength);

/**
 * Returns the time when a record ended a transaction, in milliseconds since 1970, or `undefined` if
 * it did not end one.
 */
function endOfTransaction(record: Uint8Array): number | undefined {
  const ends = record[MANAGER_AT] === TRANSACTIONS &&
    ENDS.has(record[INFO_AT]! & KIND_OF_TRANSACTION);
  if (!ends) return undefined;
  for (let at = RECORD_HEADER; at + 1 < record.byteLength;) {
    const block = record[at]!;
    const size = BLOCKS[block];
    if (size === undefined) return undefined;
    at += size;
    if (block < DATA) continue;
    if (at + 8 > record.byteLength) return undefined;
    return Math.floor(Number(viewOf(record).getBigInt64(at, true)) / 1000) + EPOCH_MS;
  }
  return undefined;
}

/** Reads the pages of a log in order, until a record does not continue the log. */
export class LogReader {
  /** Pages before this position are skipped. */
  #from: number;
  #end: number;
  #latest = -Infinity;
  #previous: number | undefined;
  /** Parts of a record that continues on the next page, and the number of missing bytes. */
  #parts: Uint8Array[] = [];
  #missing = 0;

  readonly #until: number;

  /**
   * @param from start of a record
   * @param until the time of the last transaction to include, in milliseconds since 1970
   */
  constructor(from: number, until = Infinity) {
    this.#from = this.#end = from;
    this.#until = until;
  }

  /** The end of the last record that was complete and early enough. */
  get end(): number {
    return this.#end;
  }

  /** The time of the last transaction before `end`, in milliseconds since 1970. */
  get latest(): number {
    return this.#latest;
  }

  /** Reads pages that begin at a position. Returns false once the end is found. */
  read(pages: Uint8Array, position: number): boolean {
    for (let at = 0; at < pages.byteLength; at += PAGE_BYTES) {
      const page = pages.subarray(at, at + PAGE_BYTES);
      if (position + at + PAGE_BYTES <= this.#from) continue;
      if (!this.#readPage(page, position + at)) return false;
    }
    return true;
  }

  #readPage(page: Uint8Array, position: number): boolean {
    const view = viewOf(page);
    if (Number(view.getBigUint64(8, true)) !== position) return false;
    const flags = view.getUint16(2, true);
    const header = (flags & HAS_LONG_HEADER) === 0 ? PAGE_HEADER : FIRST_PAGE_HEADER;
    let at = Math.max(header, this.#from - position);
    if (this.#missing > 0 && (flags & OVERWRITES) !== 0) {
      // The record was cut off by a crash, and recovery continued here.
      this.#missing = 0;
      this.#previous = undefined;
    } else if (this.#missing > 0) {
      if ((flags & CONTINUES) === 0 || view.getUint32(16, true) !== this.#missing) return false;
      at += this.#take(page.subarray(at));
      if (this.#missing > 0) return true;
      if (!this.#finish()) return false;
    } else if ((flags & CONTINUES) !== 0 && at === header) {
      return false;
    }
    while (at < PAGE_BYTES && position + at >= this.#from) {
      this.#end = position + at;
      const bytes = view.getUint32(at, true);
      if (bytes < RECORD_HEADER) return false;
      [this.#parts, this.#missing] = [[], bytes];
      at += this.#take(page.subarray(at));
      if (this.#missing > 0) return true;
      if (!this.#finish()) return false;
    }
    this.#end = Math.max(position + PAGE_BYTES, this.#from);
    return true;
  }

  /** Reads the part of a record that is on a page. Returns the number of bytes read. */
  #take(bytes: Uint8Array): number {
    const part = bytes.subarray(0, this.#missing);
    this.#parts.push(part);
    this.#missing -= part.byteLength;
    return aligned(part.byteLength);
  }

  /** Whether a record is complete, follows the previous one, and is early enough. */
  #finish(): boolean {
    const parts = this.#parts;
    const record = parts.length === 1 ? parts[0]! : concatBytes(parts);
    const view = viewOf(record);
    const previous = Number(view.getBigUint64(PREVIOUS_AT, true));
    if (this.#previous !== undefined && previous !== this.#previous) return false;
    const sum = crc32c(record.subarray(0, CRC_AT), crc32c(record.subarray(RECORD_HEADER)));
    if (sum !== view.getUint32(CRC_AT, true)) return false;
    const ended = endOfTransaction(record) ?? -Infinity;
    if (ended > this.#until) return false;
    this.#latest = Math.max(this.#latest, ended);
    this.#previous = this.#end;
    const isSwitch = record[MANAGER_AT] === LOG && (record[INFO_AT]! & KIND_OF_LOG) === SWITCH;
    if (isSwitch) this.#from = (Math.floor(this.#end / SEGMENT_BYTES) + 1) * SEGMENT_BYTES;
    return true;
  }
}
