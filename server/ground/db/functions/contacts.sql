CREATE OR REPLACE FUNCTION "mark_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.changed_in := pg_current_xact_id();
	RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "contacts_changed" BEFORE UPDATE ON "contacts" FOR EACH ROW EXECUTE FUNCTION mark_changed();

CREATE OR REPLACE FUNCTION "mark_state_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.state_changed_in := pg_current_xact_id();
	RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "contacts_state_changed" BEFORE UPDATE OF "state", "is_blocked" ON "contacts" FOR EACH ROW EXECUTE FUNCTION mark_state_changed();

-- A deleted contact leaves no row that could say so. The floors are written in one order, so that two deletions take turns.
CREATE OR REPLACE FUNCTION "raise_list_floors"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO list_floors (user_id)
	SELECT u.id FROM users u WHERE u.id IN (SELECT user_id FROM gone) ORDER BY u.id
	ON CONFLICT (user_id) DO UPDATE SET changed_in = excluded.changed_in;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "contacts_gone" AFTER DELETE ON "contacts" REFERENCING OLD TABLE AS gone
	FOR EACH STATEMENT EXECUTE FUNCTION raise_list_floors();
