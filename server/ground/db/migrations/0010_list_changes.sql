-- What changed in the room list since an earlier answer. Every row that the list shows keeps the transaction that last changed it,
-- written by triggers, so that no statement, program or later feature can forget it. There is no index: an update of a counter stays
-- within its page. Existing rows count as changed by this migration, which no answer is older than.
CREATE TABLE "list_floors" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "profile_changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL;--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "presence_changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL;--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL;--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "state_changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL;--> statement-breakpoint
ALTER TABLE "chat_participants" ADD COLUMN "changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL;--> statement-breakpoint
ALTER TABLE "chat_rooms" ADD COLUMN "changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL;--> statement-breakpoint
ALTER TABLE "list_floors" ADD CONSTRAINT "list_floors_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE FUNCTION "mark_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.changed_in := pg_current_xact_id();
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "contacts_changed" BEFORE UPDATE ON "contacts" FOR EACH ROW EXECUTE FUNCTION mark_changed();--> statement-breakpoint
CREATE FUNCTION "mark_state_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.state_changed_in := pg_current_xact_id();
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "contacts_state_changed" BEFORE UPDATE OF "state", "is_blocked" ON "contacts" FOR EACH ROW EXECUTE FUNCTION mark_state_changed();--> statement-breakpoint
CREATE TRIGGER "chat_participants_changed" BEFORE UPDATE ON "chat_participants" FOR EACH ROW EXECUTE FUNCTION mark_changed();--> statement-breakpoint
CREATE TRIGGER "chat_rooms_changed" BEFORE UPDATE OF "last_seq", "last_message_seq", "last_message_at", "is_closed" ON "chat_rooms"
	FOR EACH ROW EXECUTE FUNCTION mark_changed();--> statement-breakpoint
CREATE FUNCTION "mark_profile_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.profile_changed_in := pg_current_xact_id();
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "users_profile_changed" BEFORE UPDATE OF "username", "display_name", "public_key", "profile_image_url", "deleted_at" ON "users"
	FOR EACH ROW EXECUTE FUNCTION mark_profile_changed();--> statement-breakpoint
CREATE FUNCTION "mark_presence_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.presence_changed_in := pg_current_xact_id();
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "users_presence_changed" BEFORE UPDATE OF "is_online", "last_seen" ON "users"
	FOR EACH ROW EXECUTE FUNCTION mark_presence_changed();--> statement-breakpoint
-- A row shows the version of the person's device list. Who writes a manifest holds the account's lock already.
CREATE FUNCTION "mark_devices_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	UPDATE users SET profile_changed_in = pg_current_xact_id() WHERE id = NEW.user_id;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "manifests_changed" AFTER INSERT OR UPDATE ON "manifests" FOR EACH ROW EXECUTE FUNCTION mark_devices_changed();--> statement-breakpoint
-- A deleted contact leaves no row that could say so. The floors are written in one order, so that two deletions take turns.
CREATE FUNCTION "raise_list_floors"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	INSERT INTO list_floors (user_id)
	SELECT u.id FROM users u WHERE u.id IN (SELECT user_id FROM gone) ORDER BY u.id
	ON CONFLICT (user_id) DO UPDATE SET changed_in = excluded.changed_in;
	RETURN NULL;
END $$;--> statement-breakpoint
CREATE TRIGGER "contacts_gone" AFTER DELETE ON "contacts" REFERENCING OLD TABLE AS gone
	FOR EACH STATEMENT EXECUTE FUNCTION raise_list_floors();
