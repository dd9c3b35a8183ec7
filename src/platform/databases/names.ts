/** IDs, roles and passwords. @module */
import { Buffer } from "node:buffer";
import { formatVerifier, makeVerifier, SALT_BYTES } from "../../database/mod.ts";
import type { Random } from "../../lib/clock.ts";
import type { Foundation } from "../core/foundation.ts";
import type { SealedSecret, SecretBox } from "../core/secrets/mod.ts";
import type { BranchRecord, DatabaseRecord, SourceRecord } from "./records.ts";

const ID_BYTES = 8;
const ROLE_BYTES = 4;
/** 192 bits, which is 32 characters of base64url. */
const PASSWORD_BYTES = 24;

/** Returns a new ID for a branch or for storage. */
export const mintId = (random: Random): string => random(ID_BYTES).toHex();

/** Returns a new role name. The gateway finds the branch by the role. */
export const mintRole = (database: string, random: Random): string =>
  `${database}_${random(ROLE_BYTES).toHex()}`;

/** Returns the additional authenticated data for sealing a password. */
export const passwordPlace = (databaseId: string, branchId: string): string =>
  `database/${databaseId}/${branchId}`;

/** Returns a new branch, whose storage does not exist yet. */
export async function mintBranch(
  { random, box, now }: Pick<Foundation, "random" | "box" | "now">,
  database: Pick<DatabaseRecord, "id" | "name" | "engine">,
  wanted: Pick<BranchRecord, "name" | "parent"> & Partial<BranchRecord> & {
    readonly source: SourceRecord;
  },
): Promise<BranchRecord> {
  const id = mintId(random);
  const { source, ...given } = wanted;
  return {
    id,
    databaseId: database.id,
    role: mintRole(database.name, random),
    ...await mintPassword({ random, box }, passwordPlace(database.id, id)),
    storage: null,
    former: [],
    task: { target: { engine: database.engine, id: mintId(random) }, source, maker: null },
    failure: null,
    isFailing: false,
    gitBranch: null,
    recipe: null,
    madeFor: null,
    madeAt: null,
    migration: null,
    createdAt: now(),
    resetAt: null,
    expiresAt: null,
    ...given,
  };
}

async function mintPassword(
  { random, box }: { readonly random: Random; readonly box: SecretBox },
  place: string,
): Promise<{ readonly password: SealedSecret; readonly verifier: string }> {
  // The password needs no escaping in a URL.
  const text = Buffer.from(random(PASSWORD_BYTES)).toString("base64url");
  return {
    password: await box.seal(text, place),
    verifier: formatVerifier(makeVerifier(text, random(SALT_BYTES))),
  };
}
