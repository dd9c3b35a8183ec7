/** Delivers notifications by email. @module */
import { CHANNEL_ROWS } from "../../../../contract/channels.ts";
import { type AccountStore, FIRST_WORKSPACE } from "../../../accounts/mod.ts";
import type { Channel } from "../../delivery/channel.ts";
import type { AccountMails } from "./account_mails.ts";
import { composeMail } from "./compose_mail.ts";
import type { Mailer } from "./mailer.ts";
import { signUnsubscription } from "./unsubscribe_token.ts";

interface EmailChannelOptions {
  readonly mailer: Mailer;
  readonly accountMails: AccountMails;
  readonly accounts: Pick<AccountStore, "users" | "workspaces">;
  readonly publicOrigin: string;
  unsubscribeKey(): Promise<string>;
}

/** Path of the page that turns off emails of a category. */
export const UNSUBSCRIBE_PATH = "/unsubscribe";

export function createEmailChannel(options: EmailChannelOptions): Channel {
  const { mailer, accountMails, accounts, publicOrigin } = options;
  const workspaceName = async (id: string | null): Promise<string | null> => {
    const workspace = id === null ? undefined : await accounts.workspaces.find(id);
    return workspace === undefined || workspace.slug === FIRST_WORKSPACE ? null : workspace.name;
  };
  return {
    name: "email",
    digests: true,
    limits: CHANNEL_ROWS.email.limits,
    async receivers({ userId }, once) {
      const user = userId === null
        ? undefined
        : await once(`user/${userId}`, () => accounts.users.find(userId));
      return user === undefined || user.email === null ? [] : [{ id: user.id, host: "smtp" }];
    },
    async send({ id, receiverId, contents, total }) {
      const accountMail = await accountMails.send(mailer, { id, receiverId });
      if (accountMail !== undefined) {
        accountMails.note(accountMail);
        return accountMail;
      }
      const user = await accounts.users.find(receiverId);
      if (user === undefined || user.email === null) {
        return { type: "gone", reason: "The account has no email address" };
      }
      const { category, priority, workspaceId } = contents[0]!;
      const token = signUnsubscription(
        { userId: receiverId, category },
        await options.unsubscribeKey(),
      );
      const unsubscribeUrl = priority === "CRITICAL"
        ? null
        : `${publicOrigin}${UNSUBSCRIBE_PATH}/${token}`;
      const mail = composeMail(contents, {
        origin: publicOrigin,
        workspace: await workspaceName(workspaceId),
        unsubscribeUrl,
        total,
      });
      const outcome = await mailer.send({ to: user.email, messageId: id, ...mail });
      accountMails.note(outcome);
      return outcome;
    },
    nameOf: async (receiverId) => (await accounts.users.find(receiverId))?.email ?? undefined,
    onGivenUp: ({ receiverId }, reason) => accountMails.givenUp(receiverId, reason),
    close: () => mailer.close(),
  };
}
