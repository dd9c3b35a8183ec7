/** Git's packet lines and side-band (gitprotocol-common). Pure. @module */

/** Number of hexadecimal digits for the length of a packet, which includes these digits. */
const LENGTH_DIGITS = 4;
const MAX_PACKET = 65_520;

/** Maximum size of a side-band packet without its length and band, in bytes. */
const MAX_BAND = MAX_PACKET - LENGTH_DIGITS - 1;

/** Ends a list of packets. */
export const FLUSH = new TextEncoder().encode("0000");

/** Side-band channels. */
export const BAND = { result: 1, words: 2, fatal: 3 } as const;

const encoder = new TextEncoder();
const decoder = new TextDecoder();

/** Thrown if bytes are not packet lines. */
class PacketError extends Error {
  override readonly name = "PacketError";
}

export function join(parts: readonly Uint8Array[]): Uint8Array<ArrayBuffer> {
  const joined = new Uint8Array(parts.reduce((sum, { byteLength }) => sum + byteLength, 0));
  let place = 0;
  for (const part of parts) {
    joined.set(part, place);
    place += part.byteLength;
  }
  return joined;
}

/** Encodes one packet. */
export function packet(content: string | Uint8Array): Uint8Array<ArrayBuffer> {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  const length = (bytes.byteLength + LENGTH_DIGITS).toString(16).padStart(LENGTH_DIGITS, "0");
  return join([encoder.encode(length), bytes]);
}

/** Encodes content as packets of one band, as many as needed. Empty content becomes one packet. */
export function bandPackets(
  band: number,
  content: string | Uint8Array,
): Uint8Array<ArrayBuffer> {
  const bytes = typeof content === "string" ? encoder.encode(content) : content;
  const packets: Uint8Array[] = [];
  for (let at = 0; at < Math.max(bytes.byteLength, 1); at += MAX_BAND) {
    packets.push(packet(join([Uint8Array.of(band), bytes.subarray(at, at + MAX_BAND)])));
  }
  return join(packets);
}

/** Returns a packet's text, without the line feed that may be at the end. */
export const packetText = (content: Uint8Array): string =>
  decoder.decode(content).replace(/\n$/, "");

/** Extracts packets from a stream of bytes as they arrive. */
export class PacketReader {
  #rest: Uint8Array = new Uint8Array();

  push(chunk: Uint8Array): void {
    this.#rest = this.#rest.byteLength === 0 ? chunk : join([this.#rest, chunk]);
  }

  /**
   * Returns the next packet; `null` for a flush packet, `undefined` if the packet is incomplete.
   *
   * @throws {PacketError}
   */
  take(): Uint8Array | null | undefined {
    if (this.#rest.byteLength < LENGTH_DIGITS) return undefined;
    const digits = decoder.decode(this.#rest.subarray(0, LENGTH_DIGITS));
    const length = /^[0-9a-f]{4}$/i.test(digits) ? Number.parseInt(digits, 16) : NaN;
    if (length === 0) {
      this.#rest = this.#rest.subarray(LENGTH_DIGITS);
      return null;
    }
    if (!(length >= LENGTH_DIGITS && length <= MAX_PACKET)) {
      throw new PacketError("Expected the length of a packet line");
    }
    if (this.#rest.byteLength < length) return undefined;
    const content = this.#rest.subarray(LENGTH_DIGITS, length);
    this.#rest = this.#rest.subarray(length);
    return content;
  }
}
