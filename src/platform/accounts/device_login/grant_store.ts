/** Device authorizations in Deno KV, found by the hash of the device code or user code. @module */
import { DEVICE_CODE_SECONDS } from "../../../contract/device.ts";
import { type AccessTokenRecord, accessTokens } from "../credentials/credential.ts";
import { commitWithRetries, RecordType, Table } from "../../core/store/mod.ts";
import { REMEMBER_EXPIRED_MS } from "./device_grant.ts";
import { type DeviceGrant, deviceGrant } from "./types.ts";
import type { RecordKey, RecordStore } from "../../../store/mod.ts";

const userCodeKey = (hash: string): RecordKey => ["device_grant_by_user_code", hash];

/** How long the store keeps a grant, in milliseconds. After that, the grant's code is unknown. */
const KEEP_MS = DEVICE_CODE_SECONDS * 1000 + REMEMBER_EXPIRED_MS;

export interface GrantChange<T> {
  /** The grant to store, or the same object as before if nothing has changed. */
  readonly next: DeviceGrant | undefined;
  /** A token to store in the same commit. */
  readonly token?: AccessTokenRecord;
  readonly result: T;
}

const grants = new RecordType({
  root: ["device_grants"],
  schema: deviceGrant,
  parts: ({ deviceHash }) => [deviceHash],
  indices: {
    userCode: {
      entries: ({ userHash }) => [userCodeKey(userHash)],
      holds: "id",
      unique: true,
    },
  },
  expireIn: KEEP_MS,
});

export class GrantStore extends Table<DeviceGrant, readonly [string], "userCode"> {
  constructor(kv: RecordStore) {
    super(kv, grants);
  }

  async findByUserCode(userHash: string): Promise<DeviceGrant | undefined> {
    return await this.findBy("userCode", userCodeKey(userHash));
  }

  /** Changes a grant in one commit. Concurrent changes see each other's result. */
  async change<T>(
    deviceHash: string,
    decide: (grant: DeviceGrant | undefined) => GrantChange<T> | Promise<GrantChange<T>>,
  ): Promise<T> {
    return await commitWithRetries(this.kv, [grants.key(deviceHash)], async (operation) => {
      const current = await this.read(deviceHash);
      const { next, token, result } = await decide(current?.value);
      if (current === undefined || next === undefined || next === current.value) return result;
      grants.replace(operation, current, next);
      if (token !== undefined) accessTokens.insert(operation, token);
      return result;
    });
  }
}
