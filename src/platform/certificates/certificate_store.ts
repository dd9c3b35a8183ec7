/**
 * Certificates and ACME accounts in Deno KV. Private keys are sealed.
 *
 * @module
 */
import * as z from "zod";
import { keys, readAll, readRecord } from "../core/store/mod.ts";
import { sealedSecret, type SecretBox } from "../core/secrets/mod.ts";
import { type CertificateRecord, certificateRecord, type KeyPair } from "./certificate.ts";
import type { Lease, RecordKey, RecordStore } from "../../store/mod.ts";

const accountRecord = z.object({ directoryUrl: z.string(), key: sealedSecret });

const keyPlace = (hostname: string): string => `certificate/${hostname}`;
const accountPlace = (directoryUrl: string): string => `acme-account/${directoryUrl}`;

export class CertificateStore {
  readonly #kv: RecordStore;
  readonly #box: SecretBox;

  constructor(kv: RecordStore, box: SecretBox) {
    this.#kv = kv;
    this.#box = box;
  }

  async *all(): AsyncGenerator<CertificateRecord> {
    for await (const { value } of readAll(this.#kv, keys.certificates(), certificateRecord)) {
      yield value;
    }
  }

  async find(hostname: string): Promise<CertificateRecord | undefined> {
    return (await readRecord(this.#kv, keys.certificate(hostname), certificateRecord))?.value;
  }

  /** The hosts whose certificates are among changed keys. */
  hostnamesOf(changed: readonly RecordKey[]): string[] {
    const [name] = keys.certificates();
    return changed.filter((key) => key[0] === name).map((key) => String(key[1]));
  }

  async put(record: CertificateRecord, lease?: Lease): Promise<void> {
    await this.#kv.atomic().set(keys.certificate(record.hostname), record).commit(lease);
  }

  async delete(hostname: string, lease?: Lease): Promise<void> {
    await this.#kv.atomic().delete(keys.certificate(hostname)).commit(lease);
  }

  seal(hostname: string, key: string) {
    return this.#box.seal(key, keyPlace(hostname));
  }

  /** @throws {SecretDamagedError} where the private key cannot be decrypted. */
  async open({ hostname, issued }: CertificateRecord): Promise<KeyPair | undefined> {
    if (issued === null) return undefined;
    return { cert: issued.chain, key: await this.#box.open(issued.key, keyPlace(hostname)) };
  }

  /** Seals every private key with the data directory's current key; returns how many it sealed. */
  async reseal(): Promise<number> {
    let count = 0;
    for await (const record of this.all()) {
      if (record.issued === null || this.#box.isCurrent(record.issued.key)) continue;
      const key = await this.#box.open(record.issued.key, keyPlace(record.hostname));
      const sealed = await this.seal(record.hostname, key);
      await this.put({ ...record, issued: { ...record.issued, key: sealed } });
      count++;
    }
    for await (const { key, value } of readAll(this.#kv, keys.acmeAccounts(), accountRecord)) {
      if (this.#box.isCurrent(value.key)) continue;
      const place = accountPlace(value.directoryUrl);
      const sealed = await this.#box.seal(await this.#box.open(value.key, place), place);
      await this.#kv.set(key, { ...value, key: sealed });
      count++;
    }
    return count;
  }

  /** The private key of the account at a certificate authority, created if there is none. */
  async accountKey(
    directoryUrl: string,
    make: () => Promise<string>,
    lease?: Lease,
  ): Promise<string> {
    const key = keys.acmeAccount(directoryUrl);
    const place = accountPlace(directoryUrl);
    const known = await readRecord(this.#kv, key, accountRecord);
    if (known !== undefined) return this.#box.open(known.value.key, place);
    const made = await make();
    const record = { directoryUrl, key: await this.#box.seal(made, place) };
    await this.#kv.atomic().set(key, record).commit(lease);
    return made;
  }
}
