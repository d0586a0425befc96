-- The bytes that an account stores: they change in the transaction that changes an object, whichever it is.
CREATE OR REPLACE FUNCTION "count_stored_bytes"() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
	more bigint := CASE WHEN NEW.state <> 'dropped' THEN coalesce(NEW.size_bytes, 0) ELSE 0 END;
BEGIN
	IF TG_OP = 'UPDATE' AND OLD.state <> 'dropped' THEN
		more := more - coalesce(OLD.size_bytes, 0);
	END IF;
	IF more <> 0 THEN
		UPDATE file_usage SET stored_bytes = stored_bytes + more WHERE user_id = NEW.owner_id;
		-- What is dropped with its account has no row any more.
		IF NOT FOUND AND more > 0 THEN
			INSERT INTO file_usage (user_id, stored_bytes) VALUES (NEW.owner_id, more)
			ON CONFLICT (user_id) DO UPDATE SET stored_bytes = file_usage.stored_bytes + EXCLUDED.stored_bytes;
		END IF;
	END IF;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "objects_count_stored_bytes" AFTER INSERT OR UPDATE OF "state", "size_bytes" ON "objects"
	FOR EACH ROW WHEN (NEW.kind = 'file') EXECUTE FUNCTION count_stored_bytes();
