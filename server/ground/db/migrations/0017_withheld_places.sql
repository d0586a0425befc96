-- Members of before have cleared nothing and blocked nobody: no server has set a block yet. A row that says otherwise, set by hand,
-- withholds what comes from now on, and shows the marks of now.
CREATE TABLE "reports" (
	"reporter_id" uuid NOT NULL,
	"id" uuid NOT NULL,
	"reported_id" uuid NOT NULL,
	"chat_room_id" text NOT NULL,
	"category" text NOT NULL,
	"text" text NOT NULL,
	"messages" jsonb NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	CONSTRAINT "reports_reporter_id_id_pk" PRIMARY KEY("reporter_id","id")
);
--> statement-breakpoint
ALTER TABLE "contacts" ADD COLUMN "seen_when_blocked" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "chat_participants" ADD COLUMN "cleared_seq" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "chat_participants" ADD COLUMN "withheld" "int8multirange" DEFAULT '{}' NOT NULL;--> statement-breakpoint
ALTER TABLE "chat_participants" ADD COLUMN "shown_delivered_seq" bigint;--> statement-breakpoint
ALTER TABLE "chat_participants" ADD COLUMN "shown_read_seq" bigint;--> statement-breakpoint
ALTER TABLE "chat_rooms" ADD COLUMN "emptied_seq" bigint DEFAULT 0 NOT NULL;--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_reporter_id_users_id_fk" FOREIGN KEY ("reporter_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "reports" ADD CONSTRAINT "reports_reported_id_users_id_fk" FOREIGN KEY ("reported_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "reports_age" ON "reports" USING btree ("created_at");--> statement-breakpoint
CREATE INDEX "chat_participants_cleared" ON "chat_participants" USING btree ("chat_room_id") WHERE "chat_participants"."cleared_seq" > 0;--> statement-breakpoint
UPDATE chat_participants m SET withheld = int8multirange(int8range(r.last_seq + 1, NULL)),
	shown_delivered_seq = m.delivered_seq, shown_read_seq = m.read_seq
FROM contacts c JOIN chat_rooms r ON r.id = c.chat_room_id
WHERE c.is_blocked AND m.chat_room_id = c.chat_room_id AND m.user_id = c.user_id;--> statement-breakpoint
-- What a member alone sees of a room is no news for the others: a mute, a cleared chat, a block, and marks while they are not shown.
DROP TRIGGER "chat_participants_changed" ON "chat_participants";--> statement-breakpoint
DROP TRIGGER "chat_participants_own_changed" ON "chat_participants";--> statement-breakpoint
CREATE TRIGGER "chat_participants_changed" BEFORE UPDATE ON "chat_participants" FOR EACH ROW
	WHEN ((OLD.muted_until, OLD.cleared_seq, OLD.withheld, OLD.delivered_seq, OLD.read_seq)
		IS NOT DISTINCT FROM (NEW.muted_until, NEW.cleared_seq, NEW.withheld, NEW.delivered_seq, NEW.read_seq)
		OR (coalesce(OLD.shown_delivered_seq, OLD.delivered_seq), coalesce(OLD.shown_read_seq, OLD.read_seq))
		IS DISTINCT FROM (coalesce(NEW.shown_delivered_seq, NEW.delivered_seq), coalesce(NEW.shown_read_seq, NEW.read_seq)))
	EXECUTE FUNCTION mark_changed();--> statement-breakpoint
CREATE TRIGGER "chat_participants_own_changed" BEFORE UPDATE ON "chat_participants" FOR EACH ROW
	WHEN ((OLD.muted_until, OLD.cleared_seq, OLD.withheld, OLD.delivered_seq, OLD.read_seq)
		IS DISTINCT FROM (NEW.muted_until, NEW.cleared_seq, NEW.withheld, NEW.delivered_seq, NEW.read_seq))
	EXECUTE FUNCTION mark_own_changed();
