-- Every room gets a number, which takes the place of its id in the tables that have a row for each entry of its log. They are written anew,
-- row by row in the order in which they came, and their eight-byte columns first, so that nothing is lost to alignment. No row, vault or
-- session changes otherwise; what the server answers, cursors included, names rooms as before. It takes as long as copying these tables
-- takes, and as much disk, which PostgreSQL gives back at the end. The service stands still meanwhile.
LOCK TABLE "chat_rooms", "messages", "room_commits", "archive_keys", "archive_pages" IN ACCESS EXCLUSIVE MODE;--> statement-breakpoint
DROP VIEW IF EXISTS "message_receipts";--> statement-breakpoint
DROP VIEW IF EXISTS "notifications";--> statement-breakpoint
ALTER TABLE "chat_rooms" ADD COLUMN "number" bigint NOT NULL GENERATED ALWAYS AS IDENTITY (sequence name "chat_rooms_number_seq" INCREMENT BY 1 MINVALUE 1 MAXVALUE 9223372036854775807 START WITH 1 CACHE 1);--> statement-breakpoint
ALTER TABLE "chat_rooms" ADD CONSTRAINT "chat_rooms_number_unique" UNIQUE("number");--> statement-breakpoint
CREATE TABLE "messages_numbered" (
	"room" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"file_size" bigint,
	"id" uuid NOT NULL,
	"sender_id" uuid NOT NULL,
	"reply_to_id" uuid,
	"is_encrypted" boolean NOT NULL,
	"is_silent" boolean DEFAULT false NOT NULL,
	"message_type" text NOT NULL,
	"content_hash" "bytea",
	"file_path" text,
	"file_name" text,
	"content" text NOT NULL
);
--> statement-breakpoint
INSERT INTO "messages_numbered" ("room", "seq", "created_at", "file_size", "id", "sender_id", "reply_to_id", "is_encrypted", "is_silent", "message_type", "content_hash", "file_path", "file_name", "content")
SELECT r.number, m."seq", m."created_at", m."file_size", m."id", m."sender_id", m."reply_to_id", m."is_encrypted", m."is_silent", m."message_type", m."content_hash", m."file_path", m."file_name", m."content"
FROM "messages" m JOIN "chat_rooms" r ON r.id = m.chat_room_id ORDER BY m.created_at, m.seq;--> statement-breakpoint
DROP TABLE "messages";--> statement-breakpoint
ALTER TABLE "messages_numbered" RENAME TO "messages";--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_room_seq_pk" PRIMARY KEY("room","seq");--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_sender_id" UNIQUE("room","sender_id","id");--> statement-breakpoint
ALTER TABLE "messages" ADD CONSTRAINT "messages_room_chat_rooms_number_fk" FOREIGN KEY ("room") REFERENCES "public"."chat_rooms"("number") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE TABLE "room_commits_numbered" (
	"room" bigint NOT NULL,
	"seq" bigint NOT NULL,
	"created_at" timestamp (3) with time zone NOT NULL,
	"generation" integer NOT NULL,
	"epoch" integer NOT NULL,
	"sender_id" uuid NOT NULL,
	"group_id" text NOT NULL,
	"commit" text NOT NULL
);
--> statement-breakpoint
INSERT INTO "room_commits_numbered" ("room", "seq", "created_at", "generation", "epoch", "sender_id", "group_id", "commit")
SELECT r.number, m."seq", m."created_at", m."generation", m."epoch", m."sender_id", m."group_id", m."commit"
FROM "room_commits" m JOIN "chat_rooms" r ON r.id = m.chat_room_id ORDER BY m.created_at, m.seq;--> statement-breakpoint
DROP TABLE "room_commits";--> statement-breakpoint
ALTER TABLE "room_commits_numbered" RENAME TO "room_commits";--> statement-breakpoint
ALTER TABLE "room_commits" ADD CONSTRAINT "room_commits_room_seq_pk" PRIMARY KEY("room","seq");--> statement-breakpoint
ALTER TABLE "room_commits" ADD CONSTRAINT "room_commits_epoch" UNIQUE("room","group_id","epoch");--> statement-breakpoint
ALTER TABLE "room_commits" ADD CONSTRAINT "room_commits_room_chat_rooms_number_fk" FOREIGN KEY ("room") REFERENCES "public"."chat_rooms"("number") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE TABLE "archive_keys_numbered" (
	"room" bigint NOT NULL,
	"epoch" integer NOT NULL,
	"history_key_id" integer NOT NULL,
	"user_id" uuid NOT NULL,
	"group_id" text NOT NULL,
	"sealed_by" text DEFAULT 'committer' NOT NULL,
	"sealed" text NOT NULL,
	"paged_by" text
);
--> statement-breakpoint
INSERT INTO "archive_keys_numbered" ("room", "epoch", "history_key_id", "user_id", "group_id", "sealed_by", "sealed", "paged_by")
SELECT r.number, m."epoch", m."history_key_id", m."user_id", m."group_id", m."sealed_by", m."sealed", m."paged_by"
FROM "archive_keys" m JOIN "chat_rooms" r ON r.id = m.chat_room_id ORDER BY r.number, m.group_id, m.epoch;--> statement-breakpoint
DROP TABLE "archive_keys";--> statement-breakpoint
ALTER TABLE "archive_keys_numbered" RENAME TO "archive_keys";--> statement-breakpoint
ALTER TABLE "archive_keys" ADD CONSTRAINT "archive_keys_pk" PRIMARY KEY("room","group_id","epoch","user_id","history_key_id","sealed_by");--> statement-breakpoint
ALTER TABLE "archive_keys" ADD CONSTRAINT "archive_keys_room_chat_rooms_number_fk" FOREIGN KEY ("room") REFERENCES "public"."chat_rooms"("number") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE TABLE "archive_pages_numbered" (
	"room" bigint NOT NULL,
	"user_id" uuid NOT NULL,
	"number" integer NOT NULL,
	"version" integer NOT NULL,
	"history_key_id" integer,
	"written_by" text DEFAULT '' NOT NULL,
	"sealed" text NOT NULL
);
--> statement-breakpoint
INSERT INTO "archive_pages_numbered" ("room", "user_id", "number", "version", "history_key_id", "written_by", "sealed")
SELECT r.number, m."user_id", m."number", m."version", m."history_key_id", m."written_by", m."sealed"
FROM "archive_pages" m JOIN "chat_rooms" r ON r.id = m.chat_room_id ORDER BY r.number, m.number;--> statement-breakpoint
DROP TABLE "archive_pages";--> statement-breakpoint
ALTER TABLE "archive_pages_numbered" RENAME TO "archive_pages";--> statement-breakpoint
ALTER TABLE "archive_pages" ADD CONSTRAINT "archive_pages_room_user_id_number_written_by_pk" PRIMARY KEY("room","user_id","number","written_by");--> statement-breakpoint
ALTER TABLE "archive_pages" ADD CONSTRAINT "archive_pages_room_chat_rooms_number_fk" FOREIGN KEY ("room") REFERENCES "public"."chat_rooms"("number") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
CREATE INDEX "messages_day" ON "messages" USING brin ("created_at");
