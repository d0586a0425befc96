-- What people upload, and who is told of a photo that changes. No account has one yet: nothing could set it. A photo is shown to mutual
-- contacts alone, so it no longer counts among what everybody in a common room sees: it has a mark of its own. Existing rows count as
-- changed by this migration, which no answer is older than.
CREATE TABLE "objects" (
	"id" uuid PRIMARY KEY NOT NULL,
	"owner_id" uuid NOT NULL,
	"kind" text NOT NULL,
	"chat_room_id" text,
	"state" text NOT NULL,
	"size_bytes" bigint,
	"hash" "bytea",
	"media_type" text,
	"created_at" timestamp (3) with time zone NOT NULL
);
--> statement-breakpoint
ALTER TABLE "users" ADD COLUMN "photo_changed_in" "xid8" DEFAULT pg_current_xact_id() NOT NULL;--> statement-breakpoint
ALTER TABLE "objects" ADD CONSTRAINT "objects_owner_id_users_id_fk" FOREIGN KEY ("owner_id") REFERENCES "public"."users"("id") ON DELETE no action ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "objects" ADD CONSTRAINT "objects_chat_room_id_chat_rooms_id_fk" FOREIGN KEY ("chat_room_id") REFERENCES "public"."chat_rooms"("id") ON DELETE set null ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "objects_owner" ON "objects" USING btree ("owner_id");--> statement-breakpoint
CREATE INDEX "objects_room" ON "objects" USING btree ("chat_room_id");--> statement-breakpoint
CREATE INDEX "objects_state" ON "objects" USING btree ("state","created_at");--> statement-breakpoint
DROP TRIGGER "users_profile_changed" ON "users";--> statement-breakpoint
CREATE TRIGGER "users_profile_changed" BEFORE UPDATE OF "username", "display_name", "public_key", "deleted_at" ON "users"
	FOR EACH ROW EXECUTE FUNCTION mark_profile_changed();--> statement-breakpoint
CREATE FUNCTION "mark_photo_changed"() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
	NEW.photo_changed_in := pg_current_xact_id();
	RETURN NEW;
END $$;--> statement-breakpoint
CREATE TRIGGER "users_photo_changed" BEFORE UPDATE OF "profile_image_url" ON "users"
	FOR EACH ROW EXECUTE FUNCTION mark_photo_changed();
