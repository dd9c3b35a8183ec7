/**
 * Who is calling: the result of authentication that handlers work with.
 *
 * @module
 */
import type { Workspace } from "../../contract/mod.ts";

export type Role = Workspace["role"];

export interface Caller {
  readonly user: { readonly id: string; readonly name: string; readonly email: string | null };
  readonly workspace: {
    readonly id: string;
    readonly slug: string;
    readonly name: string;
    readonly role: Role;
  };
  readonly apiKey: {
    readonly id: string;
    readonly name: string;
    readonly prefix: string;
    readonly createdAt: string;
  };
}
