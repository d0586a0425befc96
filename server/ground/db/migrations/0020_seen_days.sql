-- The days are those that were shown before: of who is online today's, of others that of when they left. A build of before that runs on this
-- database keeps no days.
DROP INDEX "presence_seen";--> statement-breakpoint
ALTER TABLE "presence" ADD COLUMN "seen_on" date;--> statement-breakpoint
UPDATE "presence" SET "seen_on" = (CASE WHEN "nodes" <> '{}' THEN now() ELSE "last_seen" END AT TIME ZONE 'UTC')::date;--> statement-breakpoint
CREATE INDEX "presence_seen_on" ON "presence" USING btree ("seen_on" DESC NULLS LAST,"user_id");