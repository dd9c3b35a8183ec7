/**
 * `context.database` in functions. Functions have no network access, so they send their statements
 * as requests to the platform.
 *
 * @module
 */
import * as z from "zod";
import { EngineError, type QueryErrorEvent, runStatement } from "../../database/mod.ts";
import { readLimited } from "../../lib/read_limited.ts";
import { messageOf } from "../../lib/error_message.ts";
import type { OutboundFetch, OutboundRequest } from "../../runtime/mod.ts";
import type { DatabaseDoor } from "./database_door.ts";
import type { DatabaseUser, DeploymentDatabases } from "./deployment_databases.ts";

/** Maximum length of a statement including its parameters, in bytes. */
const MAX_BYTES = 1024 * 1024;
const MAX_RESULT = 8 * 1024 * 1024;
const MAX_PARAMS = 65_535;

const statement = z.object({
  text: z.string().min(1),
  params: z.array(z.string().nullable()).max(MAX_PARAMS),
});

const encoder = new TextEncoder();

/** An error that a function gets instead of a result. */
interface Refusal {
  readonly error: string;
  readonly sqlState: string;
  readonly detail?: string | null;
}

const refusalOf = ({ message, sqlState, detail }: QueryErrorEvent): Refusal => ({
  error: message,
  sqlState,
  detail,
});

async function readText({ body }: OutboundRequest): Promise<string> {
  const bytes = await readLimited(body, MAX_BYTES);
  if (bytes !== undefined) return new TextDecoder().decode(bytes);
  throw new EngineError(`A statement can be at most ${MAX_BYTES} bytes`, "54000");
}

export function createDatabaseFetch(
  { databases, door, onTrouble }: {
    readonly databases: Pick<DeploymentDatabases, "accessFor">;
    readonly door: Pick<DatabaseDoor, "connect">;
    onTrouble(message: string): void;
  },
  user: DatabaseUser,
): OutboundFetch {
  const perform = async (request: OutboundRequest): Promise<unknown> => {
    const { text, params } = statement.parse(JSON.parse(await readText(request)));
    const access = await databases.accessFor(user);
    if (access === undefined) {
      return { error: "This deployment has no database", sqlState: "3D000" } satisfies Refusal;
    }
    if (access.refusal !== undefined) {
      return { error: access.refusal.message, sqlState: access.refusal.sqlState } satisfies Refusal;
    }
    const session = await door.connect(access);
    const result = await runStatement(session, text, { params, maxCharacters: MAX_RESULT });
    return "type" in result ? refusalOf(result) : result;
  };
  return async (request) => {
    const answer = await perform(request).catch((error): Refusal => {
      if (error instanceof EngineError) return { error: error.message, sqlState: error.sqlState };
      if (error instanceof z.ZodError || error instanceof SyntaxError) {
        return { error: "Pass a string and a list of parameters", sqlState: "42601" };
      }
      onTrouble(`A function's query failed: ${error}`);
      return { error: messageOf(error), sqlState: "58000" };
    });
    const bytes = encoder.encode(JSON.stringify(answer));
    return {
      status: 200,
      statusText: "OK",
      url: request.url,
      redirected: false,
      headers: [["content-type", "application/json"]],
      body: new Blob([bytes]).stream() as ReadableStream<Uint8Array<ArrayBuffer>>,
    };
  };
}
