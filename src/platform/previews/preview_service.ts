/**
 * Changes who may visit a project's hosts, and creates the secrets that give visitors access.
 *
 * @module
 */
import { Buffer } from "node:buffer";
import type * as z from "zod";
import {
  MAX_SHARES,
  type PreviewAccess,
  type PreviewShare,
  type updatePreviewAccess,
} from "../../contract/previews.ts";
import { SHARE } from "../../edge/mod.ts";
import type { Clock, Random } from "../../lib/clock.ts";
import { sha256Hex } from "../../lib/hash.ts";
import { uuidV7 } from "../../lib/ids.ts";
import { parseCidr } from "../../rules/mod.ts";
import type { Passwords } from "../accounts/mod.ts";
import type { Caller } from "../core/access/mod.ts";
import type { Addresses } from "../core/addresses.ts";
import { Failure } from "../core/http/mod.ts";
import { commitWithRetries, keys, readRecord } from "../core/store/mod.ts";
import type { DeploymentRecord } from "../deployments/mod.ts";
import {
  newPreviewRecord,
  type PreviewRecord,
  previewRecord,
  type ProjectRecord,
  type ShareRecord,
} from "../projects/mod.ts";
import type { RecordStore } from "../../store/mod.ts";
import type { AccessTable } from "./access_table.ts";

const DAY_MS = 24 * 60 * 60 * 1000;
const SECRET_BYTES = 32;

type AccessChange = z.output<typeof updatePreviewAccess.body>;

interface PreviewServiceParts {
  readonly kv: RecordStore;
  readonly table: AccessTable;
  readonly passwords: Pick<Passwords, "hash">;
  readonly addresses: Addresses;
  readonly now: Clock;
  readonly random: Random;
}

export class PreviewService {
  readonly #parts: PreviewServiceParts;

  constructor(parts: PreviewServiceParts) {
    this.#parts = parts;
  }

  async read(project: ProjectRecord): Promise<PreviewAccess> {
    return accessToWire(project, await this.#record(project.id));
  }

  /** @throws {Failure} `invalid_request` for an invalid address. */
  async update(
    project: ProjectRecord,
    { password, maintenance, ...settings }: AccessChange,
  ): Promise<PreviewAccess> {
    const given = [...settings.allowCidrs ?? [], ...maintenance?.allowCidrs ?? []];
    const wrong = given.find((text) => parseCidr(text) === undefined);
    if (wrong !== undefined) {
      throw new Failure("invalid_request", `"${wrong}" is not an IP address or CIDR`, {
        problems: [{ path: "body.allowCidrs", message: "Must be IP addresses or CIDRs" }],
      });
    }
    const { passwords, now, random } = this.#parts;
    const changed = typeof password === "string"
      ? { password: { id: uuidV7(now, random), hash: await passwords.hash(password) } }
      : password === null
      ? { password }
      : {};
    const set = Object.fromEntries(
      Object.entries(settings).filter(([, value]) => value !== undefined),
    );
    return accessToWire(
      project,
      await this.#change(project.id, (record) => ({
        ...record,
        ...set,
        ...changed,
        ...maintenanceOf(record, maintenance, now()),
      })),
    );
  }

  /** Creates a bypass key. The previous key stops working. */
  async createBypassKey(project: ProjectRecord): Promise<string> {
    const key = `svcb_${this.#secret()}`;
    await this.#change(project.id, (record) => ({ ...record, bypassHash: sha256Hex(key) }));
    return key;
  }

  async deleteBypassKey(project: ProjectRecord): Promise<void> {
    await this.#change(project.id, (record) => ({ ...record, bypassHash: null }));
  }

  /** Creates a link to a deployment, or to its branch. */
  async share(
    deployment: DeploymentRecord,
    { scope, days, caller }: {
      readonly scope: "deployment" | "branch";
      readonly days: number;
      readonly caller: Caller;
    },
  ): Promise<PreviewShare & { readonly url: string }> {
    const { addresses, now, random } = this.#parts;
    const token = this.#secret();
    const isBranch = scope === "branch";
    const share: ShareRecord = {
      id: uuidV7(now, random),
      hash: sha256Hex(token),
      deploymentId: isBranch ? null : deployment.id,
      branch: isBranch ? { name: deployment.branch, label: deployment.branchLabel } : null,
      endsAt: now() + days * DAY_MS,
      createdAt: now(),
      createdBy: caller.user.name,
    };
    await this.#change(deployment.projectId, (record) => {
      const shares = record.shares.filter(({ endsAt }) => now() < endsAt);
      if (shares.length >= MAX_SHARES) {
        throw new Failure(
          "conflict",
          `The project already has ${MAX_SHARES} share links. Revoke one first`,
        );
      }
      return { ...record, shares: [share, ...shares] };
    });
    const label = isBranch ? deployment.branchLabel : deployment.uniqueLabel;
    const url = `${addresses.url(label)}/?${SHARE}=${token}`;
    return { ...shareToWire(share, deployment.projectName), url };
  }

  async shares(project: ProjectRecord): Promise<PreviewShare[]> {
    const { shares } = await this.#record(project.id);
    return shares.filter(({ endsAt }) => this.#parts.now() < endsAt)
      .map((share) => shareToWire(share, project.name));
  }

  /** Revokes a link and returns it. @throws {Failure} `not_found` */
  async revoke(project: ProjectRecord, id: string): Promise<PreviewShare> {
    const found = (await this.#record(project.id)).shares.find((share) => share.id === id);
    if (found === undefined) {
      throw new Failure("not_found", `Share link ${id} does not exist in "${project.name}"`);
    }
    await this.#change(project.id, (record) => ({
      ...record,
      shares: record.shares.filter((share) => share.id !== id),
    }));
    return shareToWire(found, project.name);
  }

  #secret(): string {
    return Buffer.from(this.#parts.random(SECRET_BYTES)).toString("base64url");
  }

  async #record(projectId: string): Promise<PreviewRecord> {
    const found = await readRecord(this.#parts.kv, keys.previewAccess(projectId), previewRecord);
    return found?.value ?? newPreviewRecord("off");
  }

  async #change(
    projectId: string,
    edit: (record: PreviewRecord) => PreviewRecord,
  ): Promise<PreviewRecord> {
    const { kv, table } = this.#parts;
    const key = keys.previewAccess(projectId);
    const result = await commitWithRetries(kv, [key], async (operation) => {
      const current = await readRecord(kv, key, previewRecord);
      const changed = edit(current?.value ?? newPreviewRecord("off"));
      operation.check({ key, versionstamp: current?.versionstamp ?? null }).set(key, changed);
      return changed;
    });
    await table.refresh(projectId);
    return result;
  }
}

/** Returns the requested maintenance. Maintenance in progress continues, with the new addresses. */
function maintenanceOf(
  { maintenance }: PreviewRecord,
  change: AccessChange["maintenance"],
  now: number,
): Partial<Pick<PreviewRecord, "maintenance">> {
  if (change === undefined) return {};
  if (change === null) return { maintenance: null };
  return { maintenance: { since: maintenance?.since ?? now, allowCidrs: change.allowCidrs } };
}

function accessToWire(project: ProjectRecord, record: PreviewRecord): PreviewAccess {
  const { protection, allowCidrs, exemptPaths, exemptOptions, password, bypassHash } = record;
  return {
    project: project.name,
    protection,
    allowCidrs,
    exemptPaths,
    exemptOptions,
    hasPassword: password !== null,
    hasBypassKey: bypassHash !== null,
    maintenance: record.maintenance === null ? null : {
      since: new Date(record.maintenance.since).toISOString(),
      allowCidrs: record.maintenance.allowCidrs,
    },
  };
}

const shareToWire = (share: ShareRecord, project: string): PreviewShare => ({
  id: share.id,
  project,
  deploymentId: share.deploymentId,
  branch: share.branch?.name ?? null,
  endsAt: new Date(share.endsAt).toISOString(),
  createdAt: new Date(share.createdAt).toISOString(),
  createdBy: share.createdBy,
});
