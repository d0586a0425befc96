-- Nobody has taken anything of the day on which a server is upgraded. Pages of before are of no device, so each device's first page
-- leaves them beside it. Sealed keys of before are in no page. Vaults and sessions stay as they are.
CREATE TABLE "key_bytes" (
	"user_id" uuid PRIMARY KEY NOT NULL,
	"day" timestamp (3) with time zone NOT NULL,
	"taken_bytes" bigint NOT NULL
);
--> statement-breakpoint
ALTER TABLE "key_bytes" ADD CONSTRAINT "key_bytes_user_id_users_id_fk" FOREIGN KEY ("user_id") REFERENCES "public"."users"("id") ON DELETE cascade ON UPDATE no action;--> statement-breakpoint
ALTER TABLE "archive_keys" ADD COLUMN "paged_by" text;--> statement-breakpoint
ALTER TABLE "archive_pages" ADD COLUMN "written_by" text DEFAULT '' NOT NULL;--> statement-breakpoint
ALTER TABLE "archive_pages" DROP CONSTRAINT "archive_pages_chat_room_id_user_id_number_pk";--> statement-breakpoint
ALTER TABLE "archive_pages" ADD CONSTRAINT "archive_pages_chat_room_id_user_id_number_written_by_pk" PRIMARY KEY("chat_room_id","user_id","number","written_by");
