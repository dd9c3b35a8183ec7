/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * Which notifications a person wants, and over which channels.
 *
 * @module
 */
import {
  type CategoryPreferences,
  CHANNELS,
  type NotificationPreferences,
  PRIORITIES,
} from "../../contract/mod.ts";
import {
  Card,
  Form,
  type FormState,
  type PageContext,
  SettingsFrame,
  showPage,
  Trouble,
} from "../layout/mod.ts";

const CHANNEL_NAMES: Readonly<Record<(typeof CHANNELS)[number], string>> = {
  email: "Email",
  in_app: "In-app",
  messenger: "Messenger",
  push: "Browser push",
};

const MEANINGS: Readonly<Record<(typeof PRIORITIES)[number], string>> = {
  CRITICAL: "Only what is critical",
  HIGH: "High and critical",
  NORMAL: "All but what is low",
  LOW: "Everything",
};

function TimeField({ id, label, name, value, hint }: {
  readonly id: string;
  readonly label: string;
  readonly name: string;
  readonly value: string | undefined;
  readonly hint?: string;
}) {
  return (
    <div class="field">
      <label for={id}>{label}</label>
      <input
        id={id}
        name={name}
        type="time"
        value={value ?? ""}
        autocomplete="off"
        aria-describedby={hint === undefined ? undefined : `${id}-hint`}
      />
      {hint === undefined ? null : <p class="hint" id={`${id}-hint`}>{hint}</p>}
    </div>
  );
}

function CategoryCard({ preferences, csrf, state }: {
  readonly preferences: CategoryPreferences;
  readonly csrf: string;
  readonly state: FormState | undefined;
}) {
  const { category, channels, minimumPriority, quietHours } = preferences;
  const id = category.toLowerCase();
  return (
    <Card title={category} id={id}>
      <div class="body">
        {state === undefined ? null : <Trouble state={state} />}
        <Form action="/notifications/preferences" csrf={csrf} hidden={{ category }}>
          <fieldset class="choices across">
            <legend>Channels</legend>
            {CHANNELS.map((channel) => (
              <label key={channel} class="choice" for={`${id}-${channel}`}>
                <input
                  id={`${id}-${channel}`}
                  name={channel}
                  type="checkbox"
                  autocomplete="off"
                  checked={channels[channel]}
                />
                <span>{CHANNEL_NAMES[channel]}</span>
              </label>
            ))}
          </fieldset>
          <div class="field">
            <label for={`${id}-minimum`}>Least urgent</label>
            <select id={`${id}-minimum`} name="minimumPriority" autocomplete="off">
              {PRIORITIES.map((priority) => (
                <option key={priority} value={priority} selected={priority === minimumPriority}>
                  {MEANINGS[priority]}
                </option>
              ))}
            </select>
          </div>
          <TimeField
            id={`${id}-start`}
            label="Quiet from, in UTC"
            name="start"
            value={quietHours?.start}
          />
          <TimeField
            id={`${id}-end`}
            label="Quiet until, in UTC"
            name="end"
            value={quietHours?.end}
            hint="Leave both empty for no quiet hours. An end before the start is on the next day."
          />
          <div>
            <button type="submit">
              Save<span class="hush">{` ${category}`}</span>
            </button>
          </div>
        </Form>
      </div>
    </Card>
  );
}

export function preferencesPage(context: PageContext, shown: {
  readonly preferences: NotificationPreferences;
  /** What is wrong with the form of one category. */
  readonly refused?: { readonly category: string; readonly state: FormState } | undefined;
}): Response {
  const { preferences, refused } = shown;
  return showPage(
    <SettingsFrame
      title="What is sent"
      lead="Critical notifications take every channel, at any hour. In quiet hours the others come in-app; those of high priority also by messenger and push."
      context={context}
    >
      {preferences.categories.map((each) => (
        <CategoryCard
          key={each.category}
          preferences={each}
          csrf={context.csrf}
          state={refused?.category === each.category ? refused.state : undefined}
        />
      ))}
    </SettingsFrame>,
    { title: "What is sent", status: refused === undefined ? 200 : 400 },
  );
}
