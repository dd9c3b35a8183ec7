/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The pages for a workspace's webhooks, and for a single webhook with its deliveries. */
import { EVENT_CATEGORIES, EVENT_NAMES } from "../../contract/events.ts";
import type { ResponseOf } from "../../contract/endpoint.ts";
import type { endpoints } from "../../contract/endpoints.ts";
import { MAX_WEBHOOKS, type Webhook, type WebhookDelivery } from "../../contract/webhooks.ts";
import { webhooksPath } from "../layout/bar.tsx";
import { WorkspaceFrame } from "../layout/board_frame.tsx";
import { Ago, Empty, Name, Pager, SelectField, State, type Tone } from "../layout/board_pieces.tsx";
import { formPageFacts } from "../layout/document.tsx";
import { EMPTY, type FormPage } from "../layout/form.ts";
import type { BoardContext } from "../layout/page_context.ts";
import { Card, EndButton, Field, Form, Moment, Notice, Trouble } from "../layout/pieces.tsx";
import { showBoard } from "../layout/show_board.ts";

/** Describes the events that a webhook receives. */
function wantsText({ events, categories }: Webhook): string {
  const wanted = [...categories.map((name) => `all ${name} events`), ...events];
  return wanted.length === 0 ? "every event" : wanted.join(", ");
}

function EnabledMark({ webhook }: { readonly webhook: Webhook }) {
  return webhook.enabled
    ? <State tone="good">On</State>
    : <State tone={webhook.disabledReason === null ? "idle" : "bad"} past>Off</State>;
}

function WebhookRow({ webhook, context }: {
  readonly webhook: Webhook;
  readonly context: BoardContext;
}) {
  const { id, url, description, disabledReason, createdAt } = webhook;
  return (
    <li>
      <EnabledMark webhook={webhook} />
      <div class="main">
        <a class="whole" href={`${webhooksPath(context.workspace.slug)}/${id}`}>
          <Name text={url} />
        </a>
        {description === "" ? null : <span class="soft">{description}</span>}
        {disabledReason === null ? null : <span class="soft">{disabledReason}</span>}
        <span class="soft">{wantsText(webhook)}</span>
      </div>
      <Ago at={createdAt} now={context.now} />
    </li>
  );
}

function AddForm({ context, shown, chosen }: {
  readonly context: BoardContext;
  readonly shown: FormPage;
  /** The values of the checkboxes that are checked. */
  readonly chosen: readonly string[];
}) {
  const { state = EMPTY } = shown;
  const box = (name: "categories" | "events", value: string) => (
    <p class="check" key={value}>
      <input
        id={`${name}-${value}`}
        type="checkbox"
        name={name}
        value={value}
        checked={chosen.includes(value)}
      />
      <label for={`${name}-${value}`}>{value}</label>
    </p>
  );
  return (
    <Form action={webhooksPath(context.workspace.slug)} csrf={context.csrf} class="wide">
      <Field
        label="URL"
        name="url"
        type="url"
        state={state}
        autocomplete="off"
        maxlength={1000}
        hint="Each event is sent to this URL as a signed POST request."
      />
      <Field
        label="Description"
        name="description"
        state={state}
        autocomplete="off"
        maxlength={200}
        optional
      />
      <fieldset class="choices">
        <legend>Events (select none to receive every event)</legend>
        <div class="row">{EVENT_CATEGORIES.map((name) => box("categories", name))}</div>
        <details class="more">
          <summary>Single events</summary>
          {EVENT_NAMES.map((name) => box("events", name))}
        </details>
      </fieldset>
      <div>
        <button type="submit">Add webhook</button>
      </div>
    </Form>
  );
}

/** Shows a signing secret, which is shown only once. */
function SecretCard({ secret }: { readonly secret: string }) {
  return (
    <Card title="Signing secret" id="secret">
      <div class="body">
        <Notice kind="care">
          Copy it now. You won't see it again. Receivers use it to verify messages.
        </Notice>
        <code class="secret" id="webhook-secret">{secret}</code>
        <div class="actions">
          <button class="quiet" type="button" data-copy="webhook-secret">Copy secret</button>
        </div>
      </div>
    </Card>
  );
}

/** Renders a workspace's webhooks. */
export function webhooksPage(
  context: BoardContext,
  { webhooks, chosen = [], ...shown }: FormPage & {
    readonly webhooks: readonly Webhook[];
    readonly chosen?: readonly string[];
  },
): Response {
  return showBoard(
    <WorkspaceFrame
      context={context}
      here="webhooks"
      title="Webhooks"
      lead={
        <>
          Send this workspace's events to other services. <a href="/docs/webhooks">How to verify</a>
        </>
      }
    >
      <Card title="Endpoints" id="endpoints">
        {webhooks.length === 0
          ? (
            <Empty title="No webhooks yet" command="svc webhooks create https://example.com/hook">
              Add one below, or run:
            </Empty>
          )
          : (
            <ol class="rows">
              {webhooks.map((each) => (
                <WebhookRow
                  key={each.id}
                  webhook={each}
                  context={context}
                />
              ))}
            </ol>
          )}
      </Card>
      <Card
        title="Add a webhook"
        id="add"
        lead={`A workspace can have at most ${MAX_WEBHOOKS} webhooks.`}
      >
        <div class="body">
          <Trouble state={shown.state ?? EMPTY} />
          <AddForm context={context} shown={shown} chosen={chosen} />
        </div>
      </Card>
    </WorkspaceFrame>,
    formPageFacts("Webhooks", shown),
  );
}

const DELIVERY_STATES: Readonly<
  Record<
    WebhookDelivery["status"],
    { readonly tone: Tone; readonly word: string; moving?: boolean }
  >
> = {
  pending: { tone: "care", word: "Pending", moving: true },
  delivered: { tone: "good", word: "Delivered" },
  failed: { tone: "bad", word: "Failed" },
};

/** Formats JSON with line breaks. Leaves other text unchanged. */
function prettyText(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}

function Attempt({ attempt, place }: {
  readonly attempt: WebhookDelivery["attempts"][number];
  readonly place: number;
}) {
  const { at, durationMs, detail, response } = attempt;
  return (
    <li class="stack">
      <span class="dots soft">
        <span>{`Attempt ${place}: ${detail}`}</span>
        <span>{`${durationMs} ms`}</span>
        <Moment at={at} />
      </span>
      {response === null || response === ""
        ? null
        : <pre class="terminal" tabindex={0}>{response}</pre>}
    </li>
  );
}

function DeliveryRow({ delivery, path, context }: {
  readonly delivery: WebhookDelivery;
  readonly path: string;
  readonly context: BoardContext;
}) {
  const { id, event, messageId, status, attempts, createdAt, request } = delivery;
  const { word, ...shown } = DELIVERY_STATES[status];
  const last = attempts.at(-1);
  return (
    <li>
      <State {...shown}>{word}</State>
      <div class="main">
        <span class="mono">{event}</span>
        <span class="dots soft">
          {last === undefined ? null : <span>{last.detail}</span>}
          <span>{attempts.length === 1 ? "1 attempt" : `${attempts.length} attempts`}</span>
          <Ago at={createdAt} now={context.now} />
        </span>
        <details class="more">
          <summary>
            Request and responses<span class="hush">{` of ${event}, ${messageId}`}</span>
          </summary>
          <div class="stack">
            <span class="mono small soft">{messageId}</span>
            <pre class="terminal" tabindex={0}>{prettyText(request)}</pre>
            <ol class="stack">
              {attempts.map((each, index) => (
                <Attempt key={each.at} attempt={each} place={index + 1} />
              ))}
            </ol>
          </div>
        </details>
      </div>
      <div class="acts">
        <Form action={`${path}/replay`} csrf={context.csrf} hidden={{ delivery: id }}>
          <button class="quiet little" type="submit">
            Replay<span class="hush">{` ${event}, ${messageId}`}</span>
          </button>
        </Form>
      </div>
    </li>
  );
}

type TestResult = ResponseOf<typeof endpoints.testWebhook>;

function TestOutcome({ result }: { readonly result: TestResult }) {
  const { delivered, detail, durationMs, response } = result;
  return (
    <>
      <Notice kind={delivered ? "good" : "bad"}>
        {`${delivered ? "Delivered" : "Not delivered"} in ${durationMs} ms: ${detail}`}
      </Notice>
      {response === null || response === ""
        ? null
        : <pre class="terminal" tabindex={0}>{response}</pre>}
    </>
  );
}

function Acts({ webhook, path, context }: {
  readonly webhook: Webhook;
  readonly path: string;
  readonly context: BoardContext;
}) {
  const { csrf } = context;
  return (
    <div class="row">
      <Form action={`${path}/switch`} csrf={csrf} hidden={{ to: webhook.enabled ? "off" : "on" }}>
        <button class="quiet little" type="submit">
          {webhook.enabled ? "Turn off" : "Turn on"}
        </button>
      </Form>
      <Form action={`${path}/rotate`} csrf={csrf}>
        <button class="quiet little" type="submit">Rotate secret</button>
      </Form>
      <EndButton action={`${path}/delete`} csrf={csrf} word="Delete" what="this webhook" />
    </div>
  );
}

export function webhookPage(
  context: BoardContext,
  shown: FormPage & {
    readonly webhook: Webhook;
    readonly deliveries: readonly WebhookDelivery[];
    readonly cursor: string | null;
    readonly nextCursor: string | null;
    readonly secret?: string;
    readonly result?: TestResult & { readonly event: string };
  },
): Response {
  const { webhook, deliveries, secret, result, state = EMPTY } = shown;
  const path = `${webhooksPath(context.workspace.slug)}/${webhook.id}`;
  return showBoard(
    <WorkspaceFrame
      context={context}
      here="webhooks"
      title={webhook.description === "" ? new URL(webhook.url).host : webhook.description}
      lead={
        <>
          <a href={webhooksPath(context.workspace.slug)}>All webhooks</a>
          <span>
            <Name text={webhook.url} />
          </span>
        </>
      }
    >
      {secret === undefined ? null : <SecretCard secret={secret} />}
      <Card title="Endpoint" id="endpoint" lead={`Receives ${wantsText(webhook)}.`}>
        <div class="body">
          <Trouble state={state} />
          <EnabledMark webhook={webhook} />
          {webhook.disabledReason === null
            ? null
            : <Notice kind="care">{webhook.disabledReason}</Notice>}
          <Acts webhook={webhook} path={path} context={context} />
          <p class="hint">
            After a rotation, messages are signed with both secrets for 24 hours.
          </p>
        </div>
      </Card>
      <Card title="Send a test" id="test" lead="Sends a signed sample event once.">
        <div class="body">
          <Form action={`${path}/test#test`} csrf={context.csrf} class="line-form">
            <SelectField
              label="Event"
              name="event"
              values={EVENT_NAMES}
              chosen={result?.event ?? "deployment.live"}
            />
            <button type="submit">Send test</button>
          </Form>
          {result === undefined ? null : <TestOutcome result={result} />}
        </div>
      </Card>
      <Card
        title="Deliveries"
        id="deliveries"
        lead="Newest first. Responses are shown without the signing secret."
      >
        {deliveries.length === 0
          ? <Empty title="No deliveries yet">The next event appears here.</Empty>
          : (
            <ol class="rows">
              {deliveries.map((each) => (
                <DeliveryRow key={each.id} delivery={each} path={path} context={context} />
              ))}
            </ol>
          )}
      </Card>
      <Pager path={path} cursor={shown.cursor} nextCursor={shown.nextCursor} />
    </WorkspaceFrame>,
    formPageFacts("Webhook", shown),
  );
}
