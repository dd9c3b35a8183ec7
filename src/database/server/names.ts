/** @module Names of branches on a server, and SQL that uses them. */
import type { Branch } from "../types.ts";

const ID = /^[0-9a-f]{16}$/;

/** Returns the name of a branch's database, and of the role that owns it. */
export function serverName({ id }: Pick<Branch, "id">): string {
  if (!ID.test(id)) throw new TypeError(`Not a branch ID: ${id}`);
  return `svc_${id}`;
}

/** Returns the temporary name of a copy that is not complete. */
export const unfinishedName = (name: string): string => `${name}_new`;

export const quoteLiteral = (text: string): string =>
  `${text.includes("\\") ? " E" : ""}'${text.replaceAll("\\", "\\\\").replaceAll("'", "''")}'`;
