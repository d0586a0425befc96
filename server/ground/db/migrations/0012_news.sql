-- No message, vault or session of before changes. Each member's row begins as new, and each inbox is compared once more at the next look at its
-- list, which refuses the counters of before with 410: the page reads its list anew. That look writes where each chat stands in the list and
-- whether it is unread. A build of before that runs on this database marks no row as new by a message: after it,
-- UPDATE chat_participants SET is_new_to_member = true, is_new_to_peer = true.
DROP INDEX "chat_participants_user";--> statement-breakpoint
DROP INDEX "contacts_of";--> statement-breakpoint
ALTER TABLE "inbox" ADD COLUMN "activity" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "inbox" ADD COLUMN "unread_at" timestamp (3) with time zone;--> statement-breakpoint
ALTER TABLE "chat_participants" ADD COLUMN "is_new_to_member" boolean DEFAULT true NOT NULL;--> statement-breakpoint
ALTER TABLE "chat_participants" ADD COLUMN "is_new_to_peer" boolean DEFAULT true NOT NULL;--> statement-breakpoint
CREATE INDEX "users_changed" ON "users" USING btree (greatest("profile_changed_in", "photo_changed_in"));--> statement-breakpoint
CREATE INDEX "contacts_changed" ON "contacts" USING btree (uuid_send("user_id"),"changed_in");--> statement-breakpoint
CREATE INDEX "inbox_numbers" ON "inbox" USING btree (uuid_send("user_id"),"number");--> statement-breakpoint
CREATE INDEX "inbox_activity" ON "inbox" USING btree (uuid_send("user_id"),"activity","chat_room_id");--> statement-breakpoint
CREATE INDEX "inbox_unread" ON "inbox" USING btree (uuid_send("user_id"),"unread_at") WHERE "inbox"."unread_at" is not null;--> statement-breakpoint
CREATE INDEX "presence_changed" ON "presence" USING btree (greatest("online_changed_in", "seen_changed_in"));--> statement-breakpoint
CREATE INDEX "chat_participants_new" ON "chat_participants" USING btree ("user_id","is_new_to_member");--> statement-breakpoint
CREATE INDEX "chat_participants_peer" ON "chat_participants" USING btree ((replace(replace(substr(chat_room_id, 4), user_id::text, ''), '_', ''))) WHERE "chat_participants"."is_new_to_peer";--> statement-breakpoint
CREATE INDEX "contacts_of" ON "contacts" USING btree ("contact_user_id","state_changed_in");