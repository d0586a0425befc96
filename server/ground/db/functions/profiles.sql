CREATE OR REPLACE FUNCTION "mark_profile_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.profile_changed_in := pg_current_xact_id();
	RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "users_profile_changed" BEFORE UPDATE OF "username", "display_name", "public_key", "deleted_at" ON "users"
	FOR EACH ROW EXECUTE FUNCTION mark_profile_changed();

-- A photo is shown to mutual contacts alone, so it has a mark of its own.
CREATE OR REPLACE FUNCTION "mark_photo_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.photo_changed_in := pg_current_xact_id();
	RETURN NEW;
END $$;

CREATE OR REPLACE TRIGGER "users_photo_changed" BEFORE UPDATE OF "profile_image_url" ON "users"
	FOR EACH ROW EXECUTE FUNCTION mark_photo_changed();

-- A row shows the version of the person's device list. Who writes a manifest holds the account's lock already.
CREATE OR REPLACE FUNCTION "mark_devices_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE users SET profile_changed_in = pg_current_xact_id() WHERE id = NEW.user_id;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "manifests_changed" AFTER INSERT OR UPDATE ON "manifests" FOR EACH ROW EXECUTE FUNCTION mark_devices_changed();

-- What a stranger was given of a list shows in their own row.
CREATE OR REPLACE FUNCTION "mark_manifest_shown"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- Its own trigger writes the transaction.
	UPDATE contacts SET changed_in = changed_in WHERE user_id = NEW.viewer_id AND contact_user_id = NEW.user_id;
	RETURN NULL;
END $$;

CREATE OR REPLACE TRIGGER "shown_manifests_changed" AFTER INSERT OR UPDATE ON "shown_manifests" FOR EACH ROW EXECUTE FUNCTION mark_manifest_shown();
