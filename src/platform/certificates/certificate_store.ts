/**
 * Certificates and ACME accounts in Deno KV. Private keys are sealed.
 *
 * @module
 */
import * as z from "zod";
import { keys, RecordType, Table } from "../core/store/mod.ts";
import { type SealedSecret, sealedSecret, type SecretBox } from "../core/secrets/mod.ts";
import { type CertificateRecord, certificateRecord, type KeyPair } from "./certificate.ts";
import type { Lease, RecordKey, RecordStore } from "../../store/mod.ts";

const accountRecord = z.object({ directoryUrl: z.string(), key: sealedSecret });

const keyPlace = (hostname: string): string => `certificate/${hostname}`;
const accountPlace = (directoryUrl: string): string => `acme-account/${directoryUrl}`;

const certificates = new RecordType({
  root: keys.certificates(),
  schema: certificateRecord,
  parts: ({ hostname }) => [hostname],
});

const accounts = new RecordType({
  root: keys.acmeAccounts(),
  schema: accountRecord,
  parts: ({ directoryUrl }) => [directoryUrl],
});

export class CertificateStore extends Table<CertificateRecord, readonly [string]> {
  readonly #accounts;
  readonly #box: SecretBox;

  constructor(kv: RecordStore, box: SecretBox) {
    super(kv, certificates);
    this.#accounts = new Table(kv, accounts);
    this.#box = box;
  }

  /** Finds the hosts whose certificate records have changed. */
  hostnamesOf(changed: readonly RecordKey[]): string[] {
    const [name] = keys.certificates();
    return changed.filter((key) => key[0] === name).map((key) => String(key[1]));
  }

  async put(record: CertificateRecord, lease?: Lease): Promise<void> {
    await this.kv.atomic().set(keys.certificate(record.hostname), record).commit(lease);
  }

  async delete(hostname: string, lease?: Lease): Promise<void> {
    await this.kv.atomic().delete(keys.certificate(hostname)).commit(lease);
  }

  seal(hostname: string, key: string) {
    return this.#box.seal(key, keyPlace(hostname));
  }

  /** @throws {SecretDamagedError} if the private key cannot be decrypted. */
  async open({ hostname, issued }: CertificateRecord): Promise<KeyPair | undefined> {
    if (issued === null) return undefined;
    return { cert: issued.chain, key: await this.#box.open(issued.key, keyPlace(hostname)) };
  }

  /**
   * Seals every private key with the data directory's current key. Returns how many were changed.
   */
  async reseal(): Promise<number> {
    const again = async (sealed: SealedSecret, place: string) =>
      await this.#box.seal(await this.#box.open(sealed, place), place);
    const resealed = await this.rewrite(async (record) => {
      const { issued, hostname } = record;
      if (issued === null || this.#box.isCurrent(issued.key)) return record;
      return { ...record, issued: { ...issued, key: await again(issued.key, keyPlace(hostname)) } };
    });
    return resealed + await this.#accounts.rewrite(async (record) => {
      const { directoryUrl, key } = record;
      if (this.#box.isCurrent(key)) return record;
      return { directoryUrl, key: await again(key, accountPlace(directoryUrl)) };
    });
  }

  /**
   * Returns the private key of the account at a certificate authority, and creates it if missing.
   */
  async accountKey(
    directoryUrl: string,
    make: () => Promise<string>,
    lease?: Lease,
  ): Promise<string> {
    const place = accountPlace(directoryUrl);
    const known = await this.#accounts.find(directoryUrl);
    if (known !== undefined) return this.#box.open(known.key, place);
    const made = await make();
    const operation = this.kv.atomic();
    accounts.insert(operation, { directoryUrl, key: await this.#box.seal(made, place) });
    await operation.commit(lease);
    return made;
  }
}
