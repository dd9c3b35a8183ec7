/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The browsers and devices that are signed in to the account, and its security events. */
import { EVENTS } from "../../contract/events.ts";
import type { SecurityEvent } from "../../contract/security.ts";
import type { Session, Tool } from "../../contract/accounts.ts";
import type { ListPart } from "../visit/long_list.ts";
import { Card, EndButton, MadeAndUsed, Moment } from "../layout/pieces.tsx";
import type { PageContext } from "../layout/page_context.ts";
import { Pager } from "../layout/board_pieces.tsx";
import { SettingsFrame } from "../layout/frames.tsx";
import { showSettings } from "../layout/show_board.ts";

function SessionItem({ session, csrf }: { readonly session: Session; readonly csrf: string }) {
  const { id, name, address, country, current, lastUsedAt, createdAt } = session;
  return (
    <li>
      <div class="what">
        <span>{name} {current ? <span class="tag good">This browser</span> : null}</span>
        <span>
          <span class="mono">{address}</span>
          {country === null ? "" : `, ${country}`} · last used <Moment at={lastUsedAt} />
        </span>
        <span>
          Signed in <Moment at={createdAt} />
        </span>
      </div>
      {current ? null : (
        <EndButton
          action="/account/sessions/end"
          csrf={csrf}
          word="Sign out"
          what={`the session of ${name}`}
          hidden={{ id }}
          asks={false}
        />
      )}
    </li>
  );
}

function ToolItem({ tool, csrf }: { readonly tool: Tool; readonly csrf: string }) {
  const { id, name, prefix, workspace, address, lastUsedAt, createdAt } = tool;
  return (
    <li>
      <div class="what">
        <span>
          {name} <span class="tag">{workspace}</span>
        </span>
        <span>
          <span class="mono">{prefix}…</span> from <span class="mono">{address}</span>
        </span>
        <MadeAndUsed word="Connected" createdAt={createdAt} lastUsedAt={lastUsedAt} />
      </div>
      <EndButton
        action="/account/tools/revoke"
        csrf={csrf}
        word="Revoke"
        what={`the token of ${name} for ${workspace}`}
        hidden={{ id }}
      />
    </li>
  );
}

export function sessionsPage(context: PageContext, shown: {
  readonly sessions: ListPart<Session>;
  readonly tools: ListPart<Tool>;
}): Response {
  const { csrf, path } = context;
  const { sessions, tools } = shown;
  return showSettings(
    <SettingsFrame
      title="Sessions and devices"
      lead="Devices and tools signed in to your account. Sign out any you don't recognize."
      context={context}
    >
      <Card title="Browsers" id="sessions">
        <ul class="items">
          {sessions.items.map((session) => (
            <SessionItem key={session.id} session={session} csrf={csrf} />
          ))}
        </ul>
      </Card>
      <Pager {...sessions} path={path} name="sessions" />
      <Card
        title="Tools"
        id="tools"
        lead="CLIs and apps that you have connected. Each has its own token."
      >
        {tools.items.length === 0
          ? (
            <div class="body">
              <p class="soft">None yet. On your machine, run:</p>
              <pre class="terminal">svc login</pre>
            </div>
          )
          : (
            <ul class="items">
              {tools.items.map((tool) => <ToolItem key={tool.id} tool={tool} csrf={csrf} />)}
            </ul>
          )}
      </Card>
      <Pager {...tools} path={path} name="tools" />
    </SettingsFrame>,
    { title: "Sessions and devices" },
  );
}

export function activityPage(context: PageContext, events: ListPart<SecurityEvent>): Response {
  return showSettings(
    <SettingsFrame
      title="Activity"
      lead="Recent security events"
      context={context}
    >
      <section class="card" aria-label="Events">
        <ol class="items">
          {events.items.map(({ event, detail, at, address, country }) => (
            <li>
              <div class="what">
                <span>
                  {EVENTS[event].title}
                  {event === "security.suspicious_activity"
                    ? <span class="tag">Suspicious</span>
                    : null}
                </span>
                <span>{detail}</span>
                <span>
                  <Moment at={at} /> from <span class="mono">{address}</span>
                  {country === null ? "" : `, ${country}`}
                </span>
              </div>
            </li>
          ))}
        </ol>
      </section>
      <Pager {...events} path={context.path} />
    </SettingsFrame>,
    { title: "Activity" },
  );
}
