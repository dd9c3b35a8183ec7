/** @module Looks up the country and autonomous system of an address in MMDB files in memory. */
import { Buffer } from "node:buffer";
import { Reader, type Response as MmdbRecord } from "mmdb-lib";
import { parseIp } from "../../rules/mod.ts";
import { memoize } from "../../lib/memo.ts";

export interface GeoLookup {
  /** Returns the ISO 3166-1 alpha-2 code in upper case, or `undefined` if the database has none. */
  country(address: string): string | undefined;
}

/** Finds the autonomous system of an address. */
export interface AsnLookup {
  /** Returns the number of the autonomous system, or `undefined` if the database has none. */
  asn(address: string): number | undefined;
}

/** A database that may turn out to be damaged when it is read. */
export interface Readable {
  /** Whether the database can be read. Tries a lookup if there has been none yet. */
  isReadable(): boolean;
}

/**
 * The record of an address. It is flat, as in ip-location-db, or nested, as in MaxMind's databases.
 */
interface AddressRecord {
  readonly country_code?: unknown;
  readonly country?: { readonly iso_code?: unknown };
  readonly autonomous_system_number?: unknown;
  readonly asn?: unknown;
}

/** Returns the address without its zone. An IPv4-mapped IPv6 address becomes an IPv4 address. */
function plainAddress(address: string): string | undefined {
  if (parseIp(address) === undefined) return undefined;
  const zone = address.indexOf("%");
  const plain = zone < 0 ? address : address.slice(0, zone);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain);
  return mapped?.[1] ?? plain;
}

/** Number of addresses whose records are memoized. Most requests come from recent addresses. */
const REMEMBERED = 4096;

/** Any valid address. Looking it up opens the database. */
const PROBED = "192.0.2.1";

const NOTHING: AddressRecord = Object.freeze({});

export interface OpenOptions {
  /** Called only for the first failed lookup. */
  onFailure?(cause: unknown): void;
}

/** The bytes of an MMDB file, or a function that reads them on first use. */
export type Database = Uint8Array | (() => Uint8Array);

function readerOf(bytes: Uint8Array): Reader<MmdbRecord> {
  return new Reader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
}

class AddressDatabase {
  readonly #open: () => Reader<MmdbRecord>;
  #reader: Reader<MmdbRecord> | undefined;
  #failed = false;
  /** The record of an address; empty if the database has none. */
  readonly find = memoize((address) => this.#readOrWarn(address) ?? NOTHING, REMEMBERED);

  readonly #options: OpenOptions;

  constructor(database: Database, options: OpenOptions) {
    this.#options = options;
    this.#open = () => readerOf(typeof database === "function" ? database() : database);
    if (typeof database !== "function") this.#reader = this.#open();
  }

  /** Whether lookups work. Does a lookup if there has been none yet. */
  isReadable(): boolean {
    if (this.#reader === undefined) this.find(PROBED);
    return !this.#failed;
  }

  /**
   * Opens the database. If it cannot be read, the first lookup fails and later lookups find
   * nothing.
   */
  #opened(): Reader<MmdbRecord> | undefined {
    if (this.#reader === undefined && !this.#failed) this.#reader = this.#open();
    return this.#reader;
  }

  /** Treats an address as unknown if its lookup fails. The request itself does not fail. */
  #readOrWarn(address: string): AddressRecord | undefined {
    try {
      return this.#read(address);
    } catch (cause) {
      if (!this.#failed) this.#options.onFailure?.(cause);
      this.#failed = true;
      return undefined;
    }
  }

  #read(address: string): AddressRecord | undefined {
    const plain = plainAddress(address);
    if (plain === undefined) return undefined;
    const isIpv6 = plain.includes(":");
    const reader = this.#opened();
    if (reader === undefined) return undefined;
    if (isIpv6 && reader.metadata.ipVersion === 4) return undefined;
    return (reader.get(plain) as AddressRecord | null) ?? undefined;
  }
}

/**
 * Opens a country database (`country_code`, or `country.iso_code`).
 *
 * @throws {Error} If the given bytes are not an MMDB file
 */
export function openCountryDatabase(
  source: Database,
  options: OpenOptions = {},
): GeoLookup & Readable {
  const database = new AddressDatabase(source, options);
  return {
    country(address) {
      const record = database.find(address);
      const code = record.country_code ?? record.country?.iso_code;
      return typeof code === "string" && code.length === 2 ? code.toUpperCase() : undefined;
    },
    isReadable: () => database.isReadable(),
  };
}

/**
 * Opens an ASN database (`autonomous_system_number`, or `asn`).
 *
 * @throws {Error} If the bytes are not an MMDB file
 */
export function openAsnDatabase(
  bytes: Uint8Array,
  options: OpenOptions = {},
): AsnLookup & Readable {
  const database = new AddressDatabase(bytes, options);
  return {
    asn(address) {
      const record = database.find(address);
      const number = Number(record.autonomous_system_number ?? record.asn);
      return Number.isInteger(number) && number > 0 ? number : undefined;
    },
    isReadable: () => database.isReadable(),
  };
}
