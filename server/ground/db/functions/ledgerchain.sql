CREATE OR REPLACE TRIGGER "ledger_chain_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "ledger_chain" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_ledger();

-- Nulls are left out, so a column that comes later changes no older hash.
CREATE OR REPLACE FUNCTION "link_entry"() RETURNS trigger LANGUAGE plpgsql SET timezone = 'UTC' AS $$
DECLARE
	last ledger_chain;
BEGIN
	PERFORM pg_advisory_xact_lock(7302118);
	SELECT * INTO last FROM ledger_chain ORDER BY seq DESC LIMIT 1;
	INSERT INTO ledger_chain (seq, place, hash) VALUES (coalesce(last.seq, 0) + 1, NEW.place, sha256(convert_to(
		'conclave/ledger/v1 ' || coalesce(encode(last.hash, 'hex'), '') || ' ' || jsonb_strip_nulls(to_jsonb(NEW))::text, 'UTF8')));
	RETURN NULL;
END $$;

-- At the commit, so that writers get in line for its moment alone. Such a trigger cannot be replaced.
DROP TRIGGER IF EXISTS "ledger_entries_linked" ON "ledger_entries";
CREATE CONSTRAINT TRIGGER "ledger_entries_linked" AFTER INSERT ON "ledger_entries" DEFERRABLE INITIALLY DEFERRED
	FOR EACH ROW EXECUTE FUNCTION link_entry();
