CREATE OR REPLACE FUNCTION "mark_presence_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF (NEW.nodes = '{}') <> (OLD.nodes = '{}') THEN
		NEW.online_changed_in := pg_current_xact_id();
	END IF;
	IF NEW.last_seen IS DISTINCT FROM OLD.last_seen THEN
		NEW.seen_changed_in := pg_current_xact_id();
	END IF;
	RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "presence_changed" BEFORE UPDATE ON "presence" FOR EACH ROW EXECUTE FUNCTION mark_presence_changed();

-- What a person shows decides what both lists show of the two, so both learn of a switch.
CREATE OR REPLACE FUNCTION "mark_privacy_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- Their own triggers write the transaction.
	UPDATE contacts SET state = state WHERE user_id = NEW.id;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "users_privacy_changed" AFTER UPDATE OF "shows_presence", "shows_last_seen", "shows_typing", "shows_receipts" ON "users"
	FOR EACH ROW WHEN ((OLD.shows_presence, OLD.shows_last_seen, OLD.shows_typing, OLD.shows_receipts)
		IS DISTINCT FROM (NEW.shows_presence, NEW.shows_last_seen, NEW.shows_typing, NEW.shows_receipts))
	EXECUTE FUNCTION mark_privacy_changed();

-- Each account has a row before it was ever online, so the list of who was here last has everybody in one order.
CREATE OR REPLACE FUNCTION "begin_presence"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO presence (user_id, nodes) VALUES (NEW.id, '{}');
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "users_begin_presence" AFTER INSERT ON "users" FOR EACH ROW WHEN (NEW.deleted_at IS NULL) EXECUTE FUNCTION begin_presence();
