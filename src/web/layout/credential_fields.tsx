/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module The fields shared by account forms, marked up for password managers. */
import { PASSWORD_MAX, PASSWORD_MIN } from "../../contract/accounts.ts";
import type { FormState } from "./form.ts";
import { Field, type FieldProps } from "./pieces.tsx";

/** Shows the field for the email address with which a person signs in. */
export function EmailField(
  { state, ...rest }: Pick<FieldProps, "state" | "maxlength" | "focus">,
) {
  return (
    <Field
      label="Email address"
      name="email"
      type="email"
      state={state}
      autocomplete="username"
      {...rest}
    />
  );
}

/**
 * Shows the field for a new password. Use `brief` in settings, where this field is next to the one
 * for the current password.
 */
export function NewPassword({ state, name = "password", brief = false }: {
  readonly state: FormState;
  readonly name?: string;
  readonly brief?: boolean;
}) {
  const hint = `At least ${PASSWORD_MIN} characters`;
  return (
    <Field
      label={brief ? "New password" : "Password"}
      name={name}
      type="password"
      state={state}
      autocomplete="new-password"
      minlength={PASSWORD_MIN}
      maxlength={PASSWORD_MAX}
      hint={brief ? hint : `${hint}. A few random words work well.`}
    />
  );
}
