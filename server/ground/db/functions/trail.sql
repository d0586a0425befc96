CREATE OR REPLACE FUNCTION "refuse_change_of_trail"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	RAISE EXCEPTION 'The audit trail is only appended to';
END $$;

CREATE OR REPLACE TRIGGER "audit_log_append_only" BEFORE UPDATE OR DELETE OR TRUNCATE ON "audit_log" FOR EACH STATEMENT EXECUTE FUNCTION refuse_change_of_trail();
