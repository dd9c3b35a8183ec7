/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The checkboxes for the permissions and projects of keys and trusted publishers. */
import { type Permission, PERMISSION_NAMES, PERMISSIONS } from "../../contract/permissions.ts";

export interface Grant {
  readonly permissions: readonly string[];
  /** Project IDs; `null` for all projects in the workspace. */
  readonly projects: readonly string[] | null;
}

/** The available permissions and projects. */
export interface GrantChoices {
  readonly projects: readonly { readonly id: string; readonly name: string }[];
  /** Whether the workspace has more projects than the page shows. */
  readonly hasMore: boolean;
}

function Box({ id, type = "checkbox", name, value, checked, title, note }: {
  readonly id: string;
  readonly type?: "checkbox" | "radio";
  readonly name: string;
  readonly value: string;
  readonly checked: boolean;
  readonly title: string;
  readonly note?: string;
}) {
  return (
    <label class="choice" for={id}>
      <input id={id} type={type} name={name} value={value} checked={checked} />
      <span>
        <strong>{title}</strong>
        {note === undefined ? null : <span class="soft small">{note}</span>}
      </span>
    </label>
  );
}

export function PermissionFields(
  { chosen, offered = PERMISSION_NAMES }: {
    readonly chosen: Grant["permissions"];
    readonly offered?: readonly Permission[];
  },
) {
  return (
    <fieldset class="choices">
      <legend>Permissions</legend>
      {offered.map((name) => (
        <Box
          key={name}
          id={`may-${name}`}
          name="permissions"
          value={name}
          checked={chosen.includes(name)}
          title={name}
          note={PERMISSIONS[name]}
        />
      ))}
    </fieldset>
  );
}

/** Shows a choice between all projects and selected ones. */
export function ProjectFields({ chosen, choices: { projects, hasMore } }: {
  readonly chosen: Grant["projects"];
  readonly choices: GrantChoices;
}) {
  const shown = new Set(projects.map(({ id }) => id));
  const others = (chosen ?? []).filter((id) => !shown.has(id)).map((id) => ({ id, name: id }));
  return (
    <fieldset class="choices">
      <legend>Projects</legend>
      <Box
        id="reach-all"
        type="radio"
        name="reach"
        value="all"
        checked={chosen === null}
        title="All projects in the workspace"
      />
      <Box
        id="reach-some"
        type="radio"
        name="reach"
        value="some"
        checked={chosen !== null}
        title="Only these projects"
      />
      {[...projects, ...others].map(({ id, name }) => (
        <Box
          key={id}
          id={`project-${id}`}
          name="projects"
          value={id}
          checked={chosen?.includes(id) === true}
          title={name}
        />
      ))}
      {hasMore
        ? (
          <p class="soft small">
            More projects: <code>svc keys create --project</code>
          </p>
        )
        : null}
    </fieldset>
  );
}
