/** @module Simulated visitors for the dev server. Pure. */
import type { AssumedClient } from "../edge/mod.ts";
import { type Device, DEVICES, parseIp } from "../rules/mod.ts";

/** Request header that sets properties of the simulated client, only in `svc dev`. */
export const ASSUME_HEADER = "svc-dev";

const MAX_ASN = 4_294_967_295;

export interface Assumed extends AssumedClient {
  /** IP address. */
  readonly ip?: string | undefined;
}

const READERS: Readonly<Record<string, (value: string) => Assumed | undefined>> = {
  country: (value) => /^[A-Za-z]{2}$/.test(value) ? { country: value.toUpperCase() } : undefined,
  asn: (value) => {
    const asn = /^\d{1,10}$/.test(value) ? Number(value) : 0;
    return asn >= 1 && asn <= MAX_ASN ? { asn } : undefined;
  },
  device: (value) => {
    const device = DEVICES.find((known): known is Device => known === value);
    return device === undefined ? undefined : { device };
  },
  ip: (value) => parseIp(value) === undefined ? undefined : { ip: value },
};

const HINT = `Write ${ASSUME_HEADER}: country=DE; asn=64500; device=${DEVICES.join("|")}; ` +
  "ip=203.0.113.7, or some of these";

/**
 * Parses the header: `name=value` parts, separated by semicolons.
 *
 * @returns the problem, as a sentence, if it is invalid
 */
export function parseAssumed(text: string): Assumed | string {
  let assumed: Assumed = {};
  for (const part of text.split(";")) {
    if (part.trim() === "") continue;
    const [name = "", value = ""] = part.split("=").map((word) => word.trim());
    const read = Object.hasOwn(READERS, name) ? READERS[name]!(value) : undefined;
    if (read === undefined) return `Cannot read "${part.trim()}". ${HINT}`;
    assumed = { ...assumed, ...read };
  }
  return assumed;
}
