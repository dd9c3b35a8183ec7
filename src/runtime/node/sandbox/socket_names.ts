/** @module Socket addresses in the kernel's form (struct sockaddr). */
import { AF_UNIX } from "../../kernel/judge_connect.ts";

type Bytes = Uint8Array<ArrayBuffer>;

export function unixAddress(path: string): Bytes {
  const bytes = new TextEncoder().encode(path);
  const address = new Uint8Array(2 + bytes.byteLength + 1);
  address[0] = AF_UNIX;
  address.set(bytes, 2);
  return address;
}

/** Returns the path in a Unix address, or "" if the address has no path or has an abstract name. */
export function unixPath(address: Bytes): string {
  const rest = address.subarray(2);
  const end = rest.indexOf(0);
  return new TextDecoder().decode(end < 0 ? rest : rest.subarray(0, end));
}

/** Returns the family of an address. */
export const familyOf = (address: Bytes): number => address[0]! | address[1]! << 8;
