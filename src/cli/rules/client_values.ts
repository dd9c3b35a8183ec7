/** @module Parses the values of flags that describe a client. */
import { InvalidArgumentError } from "@commander-js/extra-typings";
import { parseIp } from "../../rules/mod.ts";
import { wholeNumber } from "../command/option_values.ts";

const MAX_ASN = 4_294_967_295;

/** Parses a country code (ISO 3166-1 alpha-2), and returns it in upper case. */
export function countryCode(text: string): string {
  if (/^[A-Za-z]{2}$/.test(text)) return text.toUpperCase();
  throw new InvalidArgumentError("Expected a two-letter country code.");
}

/** Parses an IPv4 or IPv6 address. */
export function ipAddress(text: string): string {
  if (parseIp(text) !== undefined) return text;
  throw new InvalidArgumentError("Expected an IPv4 or IPv6 address.");
}

/** Parses the number of an autonomous system. */
export const autonomousSystem = wholeNumber({ min: 1, max: MAX_ASN });
