CREATE OR REPLACE FUNCTION "refuse_change_of_ledger"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'The ledger is only appended to';
END $$;

CREATE OR REPLACE TRIGGER "ledger_entries_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "ledger_entries" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_ledger();
-- A receipt says for good what it said. A job deletes those that are old enough, and a deleted account is taken out of its own.
CREATE OR REPLACE TRIGGER "receipts_stay" BEFORE UPDATE OF "seq", "number", "is_test", "issued_at", "printed" OR TRUNCATE ON "receipts"
	FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_ledger();
