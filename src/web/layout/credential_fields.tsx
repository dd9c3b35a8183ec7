/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/**
 * The fields that forms about accounts share, so that password managers find
 * the same everywhere.
 *
 * @module
 */
import { PASSWORD_MAX, PASSWORD_MIN } from "../../contract/accounts.ts";
import type { FormState } from "./form.ts";
import { Field, type FieldProps } from "./pieces.tsx";

/** The address that someone signs in by. */
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

/** The field for a new password; `brief` in settings, next to the current one. */
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
