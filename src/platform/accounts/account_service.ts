/** Changes that people make to their own account: password, sessions, CLIs. @module */
import type { Account, Session, Tool } from "../../contract/accounts.ts";
import { type Client, Failure } from "../core/http/mod.ts";
import type { Page, PageRange } from "../core/store/mod.ts";
import { accountToWire, sessionToWire, toolToWire } from "./account_wire.ts";
import type { Person } from "../core/access/mod.ts";
import { isFresh } from "./sign_in/fresh_session.ts";
import type { AccountParts } from "./parts.ts";
import { reportWrongPasswords } from "./security_events.ts";

export class AccountService {
  readonly #parts: AccountParts;

  constructor(parts: AccountParts) {
    this.#parts = parts;
  }

  async show(person: Person): Promise<Account> {
    const { accounts, signIns } = this.#parts;
    const user = await accounts.users.find(person.user.id);
    if (user === undefined) throw new Failure("not_found", "Account does not exist");
    return accountToWire(user, await signIns.find(user.id));
  }

  /**
   * Returns whether the session is recent enough to replace the password check for an account that
   * has no password.
   */
  isFresh(person: Person): boolean {
    return isFresh(person, this.#parts.now());
  }

  /** @throws {Failure} `forbidden` if the current password is wrong. */
  async changePassword(
    person: Person,
    change: { readonly current: string; readonly next: string },
    client: Client,
  ): Promise<void> {
    const { signIns, passwords, limits, raise } = this.#parts;
    const { id, email } = person.user;
    const guess = await limits.begin("password", client, { subject: email ?? id, userId: id });
    const before = (await signIns.find(id)).password;
    if (before === null) {
      guess.succeed();
      throw new Failure(
        "conflict",
        "Cannot change the password: the account has no password yet. Add one first",
      );
    }
    if (!await passwords.matches(change.current, before)) {
      if (guess.fail()) await reportWrongPasswords(raise, { userId: id, client });
      throw new Failure("forbidden", "Password is wrong");
    }
    guess.succeed();
    const password = await passwords.hash(change.next);
    await signIns.change(id, (record) => {
      if (record.password?.hash === before.hash) return { ...record, password };
      throw new Failure("conflict", "Cannot change the password: it has just been changed");
    });
    await this.#endOtherSessions(person);
    await raise({
      event: "security.password_changed",
      userId: id,
      detail: "The password was changed. All other sessions were signed out",
      client,
    });
  }

  async sessions(person: Person, page: PageRange): Promise<Page<Session>> {
    const { credentials } = this.#parts;
    const { items, nextCursor } = await credentials.sessions.list(person.user.id, page);
    const currentId = person.credential.id;
    const shown = items.map(async (session) =>
      sessionToWire(session, { use: await credentials.lastUse(session.id), currentId })
    );
    return { items: await Promise.all(shown), nextCursor };
  }

  async revokeSession(person: Person, id: string): Promise<void> {
    const session = await this.#parts.credentials.removeSession(person.user.id, id);
    if (session === undefined) throw new Failure("not_found", `Session ${id} does not exist`);
    this.#parts.memory.forget(session.hash);
  }

  async tools(person: Person, page: PageRange): Promise<Page<Tool>> {
    const { credentials, accounts } = this.#parts;
    const { items, nextCursor } = await credentials.accessTokens.list(person.user.id, page);
    const shown = items.map(async (token) => {
      const [use, workspace] = await Promise.all([
        credentials.lastUse(token.id),
        accounts.workspaces.find(token.workspaceId),
      ]);
      return toolToWire(token, { use, workspace: workspace?.slug ?? "" });
    });
    return { items: await Promise.all(shown), nextCursor };
  }

  async revokeTool(person: Person, id: string): Promise<void> {
    const token = await this.#parts.credentials.removeAccessToken(person.user.id, id);
    if (token === undefined) throw new Failure("not_found", `Access token ${id} does not exist`);
    this.#parts.memory.forget(token.hash);
  }

  async #endOtherSessions(person: Person): Promise<void> {
    const { credentials, memory } = this.#parts;
    for (const session of await credentials.sessions.collect(person.user.id)) {
      if (session.id === person.credential.id) continue;
      await credentials.removeSession(person.user.id, session.id);
      memory.forget(session.hash);
    }
  }
}
