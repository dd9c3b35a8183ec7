/** Adds, lists and removes trusted publishers. @module */
import type { BodyOf } from "../../../contract/endpoint.ts";
import type { endpoints } from "../../../contract/endpoints.ts";
import {
  MAX_PUBLISHERS,
  type TrustedPublisher,
  USUAL_ISSUERS,
} from "../../../contract/publishers.ts";
import { uuidV7 } from "../../../lib/ids.ts";
import type { Caller } from "../../core/access/mod.ts";
import { type Client, Failure } from "../../core/http/mod.ts";
import type { Page, PageRange } from "../../core/store/mod.ts";
import type { AccountParts } from "../parts.ts";
import { describePublisher, type PublisherRecord, publisherToWire } from "./publisher.ts";

type NewPublisher = BodyOf<typeof endpoints.createPublisher>;

export class PublisherService {
  readonly #parts: AccountParts;
  readonly #options: { readonly allowPrivate: boolean };

  constructor(
    parts: AccountParts,
    /** Whether issuers may use `http:`. */
    options: { readonly allowPrivate: boolean },
  ) {
    this.#parts = parts;
    this.#options = options;
  }

  async add(caller: Caller, wanted: NewPublisher, client: Client): Promise<TrustedPublisher> {
    const { publishers, now, random, raise } = this.#parts;
    const issuer = wanted.issuer ?? USUAL_ISSUERS[wanted.provider];
    await this.#check(caller, { ...wanted, issuer });
    const record: PublisherRecord = {
      ...wanted,
      issuer,
      id: uuidV7(now, random),
      workspaceId: caller.workspace.id,
      userId: caller.user.id,
      repositoryId: null,
      createdAt: now(),
      lastUsedAt: null,
      lastSubject: null,
    };
    if (!await publishers.add(record)) {
      throw new Failure(
        "conflict",
        `Workspace "${caller.workspace.slug}" has the maximum of ${MAX_PUBLISHERS} trusted publishers: remove one first`,
      );
    }
    const may = record.permissions.join(", ");
    await this.#tell("added", record, { client, caller, rest: `: can ${may}`, raise });
    return publisherToWire(record);
  }

  async list(
    caller: Caller,
    range: PageRange,
  ): Promise<Page<TrustedPublisher>> {
    const { items, nextCursor } = await this.#parts.publishers.list(caller.workspace.id, range);
    return { items: items.map(publisherToWire), nextCursor };
  }

  async remove(caller: Caller, id: string, client: Client): Promise<TrustedPublisher> {
    const { publishers, credentials, memory, raise } = this.#parts;
    const record = await publishers.remove([caller.workspace.id, id]);
    if (record === undefined) {
      throw new Failure("not_found", `Trusted publisher ${id} does not exist`);
    }
    const ended = await credentials.removeOfPublisher(caller.workspace.id, id);
    for (const { hash } of ended) memory.forget(hash);
    await this.#tell("removed", record, { client, caller, rest: "", raise });
    return publisherToWire(record);
  }

  async #tell(what: "added" | "removed", record: PublisherRecord, { client, caller, rest, raise }: {
    readonly client: Client;
    readonly caller: Caller;
    readonly rest: string;
    readonly raise: AccountParts["raise"];
  }): Promise<void> {
    await raise({
      event: `security.publisher_${what}`,
      userId: caller.user.id,
      workspaceId: caller.workspace.id,
      detail: `Trusted publisher "${describePublisher(record)}" was ${what}${rest}`.slice(0, 500),
      client,
    });
  }

  /** @throws {Failure} if an issuer does not use HTTPS or a project does not exist */
  async #check(
    caller: Caller,
    { issuer, projects }: { readonly issuer: string; readonly projects: NewPublisher["projects"] },
  ): Promise<void> {
    if (!this.#options.allowPrivate && !issuer.startsWith("https:")) {
      throw new Failure("invalid_request", `Cannot trust ${issuer}: it does not use HTTPS`, {
        problems: [{ path: "body.issuer", message: "Must be an https URL" }],
      });
    }
    for (const id of projects ?? []) {
      if (await this.#parts.credentials.hasProject(caller.workspace.id, id)) continue;
      const { slug } = caller.workspace;
      throw new Failure("not_found", `Project "${id}" does not exist in workspace "${slug}"`);
    }
  }
}
