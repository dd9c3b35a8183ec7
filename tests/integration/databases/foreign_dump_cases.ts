/**
 * Imports `pg_dump` output that was created with default options and names roles that do not exist
 * on this server.
 */
import assert from "node:assert/strict";
import { TOKEN } from "../../helpers/platform.ts";
import type { DatabaseCase, DatabaseTest } from "../../helpers/databases.ts";

const DUMP = `--
-- PostgreSQL database dump
--
\\restrict abc
SET statement_timeout = 0;
SET transaction_timeout = 0;
SELECT pg_catalog.set_config('search_path', '', false);
CREATE FUNCTION public.f() RETURNS integer LANGUAGE sql AS $$SELECT 1;$$;
ALTER FUNCTION public.f() OWNER TO shopkeeper;
CREATE TABLE public.items (id integer NOT NULL, name text);
ALTER TABLE public.items OWNER TO shopkeeper;
COPY public.items (id, name) FROM stdin;
1\tone
2\t\\N
\\.
ALTER TABLE ONLY public.items ADD CONSTRAINT items_pkey PRIMARY KEY (id);
CREATE POLICY own ON public.items TO shopkeeper USING (true);
COMMENT ON POLICY own ON public.items IS 'Her own';
GRANT SELECT ON TABLE public.items TO shopkeeper;
ALTER DEFAULT PRIVILEGES FOR ROLE shopkeeper IN SCHEMA public GRANT SELECT ON TABLES TO reader;
\\unrestrict abc
--
-- PostgreSQL database dump complete
--
`;

async function send({ platform, at }: DatabaseTest, body: BodyInit): Promise<string> {
  const response = await fetch(`http://127.0.0.1:${platform.port}${at}/import`, {
    method: "POST",
    headers: { authorization: `Bearer ${TOKEN}`, "content-type": "application/sql" },
    body,
  });
  return await response.text();
}

export const FOREIGN_DUMPS: readonly DatabaseCase[] = [{
  shares: true,
  name: "a dump's roles are skipped, and everything else is imported",
  async run(test) {
    const said = await send(test, DUMP);
    assert.doesNotMatch(said, /"type":"error"/);
    assert.equal(said.match(/role \\"\w+\\" does not exist: skipped/g)?.length, 5, said);
    assert.match(said, /policy \\"own\\" for table \\"items\\" does not exist: skipped/);
    assert.deepEqual(await test.rows("SELECT id, name FROM items ORDER BY id"), [
      ["1", "one"],
      ["2", null],
    ]);
  },
}, {
  shares: true,
  name: "an archive is refused with the command that converts it to SQL",
  async run(test) {
    const head = new TextEncoder().encode("PGDMP");
    const archive = new Uint8Array([...head, 1, 14, 0, 4, 8, 1, 0xff, 0xfe]);
    assert.match(await send(test, archive), /pg_dump archive \(-Fc\).*pg_restore --no-owner/);
    const gzip = new Uint8Array([0x1f, 0x8b, 8, 0]);
    assert.match(await send(test, gzip), /compressed with gzip.*gunzip/);
  },
}];
