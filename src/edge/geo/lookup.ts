/**
 * Country and autonomous system of an address, from MMDB files in memory.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { Reader, type Response as MmdbRecord } from "mmdb-lib";
import { parseIp } from "../../rules/mod.ts";
import { memoize } from "../../lib/memo.ts";

/** Finds the country of an address. */
export interface GeoLookup {
  /** ISO 3166-1 alpha-2 in upper case; `undefined` where the database does not know. */
  country(address: string): string | undefined;
}

/** Finds the autonomous system of an address. */
export interface AsnLookup {
  /** `undefined` where the database does not know. */
  asn(address: string): number | undefined;
}

/** What is stored of an address: flat as ip-location-db has it, or nested as MaxMind has it. */
interface AddressRecord {
  readonly country_code?: unknown;
  readonly country?: { readonly iso_code?: unknown };
  readonly autonomous_system_number?: unknown;
  readonly asn?: unknown;
}

/** An IPv4 address inside IPv6 is looked up as what it is. */
function plainAddress(address: string): string | undefined {
  if (parseIp(address) === undefined) return undefined;
  const zone = address.indexOf("%");
  const plain = zone < 0 ? address : address.slice(0, zone);
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(plain);
  return mapped?.[1] ?? plain;
}

/** Addresses whose records are remembered: most requests come from one that was seen just before. */
const REMEMBERED = 4096;

const NOTHING: AddressRecord = Object.freeze({});

export interface OpenOptions {
  /** Told once, of the first look-up that failed. */
  onFailure?(cause: unknown): void;
}

class AddressDatabase {
  readonly #reader: Reader<MmdbRecord>;
  #failed = false;
  /** The record of an address; an empty one where nothing is known of it. */
  readonly find = memoize((address) => this.#readOrWarn(address) ?? NOTHING, REMEMBERED);

  constructor(bytes: Uint8Array, private readonly options: OpenOptions) {
    this.#reader = new Reader(Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength));
  }

  /** A database that can not be read knows nothing: no request fails for it. */
  #readOrWarn(address: string): AddressRecord | undefined {
    try {
      return this.#read(address);
    } catch (cause) {
      if (!this.#failed) this.options.onFailure?.(cause);
      this.#failed = true;
      return undefined;
    }
  }

  #read(address: string): AddressRecord | undefined {
    const plain = plainAddress(address);
    if (plain === undefined) return undefined;
    const isIpv6 = plain.includes(":");
    if (isIpv6 && this.#reader.metadata.ipVersion === 4) return undefined;
    return (this.#reader.get(plain) as AddressRecord | null) ?? undefined;
  }
}

/**
 * Opens a country database (`country_code`, or `country.iso_code`).
 *
 * @throws {Error} If the bytes are no MMDB
 */
export function openCountryDatabase(bytes: Uint8Array, options: OpenOptions = {}): GeoLookup {
  const database = new AddressDatabase(bytes, options);
  return {
    country(address) {
      const record = database.find(address);
      const code = record.country_code ?? record.country?.iso_code;
      return typeof code === "string" && code.length === 2 ? code.toUpperCase() : undefined;
    },
  };
}

/**
 * Opens an ASN database (`autonomous_system_number`, or `asn`).
 *
 * @throws {Error} If the bytes are no MMDB
 */
export function openAsnDatabase(bytes: Uint8Array, options: OpenOptions = {}): AsnLookup {
  const database = new AddressDatabase(bytes, options);
  return {
    asn(address) {
      const record = database.find(address);
      const number = Number(record.autonomous_system_number ?? record.asn);
      return Number.isInteger(number) && number > 0 ? number : undefined;
    },
  };
}
