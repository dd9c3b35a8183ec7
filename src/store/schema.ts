/**
 * The tables of a PostgreSQL store, as versioned migrations.
 *
 * Every commit first locks the only row in `clock` and releases it at the end. Versions are
 * therefore in commit order, and once a reader has read the changes up to a version, it cannot have
 * missed an earlier one.
 *
 * @module
 */

/** Migrates the schema from one version to the next, in one transaction. */
export interface SchemaMigration {
  readonly version: number;
  readonly sql: string;
}

/**
 * The PostgreSQL schema that contains the whole store. A database can contain other schemas too.
 */
const TABLES = `
CREATE TABLE svc.clock (
  single boolean PRIMARY KEY DEFAULT true CHECK (single),
  version bigint NOT NULL,
  at timestamptz NOT NULL,
  forgotten bigint NOT NULL
) WITH (fillfactor = 10);
COMMENT ON TABLE svc.clock IS 'One row: version and time of the last commit, and the last version whose changes are no longer listed';
INSERT INTO svc.clock (version, at, forgotten) VALUES (0, clock_timestamp(), 0);

CREATE TABLE svc.records (
  key bytea PRIMARY KEY,
  value bytea,
  number numeric(20, 0),
  version bigint NOT NULL,
  expires_at timestamptz,
  CHECK (num_nonnulls(value, number) = 1)
);
COMMENT ON TABLE svc.records IS 'Keys in the encoding of Deno KV, each with bytes or an unsigned 64-bit counter';
CREATE INDEX records_expiry ON svc.records (expires_at) WHERE expires_at IS NOT NULL;

CREATE TABLE svc.changes (
  version bigint PRIMARY KEY,
  at timestamptz NOT NULL,
  writer uuid NOT NULL,
  keys bytea[] NOT NULL
);
COMMENT ON TABLE svc.changes IS 'Which keys each recent commit changed, and which node made it';

CREATE TABLE svc.commits (
  id uuid PRIMARY KEY,
  at timestamptz NOT NULL,
  outcomes bigint[] NOT NULL
);
COMMENT ON TABLE svc.commits IS 'What recent calls of commit() were answered, for callers whose connection was lost';
CREATE INDEX commits_age ON svc.commits (at);
`;

/** Whether all expected versions of an operation match the stored versions. */
const HOLDS = `
CREATE FUNCTION svc.holds(checks jsonb, moment timestamptz) RETURNS boolean
LANGUAGE sql STABLE AS $$
  SELECT NOT EXISTS (
    SELECT FROM jsonb_to_recordset(checks) AS expected(key text, version bigint)
    LEFT JOIN svc.records AS stored
      ON stored.key = decode(expected.key, 'base64')
      AND (stored.expires_at IS NULL OR stored.expires_at > moment)
    WHERE stored.version IS DISTINCT FROM expected.version
  )
$$;
`;

/** Applies the mutations of one operation in order. Returns the changed keys. */
const APPLY = `
CREATE FUNCTION svc.apply(mutations jsonb, new_version bigint, moment timestamptz) RETURNS bytea[]
LANGUAGE plpgsql AS $$
DECLARE
  mutation record;
  target bytea;
  known numeric;
  is_bytes boolean;
  result numeric;
  changed bytea[] := '{}';
BEGIN
  FOR mutation IN
    SELECT * FROM jsonb_to_recordset(mutations)
      AS m(type text, key text, value text, number numeric, expire_ms double precision)
  LOOP
    target := decode(mutation.key, 'base64');
    changed := changed || target;
    IF mutation.type = 'delete' THEN
      DELETE FROM svc.records WHERE key = target;
      CONTINUE;
    END IF;
    result := mutation.number;
    IF mutation.type <> 'set' THEN
      SELECT r.number, r.number IS NULL INTO known, is_bytes FROM svc.records AS r
        WHERE r.key = target AND (r.expires_at IS NULL OR r.expires_at > moment);
      IF FOUND THEN
        IF is_bytes THEN
          RAISE EXCEPTION 'not a counter' USING ERRCODE = 'SVC01';
        END IF;
        result := CASE mutation.type
          WHEN 'sum' THEN mod(known + result, 18446744073709551616)
          WHEN 'min' THEN least(known, result)
          ELSE greatest(known, result)
        END;
      END IF;
    END IF;
    INSERT INTO svc.records (key, value, number, version, expires_at)
      VALUES (target, decode(mutation.value, 'base64'), result, new_version,
        moment + mutation.expire_ms * interval '1 millisecond')
      ON CONFLICT (key) DO UPDATE SET
        value = excluded.value, number = excluded.number,
        version = excluded.version, expires_at = excluded.expires_at;
  END LOOP;
  RETURN changed;
END
$$;
`;

/**
 * Returns each operation's version, 0 if a check failed, or -1 if the operation adds to a record
 * that is not a counter. A call with a repeated ID changes nothing and returns the first call's
 * result.
 */
const COMMIT = `
CREATE FUNCTION svc.commit(call uuid, writer uuid, operations jsonb, OUT outcomes bigint[])
LANGUAGE plpgsql AS $$
DECLARE
  last bigint;
  moment timestamptz;
  operation jsonb;
  changed bytea[];
  outcome bigint;
BEGIN
  -- The clock of another primary may be behind.
  SELECT c.version, greatest(clock_timestamp(), c.at) INTO last, moment
    FROM svc.clock AS c FOR UPDATE;
  SELECT c.outcomes INTO outcomes FROM svc.commits AS c WHERE c.id = call;
  IF FOUND THEN RETURN; END IF;
  outcomes := '{}';
  FOR operation IN SELECT * FROM jsonb_array_elements(operations) LOOP
    outcome := 0;
    IF svc.holds(operation -> 'checks', moment) THEN
      outcome := last + 1;
      IF (operation ->> 'counts')::boolean THEN
        BEGIN
          changed := svc.apply(operation -> 'mutations', outcome, moment);
        EXCEPTION WHEN SQLSTATE 'SVC01' THEN
          outcome := -1;
        END;
      ELSE
        changed := svc.apply(operation -> 'mutations', outcome, moment);
      END IF;
    END IF;
    outcomes := outcomes || outcome;
    IF outcome > 0 THEN
      last := outcome;
      IF changed <> '{}' THEN INSERT INTO svc.changes VALUES (last, moment, writer, changed); END IF;
    END IF;
  END LOOP;
  UPDATE svc.clock AS c SET version = last, at = moment;
  INSERT INTO svc.commits VALUES (call, moment, outcomes);
  PERFORM pg_notify('svc_changes', last::text);
END
$$;
`;

/** Deletes expired records, old changes and old commits. Returns the number of deleted records. */
const TIDY = `
CREATE FUNCTION svc.tidy(most integer, kept_changes interval, kept_commits interval)
RETURNS integer
LANGUAGE plpgsql AS $$
DECLARE
  moment timestamptz;
  forget bigint;
  deleted integer;
BEGIN
  SELECT greatest(clock_timestamp(), c.at) INTO moment FROM svc.clock AS c FOR UPDATE;
  DELETE FROM svc.records WHERE key IN (
    SELECT r.key FROM svc.records AS r WHERE r.expires_at <= moment ORDER BY r.expires_at LIMIT most
  );
  GET DIAGNOSTICS deleted = ROW_COUNT;
  SELECT max(c.version) INTO forget FROM svc.changes AS c WHERE c.at < moment - kept_changes;
  IF forget IS NOT NULL THEN
    DELETE FROM svc.changes WHERE version <= forget;
    UPDATE svc.clock SET forgotten = forget;
  END IF;
  DELETE FROM svc.commits WHERE at < moment - kept_commits;
  RETURN deleted;
END
$$;
`;

/** All migrations, in order and without gaps. */
export const SCHEMA: readonly SchemaMigration[] = [
  { version: 1, sql: [TABLES, HOLDS, APPLY, COMMIT, TIDY].join("\n") },
];
