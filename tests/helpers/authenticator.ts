/**
 * An authenticator app: RFC 6238 codes, generated independently of the platform's code.
 *
 * @module
 */
import { createHmac } from "node:crypto";
import { Buffer } from "node:buffer";

const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567";

/**
 * Returns the code that an app shows for a base32 secret, either now or a number of 30-second steps
 * from now.
 */
export function authenticatorCode(secret: string, steps = 0): string {
  const bits = [...secret].map((each) => ALPHABET.indexOf(each).toString(2).padStart(5, "0"));
  const bytes = bits.join("").match(/.{8}/g)!.map((byte) => parseInt(byte, 2));
  const counter = Buffer.alloc(8);
  counter.writeBigUInt64BE(BigInt(Math.floor(Date.now() / 30_000) + steps));
  const mac = createHmac("sha1", Buffer.from(bytes)).update(counter).digest();
  const number = mac.readUInt32BE(mac[19]! & 15) & 0x7fffffff;
  return String(number % 1_000_000).padStart(6, "0");
}
