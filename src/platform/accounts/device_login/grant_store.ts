/**
 * Device authorizations in Deno KV, found by the hash of either code.
 *
 * @module
 */
import * as z from "zod";
import { DEVICE_CODE_SECONDS } from "../../../contract/device.ts";
import type { AccessTokenRecord } from "../credentials/credential.ts";
import { addAccessToken } from "../credentials/credential_store.ts";
import { commitWithRetries, readRecord } from "../../core/store/mod.ts";
import { REMEMBER_EXPIRED_MS } from "./device_grant.ts";
import { type DeviceGrant, deviceGrant } from "./types.ts";
import type { RecordKey, RecordStore } from "../../../store/mod.ts";

const grantKeys = {
  byDevice: (hash: string): RecordKey => ["device_grants", hash],
  byUser: (hash: string): RecordKey => ["device_grant_by_user_code", hash],
};

/** The store drops a grant once its code would be reported as unknown. */
const KEEP_MS = DEVICE_CODE_SECONDS * 1000 + REMEMBER_EXPIRED_MS;

export interface GrantChange<T> {
  /** The grant to store; the same object as before where nothing changed. */
  readonly next: DeviceGrant | undefined;
  /** A token that is stored in the same commit. */
  readonly token?: AccessTokenRecord;
  readonly result: T;
}

export class GrantStore {
  readonly #kv: RecordStore;

  constructor(kv: RecordStore) {
    this.#kv = kv;
  }

  /** Stores a new grant; false where the user code is in use. */
  async add(grant: DeviceGrant): Promise<boolean> {
    const byUser = grantKeys.byUser(grant.userHash);
    const result = await this.#kv.atomic()
      .check({ key: byUser, versionstamp: null })
      .set(byUser, grant.deviceHash, { expireIn: KEEP_MS })
      .set(grantKeys.byDevice(grant.deviceHash), grant, { expireIn: KEEP_MS })
      .commit();
    return result.ok;
  }

  async find(deviceHash: string): Promise<DeviceGrant | undefined> {
    return (await readRecord(this.#kv, grantKeys.byDevice(deviceHash), deviceGrant))?.value;
  }

  async findByUserCode(userHash: string): Promise<DeviceGrant | undefined> {
    const deviceHash = await readRecord(this.#kv, grantKeys.byUser(userHash), z.string());
    if (deviceHash === undefined) return undefined;
    return await this.find(deviceHash.value);
  }

  /** Changes a grant in one commit. Concurrent changes see each other's result. */
  async change<T>(
    deviceHash: string,
    decide: (grant: DeviceGrant | undefined) => GrantChange<T> | Promise<GrantChange<T>>,
  ): Promise<T> {
    const key = grantKeys.byDevice(deviceHash);
    const committed = await commitWithRetries(this.#kv, [key], async () => {
      const current = await readRecord(this.#kv, key, deviceGrant);
      const { next, token, result } = await decide(current?.value);
      const operation = this.#kv.atomic();
      if (current === undefined || next === undefined || next === current.value) {
        return { operation, result };
      }
      operation
        .check({ key, versionstamp: current.versionstamp })
        .set(key, next, { expireIn: KEEP_MS });
      if (token !== undefined) addAccessToken(operation, token);
      return { operation, result };
    });
    return committed.result;
  }
}
