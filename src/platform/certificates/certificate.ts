/**
 * The record of a certificate, and when to order it next. Pure.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import { X509Certificate } from "node:crypto";
import * as z from "zod";
import type { Domain } from "../../contract/domains.ts";
import { sealedSecret } from "../core/secrets/mod.ts";

const MINUTE_MS = 60_000;
const FIRST_RETRY_MS = 5 * MINUTE_MS;
const MAX_RETRY_MS = 24 * 60 * MINUTE_MS;
/** A certificate is renewed after this fraction of its lifetime, plus up to another tenth. */
const RENEW_AFTER = 2 / 3;
const RENEW_SPREAD = 1 / 10;

/** Certificate chain and private key, as PEM. */
export interface KeyPair {
  readonly cert: string;
  readonly key: string;
}

export const certificateRecord = z.object({
  hostname: z.string(),
  /** Null until the first order succeeds. */
  issued: z.object({
    chain: z.string(),
    key: sealedSecret,
    notBefore: z.number(),
    notAfter: z.number(),
  }).nullable(),
  /** Number of consecutive orders that have failed. */
  failures: z.number(),
  /** Why the last order failed; null if it succeeded. */
  error: z.string().nullable(),
  /** When the next order is due. */
  dueAt: z.number(),
});
export type CertificateRecord = z.infer<typeof certificateRecord>;

/**
 * Returns the first and last moments at which a certificate is valid, in milliseconds since the
 * epoch.
 */
export function validityOf(pem: string): { readonly notBefore: number; readonly notAfter: number } {
  const { validFrom, validTo } = new X509Certificate(pem);
  return { notBefore: Date.parse(validFrom), notAfter: Date.parse(validTo) };
}

/** DER encoding of 2.5.29.35, the extension that identifies the authority's key. */
const AUTHORITY_KEY_ID = Buffer.from([0x06, 0x03, 0x55, 0x1d, 0x23]);

/**
 * Returns the identifier that an authority uses for a certificate (RFC 9773, 4.1): the identifier
 * of the authority's key, and the serial number. Returns `undefined` if the certificate does not
 * identify the key.
 */
export function renewalId(pem: string): string | undefined {
  const { raw, serialNumber } = new X509Certificate(pem);
  const at = raw.indexOf(AUTHORITY_KEY_ID);
  // An OCTET STRING that contains a SEQUENCE. The first member of the SEQUENCE is the identifier,
  // tagged [0]. All lengths are below 128.
  const [octets, , sequence, , tag, length = 0] = raw.subarray(at + AUTHORITY_KEY_ID.byteLength);
  if (at === -1 || octets !== 0x04 || sequence !== 0x30 || tag !== 0x80) return undefined;
  const start = at + AUTHORITY_KEY_ID.byteLength + 6;
  const keyId = raw.subarray(start, start + length);
  const hex = serialNumber.padStart(serialNumber.length + serialNumber.length % 2, "0");
  const serial = Buffer.from(/^[89a-f]/i.test(hex) ? `00${hex}` : hex, "hex");
  return `${keyId.toString("base64url")}.${serial.toString("base64url")}`;
}

/** Returns when to renew: after two thirds of the lifetime, spread by `chance` from 0 to 1. */
export function renewalTime(
  life: { readonly notBefore: number; readonly notAfter: number },
  chance: number,
): number {
  const length = life.notAfter - life.notBefore;
  return life.notBefore + length * (RENEW_AFTER + RENEW_SPREAD * chance);
}

/**
 * Returns when to order again after failures: after 5, 15 and 45 minutes, and so on, up to a day.
 * Each delay varies by up to a quarter. Certificate authorities allow about five failures an hour.
 */
export function retryTime(
  failures: number,
  options: { readonly now: number; readonly chance: number },
): number {
  const wait = Math.min(FIRST_RETRY_MS * 3 ** (failures - 1), MAX_RETRY_MS);
  return options.now + wait * (0.75 + options.chance / 2);
}

/** Converts a hostname's certificate to its form in the API. */
export function certificateToWire(
  record: CertificateRecord | undefined,
  now: number,
): Domain["certificate"] {
  const issued = record?.issued ?? null;
  const valid = issued !== null && issued.notAfter > now;
  return {
    status: valid ? "issued" : record !== undefined && record.failures > 0 ? "failed" : "pending",
    expiresAt: issued === null ? null : new Date(issued.notAfter).toISOString(),
    error: record?.error ?? null,
  };
}
