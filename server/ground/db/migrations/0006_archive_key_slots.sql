-- Two slots for each account, epoch and history key. A row of before is taken for the committer's: the account's own devices may add theirs.
ALTER TABLE "archive_keys" ADD COLUMN "sealed_by" text DEFAULT 'committer' NOT NULL;--> statement-breakpoint
ALTER TABLE "archive_keys" DROP CONSTRAINT "archive_keys_chat_room_id_group_id_epoch_user_id_pk";--> statement-breakpoint
ALTER TABLE "archive_keys" ADD CONSTRAINT "archive_keys_pk" PRIMARY KEY("chat_room_id","group_id","epoch","user_id","history_key_id","sealed_by");
