-- Who is online moves out of `users`, whose row each message of its owner locks. Nobody is online at this moment: servers of before have
-- stopped, and whoever comes back is written anew. Whom a killed server has left as online was last seen when a session was last used.
CREATE TABLE "presence" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"nodes" uuid[] NOT NULL,
	"last_seen" timestamp (3) with time zone,
	"online_changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL,
	"seen_changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL
);
--> statement-breakpoint
CREATE TABLE "server_nodes" (
	"id" uuid PRIMARY KEY NOT NULL,
	"seen_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "shows_presence" boolean DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "shows_last_seen" boolean DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "shows_typing" boolean DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "shows_receipts" boolean DEFAULT true NOT NULL;
--> statement-breakpoint
ALTER TABLE "chat_participants" ADD COLUMN "read_changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL;
--> statement-breakpoint
ALTER TABLE "presence" ADD CONSTRAINT "presence_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;
--> statement-breakpoint
CREATE INDEX "presence_online" ON "presence" USING btree ("user_id") WHERE "presence"."nodes" <> '{}';
--> statement-breakpoint
INSERT INTO presence (user_id, nodes, last_seen)
SELECT id, '{}', CASE WHEN is_online
	THEN greatest(last_seen, (SELECT max(last_used_at) FROM sessions s WHERE s.user_id = u.id)) ELSE last_seen END
FROM users u WHERE deleted_at IS NULL AND (is_online OR last_seen IS NOT NULL);
--> statement-breakpoint
DROP TRIGGER "users_presence_changed" ON "users";
--> statement-breakpoint
DROP FUNCTION "mark_presence_changed"();
--> statement-breakpoint
ALTER TABLE "users" DROP COLUMN "is_online";
--> statement-breakpoint
ALTER TABLE "users" DROP COLUMN "last_seen";
--> statement-breakpoint
ALTER TABLE "users" DROP COLUMN "presence_changed_in";
--> statement-breakpoint
CREATE FUNCTION "mark_presence_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF (NEW.nodes = '{}') <> (OLD.nodes = '{}') THEN
		NEW.online_changed_in := pg_current_xact_id();
	END IF;
	IF NEW.last_seen IS DISTINCT FROM OLD.last_seen THEN
		NEW.seen_changed_in := pg_current_xact_id();
	END IF;
	RETURN NEW;
END $$;
--> statement-breakpoint
CREATE TRIGGER "presence_changed" BEFORE UPDATE ON "presence" FOR EACH ROW EXECUTE FUNCTION mark_presence_changed();
--> statement-breakpoint
-- What a person shows decides what both lists show of the two, so both learn of a switch.
CREATE FUNCTION "mark_privacy_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	-- Their own triggers write the transaction.
	UPDATE contacts SET state = state WHERE user_id = NEW.id;
	RETURN NULL;
END $$;
--> statement-breakpoint
CREATE TRIGGER "users_privacy_changed" AFTER UPDATE OF "shows_presence", "shows_last_seen", "shows_typing", "shows_receipts" ON "users"
	FOR EACH ROW WHEN ((OLD.shows_presence, OLD.shows_last_seen, OLD.shows_typing, OLD.shows_receipts)
		IS DISTINCT FROM (NEW.shows_presence, NEW.shows_last_seen, NEW.shows_typing, NEW.shows_receipts))
	EXECUTE FUNCTION mark_privacy_changed();
--> statement-breakpoint
-- A member who has received already and now reads: not everybody may learn of that.
CREATE FUNCTION "mark_member_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	IF coalesce(NEW.shown_read_seq, NEW.read_seq) > coalesce(OLD.shown_read_seq, OLD.read_seq)
		AND coalesce(NEW.shown_delivered_seq, NEW.delivered_seq) = coalesce(OLD.shown_delivered_seq, OLD.delivered_seq) THEN
		NEW.read_changed_in := pg_current_xact_id();
	ELSE
		NEW.changed_in := pg_current_xact_id();
	END IF;
	RETURN NEW;
END $$;
--> statement-breakpoint
DROP TRIGGER "chat_participants_changed" ON "chat_participants";
--> statement-breakpoint
CREATE TRIGGER "chat_participants_changed" BEFORE UPDATE ON "chat_participants" FOR EACH ROW
	WHEN ((OLD.muted_until, OLD.cleared_seq, OLD.withheld, OLD.delivered_seq, OLD.read_seq)
		IS NOT DISTINCT FROM (NEW.muted_until, NEW.cleared_seq, NEW.withheld, NEW.delivered_seq, NEW.read_seq)
		OR (coalesce(OLD.shown_delivered_seq, OLD.delivered_seq), coalesce(OLD.shown_read_seq, OLD.read_seq))
		IS DISTINCT FROM (coalesce(NEW.shown_delivered_seq, NEW.delivered_seq), coalesce(NEW.shown_read_seq, NEW.read_seq)))
	EXECUTE FUNCTION mark_member_changed();
