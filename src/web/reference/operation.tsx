/** @jsxRuntime automatic */
/** @jsxImportSource hono/jsx */
/** @module Shows an API operation: its request and responses. */
import {
  alternatives,
  type Components,
  type ParameterNode,
  resolve,
  type SchemaNode,
  typeText,
} from "../../contract/openapi.ts";
import type { Content } from "../../contract/openapi/operations_of.ts";
import { raw } from "hono/html";
import { highlightCode } from "../docs/highlight_code.ts";
import { commandLineOf, curlSample } from "./call_samples.ts";
import type { Reference, ReferenceOperation } from "./read_reference.ts";

export function Verb({ method, path }: { readonly method: string; readonly path: string }) {
  return (
    <>
      <span class={`verb ${method.toLowerCase()}`}>{method}</span>
      <code>{path}</code>
    </>
  );
}

/** Shows a description, with text between backticks as code. */
function Prose({ text }: { readonly text: string }) {
  return (
    <>
      {text.split("`").map((part, index) =>
        index % 2 === 1 ? <code key={index}>{part}</code> : part
      )}
    </>
  );
}

function Field({ name, type, isRequired, description }: {
  readonly name: string;
  readonly type: string;
  readonly isRequired: boolean;
  readonly description: string | undefined;
}) {
  return (
    <div>
      <dt>
        <code>{name}</code>
        {isRequired ? <span class="tag care">required</span> : null}
      </dt>
      <dd>
        <span class="type">{type}</span>
        <Prose text={description ?? ""} />
      </dd>
    </div>
  );
}

function Fields({ schema, schemas, isAnswer }: {
  readonly schema: SchemaNode;
  readonly schemas: Components;
  /** Whether the fields belong to a response. Response fields are never marked as required. */
  readonly isAnswer: boolean;
}) {
  const whole = resolve(schema, schemas);
  const choices = alternatives(whole);
  if (choices.length > 0) {
    return (
      <>
        {choices.map((each, index) => (
          <Fields key={index} schema={each} schemas={schemas} isAnswer={isAnswer} />
        ))}
      </>
    );
  }
  const properties = Object.entries(whole.properties ?? {});
  if (properties.length === 0) return <p class="soft">{whole.description ?? typeText(whole)}</p>;
  return (
    <dl class="fields">
      {properties.map(([name, property]) => (
        <Field
          key={name}
          name={name}
          type={typeText(property)}
          isRequired={!isAnswer && (whole.required?.includes(name) ?? false)}
          description={property.description ?? resolve(property, schemas).description}
        />
      ))}
    </dl>
  );
}

function Parameters({ parameters }: { readonly parameters: readonly ParameterNode[] }) {
  if (parameters.length === 0) return null;
  return (
    <section>
      <h3>Parameters</h3>
      <dl class="fields">
        {parameters.map((each) => (
          <Field
            key={`${each.in} ${each.name}`}
            name={each.name}
            type={`${each.in}, ${typeText(each.schema ?? {})}`}
            isRequired={each.required === true}
            description={each.description}
          />
        ))}
      </dl>
    </section>
  );
}

function Example({ value, label }: { readonly value: unknown; readonly label: string }) {
  if (value === undefined) return null;
  return (
    <details>
      <summary>{label}</summary>
      <pre class="terminal" tabindex={0}>{JSON.stringify(value, null, 2)}</pre>
    </details>
  );
}

function Body({ title, content, schemas, isAnswer }: {
  readonly title: string;
  readonly content: Content;
  readonly schemas: Components;
  readonly isAnswer: boolean;
}) {
  const [type, media] = Object.entries(content)[0] ?? [];
  if (media?.schema === undefined) return null;
  return (
    <section>
      <h3>{title}</h3>
      <p class="soft">
        <code>{type}</code>
        {media.schema.$ref === undefined ? null : <>, {typeText(media.schema)}</>}
      </p>
      <Fields schema={media.schema} schemas={schemas} isAnswer={isAnswer} />
      <Example
        value={media.example}
        label={isAnswer ? "Example response" : "Example body"}
      />
    </section>
  );
}

/** Shows the call as command lines, with example values. */
function Samples({ call }: { readonly call: ReferenceOperation }) {
  const command = commandLineOf(call.operation.operationId);
  return (
    <section>
      <h3>Example</h3>
      <pre class="terminal" tabindex={0}>{raw(highlightCode(curlSample(call), "sh"))}</pre>
      {command === undefined ? null : (
        <>
          <p class="soft">With the CLI:</p>
          <pre class="terminal" tabindex={0}>{raw(highlightCode(command, "sh"))}</pre>
        </>
      )}
    </section>
  );
}

export function Operation({ method, path, operation, reference }: ReferenceOperation & {
  readonly reference: Reference;
}) {
  const { schemas, responses } = reference;
  const answers = Object.entries(operation.responses);
  const refusals = answers.filter(([, { $ref }]) => $ref !== undefined);
  return (
    <article class="card" id={operation.operationId}>
      <header>
        <h2>{operation.summary}</h2>
        <p class="call">
          <Verb method={method} path={path} />
        </p>
      </header>
      <div class="body">
        <p>
          <Prose text={operation.description} />
        </p>
        <Samples call={{ method, path, operation }} />
        <Parameters parameters={operation.parameters ?? []} />
        {operation.requestBody === undefined ? null : (
          <Body
            title="Body"
            content={operation.requestBody.content}
            schemas={schemas}
            isAnswer={false}
          />
        )}
        {answers.filter(([, { $ref }]) => $ref === undefined).map(([status, answer]) =>
          answer.content === undefined
            ? (
              <section key={status}>
                <h3>Response {status}</h3>
                <p class="soft">{answer.description}</p>
              </section>
            )
            : (
              <Body
                key={status}
                title={`Response ${status}`}
                content={answer.content}
                schemas={schemas}
                isAnswer
              />
            )
        )}
        <section>
          <h3>Errors</h3>
          <dl class="fields">
            {refusals.map(([status, { $ref = "" }]) => (
              <div key={status}>
                <dt>
                  <code>{status}</code>
                </dt>
                <dd>{responses[$ref.slice($ref.lastIndexOf("/") + 1)]?.description}</dd>
              </div>
            ))}
          </dl>
        </section>
      </div>
    </article>
  );
}
